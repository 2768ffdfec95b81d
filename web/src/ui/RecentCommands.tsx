import { useRecentActivity } from '../api/activity.ts'
import { ActivityList } from './Data.tsx'
import { ago } from './format.ts'
import { Asked, EmptyState, Panel } from './Panel.tsx'

/** The last five commands, each cut to 50 characters. */
type Props = { userId: string; title: string; empty: string /** Without a panel of its own, at the foot of a list. */; bare?: boolean }
export function RecentCommands({ userId, title, empty, bare }: Props) {
  const activity = useRecentActivity(userId)
  const entries = (
    <>
      <Asked query={activity} skeleton="m-4 h-24" failed="The activity could not be loaded" />
      {activity.data?.length === 0 ? (
        <EmptyState compact title="Nothing has happened yet">
          {empty}
        </EmptyState>
      ) : null}
      {activity.data?.length ? (
        <ActivityList
          entries={activity.data.map(({ id, command, status, link, created_at }) => {
            const [said = '', detail] = command.split('\n')
            return { id, text: said.slice(0, 50), detail, status: status ?? 'completed', at: ago(created_at), link }
          })}
        />
      ) : null}
    </>
  )
  if (!bare)
    return (
      <Panel title={title} flush>
        {entries}
      </Panel>
    )
  return (
    <section className="max-h-64 shrink-0 overflow-y-auto border-t border-line">
      <h2 className="px-4 pt-3 text-13 font-semibold">{title}</h2>
      {entries}
    </section>
  )
}
