import { useState } from 'react'
import { call } from '../../api/call.ts'
import { Button, FileButton } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { SelectField } from '../../ui/Field.tsx'
import { useFields } from '../../ui/ownFields.ts'
import { Alert } from '../../ui/Panel.tsx'
import { attempt } from '../../ui/toast.tsx'
import { Merged, PastImports } from './ImportRun.tsx'
import { type Checked, type Field, fieldNames, fields, guess, guessOwn, readSheet, type Sheet, upload } from './imports.ts'
import { newKey, useRefresh } from './queries.ts'

type OnMatch = 'fill' | 'overwrite' | 'skip'

/** A file, its columns, what would happen, and then it happens. */
export function ImportDialog({ onClose }: { onClose: () => void }) {
  const refresh = useRefresh()
  const [sheet, setSheet] = useState<Sheet | null>(null)
  const [mapping, setMapping] = useState<Partial<Record<Field, number>>>({})
  const own = useFields()
  const [ownMapping, setOwnMapping] = useState<Record<string, number>>({})
  const [onMatch, setOnMatch] = useState<OnMatch>('fill')
  const [importId, setImportId] = useState<string | null>(null)
  const [checked, setChecked] = useState<Checked | null>(null)
  const [running, setRunning] = useState<string | null>(null)
  const [busy, setBusy] = useState<string | false>(false)

  const take = ([file]: File[]) =>
    attempt('The file could not be read', async () => {
      if (!file) return
      const read = await readSheet(file)
      setSheet(read)
      setMapping(guess(read.columns))
      setOwnMapping(guessOwn(read.columns, own))
      setImportId(null)
      setChecked(null)
    })
  async function check() {
    if (!sheet) return
    setBusy('Uploading')
    await attempt('The file could not be checked', async () => {
      const id = importId ?? (await upload(sheet, (share) => setBusy(`Uploading, ${Math.round(share * 100)}%`)))
      setImportId(id)
      setBusy('Checking')
      setChecked(await call('check-import', { import_id: id, mapping, fields: ownMapping, on_match: onMatch }))
    })
    setBusy(false)
  }
  async function run() {
    setBusy('Starting')
    await attempt('The import did not start', async () => {
      await call('run-import', { import_id: importId! }, { idempotencyKey: newKey() })
      setRunning(importId)
    })
    setBusy(false)
  }
  const willDo = checked ? checked.counts.new + checked.counts.changed : 0
  const isMapped = mapping.name !== undefined || mapping.email !== undefined
  return (
    <Dialog
      open
      side="right"
      onClose={onClose}
      title="Import contacts"
      footer={
        running ? (
          <Button variant="primary" onClick={onClose}>
            Close
          </Button>
        ) : sheet ? (
          <>
            {checked ? <Button onClick={() => setChecked(null)}>Change columns</Button> : null}
            {checked ? (
              <Button variant="primary" busy={busy} disabled={!willDo} onClick={run}>
                Import {willDo.toLocaleString('en-US')} {willDo === 1 ? 'contact' : 'contacts'}
              </Button>
            ) : (
              <Button variant="primary" busy={busy} disabled={!isMapped} onClick={check}>
                Check the file
              </Button>
            )}
          </>
        ) : null
      }
    >
      {running ? <Merged id={running} onDone={refresh} /> : null}
      {!running && !sheet ? (
        <div className="flex flex-col gap-6">
          <p className="text-13 text-muted">
            A CSV file with headings in its first row, up to 100,000 rows. Nothing changes before you have seen what it would do, and an
            import can be undone for 30 days.
          </p>
          <div>
            <FileButton accept=".csv,text/csv" onFiles={take}>
              Choose a file
            </FileButton>
          </div>
          <PastImports onChanged={refresh} />
        </div>
      ) : null}
      {!running && sheet && !checked ? (
        <Columns
          sheet={sheet}
          mapping={mapping}
          setMapping={setMapping}
          ownMapping={ownMapping}
          setOwnMapping={setOwnMapping}
          onMatch={onMatch}
          setOnMatch={setOnMatch}
        />
      ) : null}
      {!running && checked ? <Outcome checked={checked} /> : null}
    </Dialog>
  )
}

