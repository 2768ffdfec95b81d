import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { call, useCall } from '../../api/call.ts'
import { Button } from '../../ui/Button.tsx'
import { day } from '../../ui/format.ts'
import { Busy } from '../../ui/Mark.tsx'
import { ErrorState } from '../../ui/Panel.tsx'
import { attempt } from '../../ui/toast.tsx'
import type { Run } from './imports.ts'
import { newKey } from './queries.ts'

const runKey = (id: string) => ['crm-import', id]
const isWorking = (run: Run | undefined) => run?.state === 'running' || run?.state === 'undoing'

/** Looks once a second until the work is done. The dialog can be closed meanwhile. */
function useRun(id: string, onDone: () => unknown) {
  const run = useQuery({
    queryKey: runKey(id),
    queryFn: ({ signal }) => call('show-import', { import_id: id }, { signal }),
    refetchInterval: ({ state }) => (isWorking(state.data) ? 1000 : false),
  })
  // By its state, since an undo can be over before it is first looked at.
  const ended = isWorking(run.data) ? undefined : run.data?.state
  useEffect(() => {
    if (ended) onDone()
  }, [ended, onDone])
  return run
}

export function Merged({ id, onDone }: { id: string; onDone: () => unknown }) {
  const run = useRun(id, onDone)
  if (run.isError) return <ErrorState title="The import could not be looked at" error={run.error} retry={() => run.refetch()} />
  if (!run.data || isWorking(run.data))
    return (
      <p className="flex items-center gap-3 text-13" role="status">
        <Busy />
        {run.data?.state === 'undoing' ? 'Undoing the import.' : 'Importing.'} You can close this; it goes on.
      </p>
    )
  return (
    <div className="flex flex-col items-start gap-3 text-13" role="status">
      <p>{outcomeOf(run.data)}</p>
      {run.data.state === 'done' ? <UndoButton id={id} /> : null}
    </div>
  )
}

function UndoButton({ id, onBegun }: { id: string; onBegun?: () => void }) {
  const queries = useQueryClient()
  const [busy, setBusy] = useState(false)
  async function undo() {
    setBusy(true)
    await attempt('The import was not undone', async () => {
      queries.setQueryData(runKey(id), await call('undo-import', { import_id: id }, { idempotencyKey: newKey() }))
      onBegun?.()
    })
    setBusy(false)
  }
  return (
    <Button busy={busy} onClick={undo}>
      Undo import
    </Button>
  )
}

function outcomeOf({ state, added, changed, undone }: Run): string {
  const count = (n: number) => n.toLocaleString('en-US')
  if (state === 'failed') return 'Nothing was imported: an account holds at most 250,000 contacts.'
  if (undone)
    return `Undone: ${count(undone.removed)} removed, ${count(undone.restored)} restored${undone.kept ? `, ${count(undone.kept)} kept because they were changed since` : ''}.`
  return `${count(added)} added, ${count(changed)} changed.`
}

/** The imports of the last 30 days, each with its way back. */
export function PastImports({ onChanged }: { onChanged: () => unknown }) {
  const past = useCall('list-imports', {}, { key: ['crm', 'imports'] })
  const [undoing, setUndoing] = useState<string | null>(null)
  if (past.isError) return <ErrorState title="Earlier imports could not be loaded" error={past.error} retry={() => past.refetch()} />
  if (!past.data?.imports.length) return null
  return (
    <section>
      <h3 className="mb-1 text-13 font-medium">Earlier imports</h3>
      <ul className="text-13">
        {past.data.imports.map((run) => (
          <li key={run.import_id} className="flex items-center gap-3 border-t border-line py-2">
            <span className="min-w-0 flex-1">
              <span className="block truncate">{run.file_name}</span>
              {undoing === run.import_id ? (
                <Merged id={run.import_id} onDone={onChanged} />
              ) : (
                <span className="text-12 text-faint">
                  {day(run.at)}. {isWorking(run) ? 'Working on it.' : outcomeOf(run)}
                </span>
              )}
            </span>
            {run.state === 'done' && undoing !== run.import_id ? (
              <UndoButton id={run.import_id} onBegun={() => setUndoing(run.import_id)} />
            ) : null}
          </li>
        ))}
      </ul>
    </section>
  )
}
