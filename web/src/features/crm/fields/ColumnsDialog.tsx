import { Pencil, Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { call } from '../../../api/call.ts'
import { Button, IconButton } from '../../../ui/Button.tsx'
import { Confirm, Dialog } from '../../../ui/Dialog.tsx'
import { Checkbox, Options, SelectField, TextArea, TextField } from '../../../ui/Field.tsx'
import { FormDialog } from '../../../ui/FormDialog.tsx'
import { kindNames, type OwnField, useFields } from '../../../ui/ownFields.ts'
import { attempt } from '../../../ui/toast.tsx'
import type { Address } from '../address.ts'
import { newKey, useRefresh } from '../queries.ts'
import { MOST_COLUMNS, usualColumns } from './columns.ts'

/** Columns of the list beside the usual, and the person's own fields. */
export function ColumnsDialog({ address, onClose }: { address: Address; onClose: () => void }) {
  const fields = useFields()
  const refresh = useRefresh()
  const [edited, setEdited] = useState<OwnField | 'new' | null>(null)
  const [deleted, setDeleted] = useState<OwnField | null>(null)
  const { columns, change } = address
  const toggle = (id: string, on: boolean) =>
    change({ cols: (on ? [...columns, id] : columns.filter((each) => each !== id)).slice(0, MOST_COLUMNS).join(',') }, true)
  const box = (id: string, label: string) => (
    <Checkbox
      checked={columns.includes(id)}
      disabled={!columns.includes(id) && columns.length >= MOST_COLUMNS}
      onChange={(event) => toggle(id, event.target.checked)}
    >
      {label}
    </Checkbox>
  )
  return (
    <Dialog open side="right" onClose={onClose} title="Columns and fields">
      <div className="flex flex-col gap-6">
        <fieldset className="flex flex-col gap-2">
          <legend className="mb-2 text-13 font-medium">More columns, up to {MOST_COLUMNS}</legend>
          {Object.entries(usualColumns).map(([id, label]) => (
            <span key={id}>{box(id, label)}</span>
          ))}
        </fieldset>
        <section className="flex flex-col gap-2" aria-label="Your fields">
          <h3 className="text-13 font-medium">Your fields</h3>
          {fields.length === 0 ? (
            <p className="text-13 text-muted">Add what you want to know of your contacts, such as a budget or a birthday.</p>
          ) : null}
          <ul className="flex flex-col divide-y divide-line">
            {fields.map((field) => (
              <li key={field.id} className="flex items-center gap-2 py-2">
                <span className="min-w-0 flex-1">{box(field.id, field.name)}</span>
                <span className="text-12 text-faint">{kindNames[field.kind]}</span>
                <IconButton label={`Edit ${field.name}`} onClick={() => setEdited(field)}>
                  <Pencil />
                </IconButton>
                <IconButton label={`Delete ${field.name}`} onClick={() => setDeleted(field)}>
                  <Trash2 />
                </IconButton>
              </li>
            ))}
          </ul>
          <div>
            <Button onClick={() => setEdited('new')}>
              <Plus />
              Add a field
            </Button>
          </div>
        </section>
      </div>
      {edited ? <FieldForm of={edited === 'new' ? null : edited} onClose={() => setEdited(null)} onDone={refresh} /> : null}
      <Confirm
        open={deleted !== null}
        onClose={() => setDeleted(null)}
        title={`Delete the field “${deleted?.name}”?`}
        action="Delete field"
        keep="Keep it"
        danger
        onConfirm={() =>
          attempt('The field was not deleted', async () => {
            await call('delete-contact-field', { field_id: deleted!.id }, { idempotencyKey: newKey() })
            toggle(deleted!.id, false)
            await refresh()
          })
        }
      >
        Its values on your contacts are deleted for good.
      </Confirm>
    </Dialog>
  )
}

function FieldForm({ of, onClose, onDone }: { of: OwnField | null; onClose: () => void; onDone: () => Promise<unknown> }) {
  const [kind, setKind] = useState<OwnField['kind']>(of?.kind ?? 'text')
  async function save(typed: (field: string) => string) {
    const lines = typed('options').split('\n')
    const options = lines.map((option) => option.trim()).filter(Boolean)
    const given = { name: typed('name'), options }
    if (of) await call('update-contact-field', { field_id: of.id, ...given }, { idempotencyKey: newKey() })
    else await call('create-contact-field', { kind, ...given }, { idempotencyKey: newKey() })
    await onDone()
  }
  return (
    <FormDialog
      onClose={onClose}
      title={of ? 'Edit field' : 'New field'}
      submit={of ? 'Save' : 'Add field'}
      failed={of ? 'The field was not changed' : 'The field was not added'}
      save={save}
    >
      <TextField label="Name" name="name" required maxLength={60} data-first defaultValue={of?.name} />
      <SelectField
        label="Kind"
        value={kind}
        disabled={of !== null}
        hint={of ? 'The kind stays as it is.' : undefined}
        onChange={(event) => setKind(event.target.value as OwnField['kind'])}
      >
        <Options of={Object.entries(kindNames)} />
      </SelectField>
      {kind === 'choice' ? (
        <TextArea label="Options" name="options" required hint="One a line" defaultValue={of?.options.join('\n')} maxLength={4000} />
      ) : null}
    </FormDialog>
  )
}
