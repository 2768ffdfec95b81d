import { useState } from 'react'
import { useCall } from '../../api/call.ts'
import { Choices } from '../../ui/Choices.tsx'
import { Stat, StatRow } from '../../ui/Data.tsx'
import { day, money } from '../../ui/format.ts'
import { EmptyState, ErrorState, Panel } from '../../ui/Panel.tsx'

const spans = [7, 30, 90] as const

/** A product's visitors and sales. A view stores a day and a site, and nothing about the visitor. */
export function Analytics({ itemId }: { itemId: string }) {
  const [days, setDays] = useState<(typeof spans)[number]>(30)
  const asked = useCall(
    'product-analytics',
    { item_id: itemId, days },
    { key: ['product-analytics', itemId, days], placeholderData: (before) => before },
  )
  const { data } = asked
  const most = Math.max(1, ...(data?.days.map(({ views }) => views) ?? []))
  if (asked.isError)
    return (
      <Panel flush className="mt-5">
        <ErrorState title="The figures could not be loaded" error={asked.error} retry={() => asked.refetch()} />
      </Panel>
    )
  return (
    <div className="flex flex-col gap-6 pt-5">
      <Choices label="Time range" of={spans} chosen={days} choose={setDays}>
        {(span) => `${span} days`}
      </Choices>
      <StatRow>
        <Stat label="Views" value={data?.views.toLocaleString('en-US')} loading={!data} />
        <Stat
          label="Sales"
          value={data?.sales.toLocaleString('en-US')}
          note={data ? (data.conversion_pct === null ? 'No views yet' : `${data.conversion_pct}% of views`) : undefined}
          loading={!data}
        />
        <Stat label="Refunds" value={data?.refunds.toLocaleString('en-US')} loading={!data} />
        <Stat label="Revenue" value={data && money(data.revenue_cents, data.currency)} loading={!data} />
      </StatRow>
      <div className="grid gap-6 lg:grid-cols-3">
        <Panel title="Views by day" className="lg:col-span-2">
          {data && !data.views ? (
            <p className="text-13 text-muted">Nobody has looked at it in this time. Share its link to bring the first visitors.</p>
          ) : (
            <div
              role="img"
              aria-label={`Views by day, at most ${most}. ${data?.views ?? 0} in ${days} days`}
              className="flex h-32 items-end gap-px"
            >
              {data?.days.map((row) => (
                <span
                  key={row.day}
                  title={`${day(`${row.day}T12:00:00`)}: ${row.views} views, ${row.sales} sales`}
                  className="relative min-w-px flex-1 rounded-t-[2px] bg-raised"
                  style={{ height: `${Math.max(2, (row.views / most) * 100)}%` }}
                >
                  <span
                    className="absolute inset-x-0 bottom-0 rounded-t-[2px] bg-signal-text"
                    style={{ height: row.views ? `${Math.min(100, (row.sales / row.views) * 100)}%` : 0 }}
                  />
                </span>
              ))}
            </div>
          )}
          <p className="mt-3 text-12 text-faint">
            The filled part of a bar is the sales of that day. Views are counted without cookies; visitors whose browser runs no scripts are
            not counted.
          </p>
        </Panel>
        <Panel title="Where visitors came from" flush>
          {data?.referrers.length ? (
            <ul className="divide-y divide-line">
              {data.referrers.map(({ referrer, views }) => (
                <li key={referrer} className="flex justify-between gap-3 px-4 py-2 text-13">
                  <span className="min-w-0 truncate">{referrer || 'Directly, or not told'}</span>
                  <span className="font-mono text-12 text-muted tabular">{views.toLocaleString('en-US')}</span>
                </li>
              ))}
            </ul>
          ) : (
            <EmptyState compact title="No visitors yet">
              The sites that lead here are listed by name.
            </EmptyState>
          )}
        </Panel>
      </div>
    </div>
  )
}
