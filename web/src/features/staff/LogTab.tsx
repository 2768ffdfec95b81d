import { useQuery } from '@tanstack/react-query'
import { ErrorState, Panel, Skeleton } from '../../ui/Panel.tsx'
import { ActionsTable } from './ActionsTable.tsx'
import { listActions } from './queries.ts'

export function LogTab() {
  const log = useQuery({ queryKey: ['staff-actions'], queryFn: listActions, staleTime: 0 })
  return (
    <div className="pt-5">
      <Panel title="The last actions of all staff" flush>
        {log.isPending ? <Skeleton className="m-4 h-40" /> : null}
        {log.isError ? <ErrorState title="The log could not be read" error={log.error} retry={() => log.refetch()} /> : null}
        {log.data ? <ActionsTable actions={log.data.actions} everybody /> : null}
        {log.data?.more ? <p className="px-4 py-3 text-12 text-faint">These are the newest {log.data.actions.length}.</p> : null}
      </Panel>
    </div>
  )
}
