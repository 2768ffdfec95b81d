import type { CallReply } from '@operon/contracts/calls'
import { Button } from '../../../ui/Button.tsx'
import { Stat, StatRow } from '../../../ui/Data.tsx'
import { ago } from '../../../ui/format.ts'
import { Asked, Panel } from '../../../ui/Panel.tsx'
import { PageRows } from './Pages.tsx'
import { useDatabases, usePages } from './queries.ts'

type Connection = CallReply<'list-connections'>['connections'][number]
const DAY_MS = 86_400_000

export function Overview({ connection, change }: { connection: Connection; change: (values: Record<string, string>) => void }) {
  const databases = useDatabases()
  const asked = usePages('', '')
  const pages = asked.data?.pages[0]?.pages
  const more = asked.data?.pages[0]?.cursor ? '+' : ''
  const dayAgo = Date.now() - DAY_MS
  const inAWeek = new Date(Date.now() + 7 * DAY_MS).toISOString().slice(0, 10)
  const count = (fits: (page: NonNullable<typeof pages>[number]) => boolean) => pages && `${pages.filter(fits).length}${more}`
  return (
    <div className="flex flex-col gap-6 pt-6">
      <StatRow>
        <Stat label="Databases" value={databases.data?.databases.length ?? '–'} loading={databases.isPending} />
        <Stat label="Pages" value={count(() => true) ?? '–'} loading={asked.isPending} />
        <Stat
          label="Edited in 24 hours"
          value={count(({ last_edited }) => Boolean(last_edited && Date.parse(last_edited) > dayAgo)) ?? '–'}
          loading={asked.isPending}
        />
        <Stat
          label="Due within 7 days"
          value={count(({ due_date, status }) => Boolean(due_date && due_date <= inAWeek && !/done|complete/i.test(status ?? ''))) ?? '–'}
          loading={asked.isPending}
        />
      </StatRow>
      <Panel
        title="Last edited"
        flush
        actions={
          <Button variant="ghost" onClick={() => change({ tab: 'pages' })}>
            All pages
          </Button>
        }
      >
        <Asked query={asked} skeleton="m-4 h-32" failed="Your pages could not be loaded" />
        {pages ? <PageRows pages={pages.slice(0, 5)} onOpen={(page) => change({ tab: 'pages', page })} /> : null}
      </Panel>
      <p className="text-13 text-muted" role="status">
        {asked.isFetching ? 'Reading from Notion…' : asked.data ? `Read from Notion ${spoken(ago(asked.dataUpdatedAt))}.` : 'Not read yet.'}{' '}
        This page reads again every minute, and writes the moment you save.
        {connection.state === 'degraded' ? ' The last call failed; the next one tries again.' : ''}
      </p>
    </div>
  )
}
const spoken = (since: string) => (since === 'now' ? 'just now' : `${since} ago`)
