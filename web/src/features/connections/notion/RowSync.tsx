import type { CallReply } from '@operon/contracts/calls'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call, useCall } from '../../../api/call.ts'
import { useSession } from '../../../api/session.ts'
import { Button } from '../../../ui/Button.tsx'
import { Stat, StatRow } from '../../../ui/Data.tsx'
import { Confirm } from '../../../ui/Dialog.tsx'
import { ago } from '../../../ui/format.ts'
import { Alert, Asked, EmptyState, Panel } from '../../../ui/Panel.tsx'
import { attempt, toast } from '../../../ui/toast.tsx'
import { type Kind, readable, type Sync, words } from './kinds.ts'
import { type Connection, StartSync } from './StartSync.tsx'
import { TwoSides } from './TwoSides.tsx'

type Conflict = CallReply<'list-notion-conflicts'>['conflicts'][number]
const newKey = () => ({ idempotencyKey: crypto.randomUUID() })

/** The contacts or the tasks, and one database of a connected workspace, held level. */
export function RowSync({ kind, connections }: { kind: Kind; connections: Connection[] }) {
  const { user } = useSession()
  const queries = useQueryClient()
  const key = ['notion-sync', kind, user?.id]
  const asked = useCall('show-notion-sync', { kind }, { key, refetchInterval: 5_000 })
  const [starting, setStarting] = useState(false)
  const reload = () => queries.invalidateQueries({ queryKey: ['notion-sync'] })
  const sync = asked.data?.sync
  return (
    <div className="flex flex-col gap-4 pt-6">
      <Asked query={asked} skeleton="h-40" failed="The sync could not be loaded" />
      {asked.data && !sync ? (
        <Panel flush>
          <EmptyState
            title={words[kind].title}
            action={
              <Button variant="primary" onClick={() => setStarting(true)}>
                Choose a database
              </Button>
            }
          >
            {words[kind].empty} Nothing is deleted on either side.
          </EmptyState>
        </Panel>
      ) : null}
      {sync ? <Running sync={sync} onChanged={reload} onChoose={() => setStarting(true)} /> : null}
      {starting ? (
        <StartSync kind={kind} connections={connections} sync={sync ?? null} onClose={() => setStarting(false)} onStarted={reload} />
      ) : null}
    </div>
  )
}

function Running({ sync, onChanged, onChoose }: { sync: Sync; onChanged: () => Promise<unknown>; onChoose: () => void }) {
  const { id, kind, title, synced_at, failure, linked, conflicts, unlinked, skipped } = sync
  const [stopping, setStopping] = useState(false)
  const [busy, setBusy] = useState(false)
  async function run() {
    setBusy(true)
    await attempt('The sync did not start', async () => {
      await call('run-notion-sync', { sync_id: id }, newKey())
      await onChanged()
    })
    setBusy(false)
  }
  async function stop() {
    await call('stop-notion-sync', { sync_id: id }, newKey())
    toast.success(`Stopped. Your ${kind} and rows stay as they are`)
    await onChanged()
  }
  const when = synced_at ? (ago(synced_at) === 'now' ? 'Synced just now' : `Synced ${ago(synced_at)} ago`) : 'Syncing for the first time'
  return (
    <>
      {failure ? (
        <Alert tone="warn" title="The last sync did not finish">
          {failure} It is tried again every few minutes.
        </Alert>
      ) : null}
      <StatRow>
        <Stat label={words[kind].counted} value={linked.toLocaleString('en-US')} />
        <Stat label="Conflicts" value={conflicts.toLocaleString('en-US')} />
        <Stat label="Deleted on one side" value={unlinked.toLocaleString('en-US')} />
        <Stat label="Rows not synced" value={skipped.toLocaleString('en-US')} />
      </StatRow>
      <Panel
        title={`${kind === 'tasks' ? 'Tasks' : 'Contacts'} and “${title}”`}
        actions={
          <Button busy={busy ? 'Starting' : false} onClick={run}>
            Sync now
          </Button>
        }
      >
        <div className="flex flex-col gap-3 text-13">
          <p role="status">{when}. Both sides are compared every few minutes.</p>
          {unlinked ? (
            <p className="text-muted">
              {unlinked === 1 ? `One ${words[kind].one} was` : `${unlinked} ${kind} were`} deleted here or in Notion. The other side stays
              as it is and is not synced any more.
            </p>
          ) : null}
          {skipped ? (
            <p className="text-muted">
              {skipped === 1 ? 'One row has' : `${skipped} rows have`} {words[kind].skipped}
            </p>
          ) : null}
          <p className="flex flex-wrap gap-2">
            <Button onClick={onChoose}>Change database or columns</Button>
            <Button variant="ghost" onClick={() => setStopping(true)}>
              Stop syncing
            </Button>
          </p>
        </div>
      </Panel>
      {conflicts ? <Conflicts kind={kind} syncId={id} count={conflicts} onChanged={onChanged} /> : null}
      <Confirm open={stopping} onClose={() => setStopping(false)} title={`Stop syncing ${kind}?`} action="Stop syncing" onConfirm={stop}>
        Your {kind} and the rows in Notion stay as they are. Changes are not carried over any more.
      </Confirm>
    </>
  )
}

type Changed = { kind: Kind; onChanged: () => Promise<unknown> }
function Conflicts({ kind, syncId, count, onChanged }: { syncId: string; count: number } & Changed) {
  const asked = useCall('list-notion-conflicts', { sync_id: syncId }, { key: ['notion-sync', 'conflicts', syncId, count] })
  return (
    <Panel title="Different here and in Notion" flush>
      <Asked query={asked} skeleton="m-4 h-24" failed="The conflicts could not be loaded" />
      <ul className="divide-y divide-line" aria-label="Conflicts">
        {asked.data?.conflicts.map((conflict) => (
          <ConflictRow key={conflict.id} kind={kind} conflict={conflict} onChanged={onChanged} />
        ))}
      </ul>
    </Panel>
  )
}

function ConflictRow({ kind, conflict: { id, name, fields }, onChanged }: { conflict: Conflict } & Changed) {
  const [busy, setBusy] = useState(false)
  async function keep(side: 'here' | 'there') {
    setBusy(true)
    await attempt('Nothing was changed', async () => {
      await call('settle-notion-conflict', { link_id: id, keep: side }, newKey())
      await onChanged()
    })
    setBusy(false)
  }
  return (
    <li className="flex flex-col gap-3 px-4 py-3 text-13">
      <h3 className="font-semibold break-words">{name}</h3>
      <TwoSides
        of={fields.map(({ field, here, there }) => ({
          ...{ field, label: words[kind].labels[field]! },
          ...{ there: readable(field, there), here: readable(field, here) },
        }))}
      />
      <p className="flex flex-wrap gap-2">
        <Button busy={busy} onClick={() => keep('here')}>
          Keep mine
        </Button>
        <Button busy={busy} onClick={() => keep('there')}>
          Keep Notion’s
        </Button>
      </p>
    </li>
  )
}
