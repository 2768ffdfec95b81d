import type { CallReply } from '@operon/contracts/calls'
import { type FormEvent, useState } from 'react'
import { call, useCall } from '../../../api/call.ts'
import { Button } from '../../../ui/Button.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { Checkbox, Options, SelectField } from '../../../ui/Field.tsx'
import { Alert, Asked } from '../../../ui/Panel.tsx'
import { toast } from '../../../ui/toast.tsx'
import { type Kind, type Sync, typesOf, words } from './kinds.ts'

export type Connection = CallReply<'list-connections'>['connections'][number]
type Found = CallReply<'propose-notion-sync'>

type Props = { kind: Kind; connections: Connection[]; sync: Sync | null; onClose: () => void; onStarted: () => Promise<unknown> }

export function StartSync({ kind, connections, sync, onClose, onStarted }: Props) {
  const [connection, setConnection] = useState(sync?.connection_id ?? connections[0]!.id)
  const [database, setDatabase] = useState(sync?.database_id ?? '')
  const asked = { app: 'notion' as const, action: 'list-databases', input: { limit: 100 }, connection_id: connection }
  const listed = useCall('read-from-app', asked, { key: ['notion', 'databases of', connection], retry: false })
  const columns = useCall(
    'propose-notion-sync',
    { kind, connection_id: connection, database_id: database },
    { key: ['notion', 'columns', kind, connection, database], enabled: Boolean(database), retry: false },
  )
  return (
    <Dialog open onClose={onClose} title={`Sync ${kind} with Notion`}>
      <div className="flex flex-col gap-4 text-13">
        {connections.length > 1 ? (
          <SelectField
            label="Workspace"
            value={connection}
            onChange={(event) => {
              setConnection(event.target.value)
              setDatabase('')
            }}
          >
            <Options of={connections.map(({ id, account }) => [id, account])} />
          </SelectField>
        ) : null}
        <Asked query={listed} skeleton="h-12" failed="The databases could not be loaded" />
        {listed.data ? (
          <SelectField label="Database" value={database} onChange={(event) => setDatabase(event.target.value)}>
            <option value="">Choose one</option>
            <Options of={listed.data.rows.map(({ id, title }) => [id, title])} />
          </SelectField>
        ) : null}
        {database ? <Asked query={columns} skeleton="h-48" failed="The columns could not be loaded" /> : null}
        {database && columns.data ? (
          <Match
            key={`${connection} ${database}`}
            kind={kind}
            found={columns.data}
            place={{ connection_id: connection, database_id: database }}
            sync={sync}
            onClose={onClose}
            onStarted={onStarted}
          />
        ) : null}
      </div>
    </Dialog>
  )
}

type MatchProps = { found: Found; place: { connection_id: string; database_id: string } } & Pick<
  Props,
  'kind' | 'sync' | 'onClose' | 'onStarted'
>

function Match({ kind, found, place, sync, onClose, onStarted }: MatchProps) {
  const isSame = sync?.connection_id === place.connection_id && sync.database_id === place.database_id
  const { one, fields, needed, labels, missing, adds: addsWords, begins } = words[kind]
  const kept = isSame ? Object.fromEntries(fields.map((field) => [field, sync.columns[field] ?? null])) : found.proposal
  const [chosen, setChosen] = useState<Found['proposal']>(kept)
  const [adds, setAdds] = useState(sync?.adds ?? true)
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string | null>(null)
  const isReady = needed.every((field) => chosen[field])
  async function start(event: FormEvent) {
    event.preventDefault()
    if (!isReady) return
    setBusy(true)
    setProblem(null)
    try {
      await call('start-notion-sync', { kind, ...place, columns: chosen, adds }, { idempotencyKey: crypto.randomUUID() })
      toast.success('Syncing with Notion')
      await onStarted()
      onClose()
    } catch (error) {
      setProblem((error as Error).message)
      setBusy(false)
    }
  }
  return (
    <form onSubmit={start} className="flex flex-col gap-4">
      {problem ? <Alert title="The sync did not start">{problem}</Alert> : null}
      <fieldset className="grid gap-3 sm:grid-cols-2">
        <legend className="mb-2 text-muted">
          Columns of “{found.title}” for each field of a {one}
        </legend>
        {fields.map((field) => (
          <SelectField
            key={field}
            label={labels[field]}
            value={chosen[field] ?? ''}
            onChange={(event) => setChosen((values) => ({ ...values, [field]: event.target.value || null }))}
          >
            <option value="">{needed.includes(field) ? 'Choose one' : 'Not synced'}</option>
            <Options of={found.columns.filter(({ type }) => typesOf(field).includes(type)).map((column) => [column.id, column.name])} />
          </SelectField>
        ))}
      </fieldset>
      {isReady ? null : <p className="text-muted">{missing}</p>}
      <Checkbox checked={adds} onChange={(event) => setAdds(event.target.checked)}>
        {addsWords}
      </Checkbox>
      <p className="text-muted">
        {begins} A field with two different values is listed for you to decide. Up to 10,000 {kind} are synced.
      </p>
      <Button type="submit" variant="primary" className="self-start" busy={busy ? 'Starting' : false} disabled={!isReady}>
        Start syncing
      </Button>
    </form>
  )
}
