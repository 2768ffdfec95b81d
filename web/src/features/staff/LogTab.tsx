import { useQuery } from '@tanstack/react-query'
import { Asked, Panel } from '../../ui/Panel.tsx'
import { ActionsTable } from './ActionsTable.tsx'
import { listActions } from './queries.ts'

export function LogTab() {
  const log = useQuery({ queryKey: ['staff-actions'], queryFn: listActions, staleTime: 0 })
  return (
    <div className="pt-5">
      <Panel title="The last actions of all staff" flush>
        <Asked query={log} skeleton="m-4 h-40" failed="The log could not be read" />
        {log.data ? <ActionsTable actions={log.data.actions} everybody /> : null}
        {log.data?.more ? <p className="px-4 py-3 text-12 text-faint">These are the newest {log.data.actions.length}.</p> : null}
      </Panel>
    </div>
  )
}
