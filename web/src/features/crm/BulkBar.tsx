import { type FormEvent, useState } from 'react'
import { call } from '../../api/call.ts'
import { Button } from '../../ui/Button.tsx'
import { Options, SelectField, TextField } from '../../ui/Field.tsx'
import { FieldInput } from '../../ui/OwnField.tsx'
import { typedAs, useFields } from '../../ui/ownFields.ts'
import { attempt, toast } from '../../ui/toast.tsx'
import { AddToSequence } from './AddToSequence.tsx'
import { newKey, useRefresh } from './queries.ts'
import { capital, statuses } from './words.ts'

/** Changes the contacts that are selected. */
export function BulkBar({ ids, clear }: { ids: string[]; clear: () => void }) {
  const refresh = useRefresh()
  const [busy, setBusy] = useState(false)
  const fields = useFields()
  const [fieldId, setFieldId] = useState('')
  const field = fields.find(({ id }) => id === fieldId)
  async function apply(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const data = new FormData(event.currentTarget)
    const of = (name: string) => String(data.get(name) ?? '').trim()
    const status = statuses.find((each) => each === of('status'))
    if (!status && !of('add') && !of('remove') && !field) return
    setBusy(true)
    await attempt('The contacts were not changed', async () => {
      const { changed } = await call(
        'edit-contacts',
        {
          contact_ids: ids,
          ...(status && { status }),
          ...(of('add') && { add_tags: [of('add')] }),
          ...(of('remove') && { remove_tags: [of('remove')] }),
          ...(field && { fields: { [field.id]: typedAs(field, of('value')) } }),
        },
        { idempotencyKey: newKey() },
      )
      clear()
      await refresh()
      toast.success(`${changed} ${changed === 1 ? 'contact' : 'contacts'} changed`)
    })
    setBusy(false)
  }
  return (
    <form
      onSubmit={apply}
      className="flex flex-wrap items-end gap-3 border-b border-line bg-raised px-4 py-3"
      aria-label="Change selected contacts"
    >
      <span className="pb-1.5 text-13 font-medium">{ids.length} selected</span>
      <SelectField label="Status" name="status" defaultValue="" fieldClassName="w-36">
        <option value="">Keep</option>
        <Options of={statuses.map((each) => [each, capital(each)])} />
      </SelectField>
      <TextField label="Add tag" name="add" maxLength={40} fieldClassName="w-32" />
      <TextField label="Remove tag" name="remove" maxLength={40} fieldClassName="w-32" />
      {fields.length ? (
        <SelectField label="Set field" value={fieldId} onChange={(event) => setFieldId(event.target.value)} fieldClassName="w-36">
          <option value="">Keep</option>
          <Options of={fields.map(({ id, name }) => [id, name])} />
        </SelectField>
      ) : null}
      {field ? <FieldInput key={field.id} field={field} name="value" label={`${field.name} becomes`} /> : null}
      <Button type="submit" busy={busy}>
        Apply
      </Button>
      <AddToSequence ids={ids} onAdded={clear} />
      <Button variant="ghost" onClick={clear}>
        Clear selection
      </Button>
    </form>
  )
}