type ColumnsProps = {
  sheet: Sheet
  mapping: Partial<Record<Field, number>>
  setMapping: (mapping: Partial<Record<Field, number>>) => void
  /** By the ids of fields of one's own. */
  ownMapping: Record<string, number>
  setOwnMapping: (mapping: Record<string, number>) => void
  onMatch: OnMatch
  setOnMatch: (onMatch: OnMatch) => void
}
function Columns({ sheet, mapping, setMapping, ownMapping, setOwnMapping, onMatch, setOnMatch }: ColumnsProps) {
  const own = useFields()
  function chooseOwn(id: string, value: string) {
    const { [id]: _, ...others } = ownMapping
    setOwnMapping(value === '' ? others : { ...others, [id]: Number(value) })
  }
  function choose(field: Field, value: string) {
    const { [field]: _, ...others } = mapping
    setMapping(value === '' ? others : { ...others, [field]: Number(value) })
  }
  return (
    <div className="flex flex-col gap-4">
      <p className="text-13">
        {sheet.fileName}: {sheet.rows.length.toLocaleString('en-US')} {sheet.rows.length === 1 ? 'row' : 'rows'}
      </p>
      <div className="grid gap-4 sm:grid-cols-2">
        {fields.map((field) => (
          <ColumnChoice
            key={field}
            label={fieldNames[field]}
            sheet={sheet}
            at={mapping[field]}
            onChange={(value) => choose(field, value)}
          />
        ))}
        {own.map(({ id, name }) => (
          <ColumnChoice key={id} label={name} sheet={sheet} at={ownMapping[id]} onChange={(value) => chooseOwn(id, value)} />
        ))}
      </div>
      <SelectField
        label="If a contact is here already"
        value={onMatch}
        onChange={(event) => setOnMatch(event.target.value as OnMatch)}
        hint="A contact is recognized by the email address."
      >
        <option value="fill">Fill in what is empty</option>
        <option value="overwrite">Overwrite with the file</option>
        <option value="skip">Leave it as it is</option>
      </SelectField>
      {mapping.name === undefined && mapping.email === undefined ? (
        <Alert tone="warn">Choose the column of the name or of the email address.</Alert>
      ) : null}
    </div>
  )
}

type ChoiceProps = { label: string; sheet: Sheet; at: number | undefined; onChange: (value: string) => void }
function ColumnChoice({ label, sheet, at, onChange }: ChoiceProps) {
  return (
    <SelectField
      label={label}
      value={at ?? ''}
      hint={at === undefined ? undefined : `First row: ${sheet.rows[0]?.[at] || 'empty'}`}
      onChange={(event) => onChange(event.target.value)}
    >
      <option value="">Not in the file</option>
      {sheet.columns.map((name, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two columns may have one heading, and their order stays
        <option key={index} value={index}>
          {name || `Column ${index + 1}`}
        </option>
      ))}
    </SelectField>
  )
}

const actions = [
  ['new', 'New'],
  ['changed', 'Changed'],
  ['same', 'No change'],
  ['refused', 'Left out'],
] as const

function Outcome({ checked: { counts, rows } }: { checked: Checked }) {
  return (
    <div className="flex flex-col gap-5">
      <dl className="grid grid-cols-2 gap-px overflow-hidden rounded-panel border border-line bg-line sm:grid-cols-4">
        {actions.map(([action, label]) => (
          <div key={action} className="bg-panel px-4 py-3">
            <dt className="text-12 text-muted">{label}</dt>
            <dd className="text-20 font-semibold tabular">{counts[action].toLocaleString('en-US')}</dd>
          </div>
        ))}
      </dl>
      {actions.map(([action, label]) => {
        const shown = rows.filter((row) => row.action === action)
        if (!shown.length) return null
        return (
          <section key={action}>
            <h3 className="mb-1 text-13 font-medium">
              {label}
              {counts[action] > shown.length ? `: the first ${shown.length}` : ''}
            </h3>
            <ul className="text-13">
              {shown.map(({ row, name, email, reason }) => (
                <li key={row} className="flex gap-3 border-t border-line py-1.5 first:border-t-0">
                  <span className="w-16 shrink-0 text-12 text-faint tabular">Row {row}</span>
                  <span className="min-w-0 flex-1 break-words">
                    {[name, email].filter(Boolean).join(', ') || 'Empty'}
                    {reason ? <span className="block text-12 text-bad">{reason}</span> : null}
                  </span>
                </li>
              ))}
            </ul>
          </section>
        )
      })}
    </div>
  )
}
