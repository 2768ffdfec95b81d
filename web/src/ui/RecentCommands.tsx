import { useRecentActivity } from '../api/activity.ts'
import { ActivityList } from './Data.tsx'
import { ago } from './format.ts'
import { EmptyState, ErrorState, Panel, Skeleton } from './Panel.tsx'

/** The last five commands, each cut to 50 characters. */
export function RecentCommands({ userId, title, empty }: { userId: string; title: string; empty: string }) {
  const activity = useRecentActivity(userId)
  return (
    <Panel title={title} flush>
      {activity.isPending ? <Skeleton className="m-4 h-24" /> : null}
      {activity.isError ? (
        <ErrorState title="The activity could not be loaded" error={activity.error} retry={() => activity.refetch()} />
      ) : null}
      {activity.data?.length === 0 ? (
        <EmptyState compact title="Nothing has happened yet">
          {empty}
        </EmptyState>
      ) : null}
      {activity.data?.length ? (
        <ActivityList
          entries={activity.data.map(({ id, command, status, created_at }) => {
            const [said = '', detail] = command.split('\n')
            return { id, text: said.slice(0, 50), detail, status: status ?? 'completed', at: ago(created_at) }
          })}
        />
      ) : null}
    </Panel>
  )
}
