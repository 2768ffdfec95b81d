import { texts } from '@operon/contracts/messages'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import { Stat, StatRow } from '../../ui/Data.tsx'
import { day, money } from '../../ui/format.ts'
import { EmptyState, ErrorState, Panel, Skeleton } from '../../ui/Panel.tsx'
import { attempt } from '../../ui/toast.tsx'
import { Filters } from './Filters.tsx'
import { type Span, useAdAnalytics } from './queries.ts'

export function AdAnalytics({ days, change }: { days: Span; change: (values: Record<string, string>) => void }) {
  const queries = useQueryClient()
  const asked = useAdAnalytics(days)
  const [refreshing, setRefreshing] = useState(false)
  async function refresh() {
    setRefreshing(true)
    await attempt('The figures were not fetched', async () =>
      queries.setQueryData(['meta-ads', 'analytics', days], await call('meta-ads-analytics', { days, refresh: true })),
    )
    setRefreshing(false)
  }
  const accounts = asked.data?.analytics
  return (
    <div className="flex flex-col gap-6 pt-6">
      <Filters
        days={days}
        change={change}
        fetchedAt={accounts?.[0]?.fetched_at}
        onRefresh={refresh}
        busy={refreshing || asked.isFetching}
      />
      {asked.isPending ? <Skeleton className="h-64" /> : null}
      {asked.isError ? (
        <Panel flush>
          <ErrorState title={texts.metaUnavailable} error={asked.error} retry={() => asked.refetch()} />
        </Panel>
      ) : null}
      {accounts && !accounts.length ? (
        <Panel flush>
          <EmptyState title="No recent data">{texts.metaNoData}</EmptyState>
        </Panel>
      ) : null}
      {accounts?.map((each) => {
        const { totalSpend, totalImpressions, totalClicks, totalConversions } = each.summary
        const count = (value: number) => value.toLocaleString('en-US')
        const cents = Math.round(totalSpend * 100)
        return (
          <section key={each.account_id} aria-label={each.account} className="flex flex-col gap-6">
            {accounts.length > 1 ? <h2 className="text-16 font-semibold">{each.account}</h2> : null}
            <StatRow>
              <Stat label="Spent" value={money(cents, each.currency)} />
              <Stat label="Impressions" value={count(totalImpressions)} />
              <Stat
                label="Clicks"
                value={count(totalClicks)}
                note={totalImpressions ? `${((100 * totalClicks) / totalImpressions).toFixed(2)}% of impressions` : undefined}
              />
              <Stat
                label="Conversions"
                value={count(totalConversions)}
                note={totalConversions ? `${money(Math.round(cents / totalConversions), each.currency)} each` : undefined}
              />
            </StatRow>
            <div className="grid gap-6 lg:grid-cols-2">
              <Bars title="Spent by day" rows={each.days} of={(row) => row.spent_cents} say={(value) => money(value, each.currency)} />
              <Bars title="Conversions by day" rows={each.days} of={(row) => row.conversions} say={count} />
              <Bars title="Clicks by day" rows={each.days} of={(row) => row.clicks} say={count} />
              <Bars title="Impressions by day" rows={each.days} of={(row) => row.impressions} say={count} />
            </div>
          </section>
        )
      })}
    </div>
  )
}

type DayRow = { date: string; spent_cents: number; impressions: number; clicks: number; conversions: number }
type BarsProps = { title: string; rows: DayRow[]; of: (row: DayRow) => number; say: (value: number) => string }
function Bars({ title, rows, of, say }: BarsProps) {
  const most = Math.max(1, ...rows.map(of))
  const total = rows.reduce((sum, row) => sum + of(row), 0)
  const at = (row: DayRow | undefined) => (row ? day(`${row.date}T12:00:00`) : '')
  return (
    <Panel title={title} actions={<span className="font-mono text-12 text-muted tabular">most {say(most)}</span>}>
      <div
        role="img"
        aria-label={`${title}: ${say(total)} in ${rows.length} days, at most ${say(most)} a day`}
        className="flex h-28 items-end gap-px"
      >
        {rows.map((row) => (
          <span
            key={row.date}
            title={`${at(row)}: ${say(of(row))}`}
            className="min-w-px flex-1 rounded-t-[2px] bg-signal-text hover:bg-text"
            style={{ height: `${Math.max(1, (of(row) / most) * 100)}%` }}
          />
        ))}
      </div>
      <p className="mt-2 flex justify-between text-12 text-faint">
        <span>{at(rows[0])}</span>
        <span>{at(rows.at(-1))}</span>
      </p>
    </Panel>
  )
}
