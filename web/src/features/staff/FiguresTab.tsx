import { plans } from '@operon/contracts/plans'
import { money } from '@operon/contracts/words'
import { useInfiniteQuery } from '@tanstack/react-query'
import { ChevronRight } from 'lucide-react'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import { Dialog } from '../../ui/Dialog.tsx'
import { moment } from '../../ui/format.ts'
import { Asked, EmptyState, ErrorState, Panel } from '../../ui/Panel.tsx'
import { ShowMore } from '../../ui/ShowMore.tsx'
import type { Figure, Figures } from './queries.ts'
import { ReasonForm } from './ReasonForm.tsx'
import type { LookUp } from './useLookUp.ts'

const usd = (amount_cents: number) => money({ amount_cents, currency: 'usd' })
const accounts = (count: number) => `${count.toLocaleString('en-US')} ${count === 1 ? 'account' : 'accounts'}`
const share = (part: number, whole: number) => (whole ? `${((part / whole) * 100).toFixed(1)}%` : 'none yet')

/** How the subscriptions do. Each figure opens the accounts that it counts. */
export function FiguresTab({ lookUp }: { lookUp: LookUp<string, Figures> }) {
  const { busy, asked, found, error, ask } = lookUp
  const [reason, setReason] = useState(asked ?? '')
  const [open, setOpen] = useState<{ figure: Figure; title: string }>()
  const show = () => ask(reason.trim())
  return (
    <div className="flex flex-col gap-5 pt-5">
      <ReasonForm reason={reason} onChange={setReason} onAsk={show} ask="Show the figures" busy={busy} />
      <Panel title="Subscriptions" flush>
        {error ? <ErrorState title="The figures could not be shown" error={error} retry={show} /> : null}
        {found ? (
          <>
            <ul className="divide-y divide-line text-13">
              {linesOf(found).map((line) => (
                <li key={line.title}>
                  <button
                    type="button"
                    onClick={() => setOpen(line)}
                    className="grid min-h-11 w-full grid-cols-[1fr_auto_auto] items-center gap-x-4 px-4 py-2.5 text-left outline-offset-[-2px] hover:bg-raised"
                  >
                    <span>
                      {line.title}
                      <span className="block text-12 text-faint">{line.note}</span>
                    </span>
                    <span className="text-right font-mono text-12 tabular">{line.value}</span>
                    <ChevronRight aria-hidden="true" className="size-4 text-faint" />
                  </button>
                </li>
              ))}
            </ul>
            <p className="border-line border-t px-4 py-2.5 text-12 text-faint">Counted {moment(found.counted_at)}</p>
          </>
        ) : error ? null : (
          <EmptyState compact title="Not shown yet">
            Monthly revenue, payments that are missing, churn and trial conversion, each with the accounts behind it.
          </EmptyState>
        )}
      </Panel>
      {open ? <RowsPanel {...open} reason={reason.trim()} onClose={() => setOpen(undefined)} /> : null}
    </div>
  )
}

type Line = { figure: Figure; title: string; note: string; value: string }
function linesOf({ mrr, trials, past_due, churn, conversion }: Figures): Line[] {
  const sum = (rows: { amount_cents: number; accounts: number }[], key: 'amount_cents' | 'accounts') =>
    rows.reduce((all, row) => all + row[key], 0)
  const byPlan = mrr.map(({ plan, accounts: count, amount_cents }) => `${nameOf(plan)}: ${accounts(count)}, ${usd(amount_cents)}`)
  const byAge = past_due
    .filter(({ accounts: count }) => count > 0)
    .map((row) => `${row.days} days: ${accounts(row.accounts)}, ${usd(row.amount_cents)}`)
  return [
    {
      figure: 'mrr',
      title: 'Monthly revenue',
      note: byPlan.length ? `${byPlan.join('; ')}. At the plans’ prices, before discounts; a year counts a twelfth` : 'Nobody pays yet',
      value: usd(sum(mrr, 'amount_cents')),
    },
    { figure: 'trials', title: 'Trials', note: 'Running now', value: trials.toLocaleString('en-US') },
    {
      figure: 'past_due',
      title: 'Missing payments',
      note: byAge.length ? byAge.join('; ') : 'None',
      value: usd(sum(past_due, 'amount_cents')),
    },
    {
      figure: 'churned',
      title: 'Churn',
      note: `${churn.ended.toLocaleString('en-US')} of ${accounts(churn.of)} that paid ended in 30 days`,
      value: share(churn.ended, churn.of),
    },
    {
      figure: 'converted',
      title: 'Trials that became plans',
      note: `${conversion.converted.toLocaleString('en-US')} of ${conversion.of.toLocaleString('en-US')} that ended in 90 days`,
      value: share(conversion.converted, conversion.of),
    },
    {
      figure: 'not_converted',
      title: 'Trials that did not',
      note: 'Ended in 90 days without a payment',
      value: (conversion.of - conversion.converted).toLocaleString('en-US'),
    },
  ]
}
const nameOf = (id: string | null) => plans.find((plan) => plan.id === id)?.name ?? 'No plan'

function RowsPanel({ figure, title, reason, onClose }: { figure: Figure; title: string; reason: string; onClose: () => void }) {
  const rows = useInfiniteQuery({
    queryKey: ['staff-figure', figure, reason],
    queryFn: ({ pageParam, signal }) => call('staff-figure-rows', { figure, reason, ...(pageParam && { cursor: pageParam }) }, { signal }),
    initialPageParam: '',
    getNextPageParam: (last) => last.cursor ?? undefined,
    staleTime: 0,
  })
  const shown = rows.data?.pages.flatMap((page) => page.rows) ?? []
  return (
    <Dialog open onClose={onClose} side="right" title={title}>
      <Asked query={rows} skeleton="h-28" failed="The accounts could not be listed" />
      {rows.data && shown.length === 0 ? <EmptyState compact title="No accounts" /> : null}
      <ul className="divide-y divide-line text-13">
        {shown.map((row) => (
          <li key={row.user_id} className="flex items-baseline justify-between gap-4 py-2">
            <span className="min-w-0 break-all">
              {row.email ?? row.user_id}
              <span className="block text-12 text-faint">
                {nameOf(row.plan)}, {row.status.replace('_', ' ')}, {moment(row.at)}
              </span>
            </span>
            <span className="font-mono text-12 tabular">{usd(row.amount_cents)}</span>
          </li>
        ))}
      </ul>
      <ShowMore of={rows} variant="ghost">
        Show more accounts
      </ShowMore>
    </Dialog>
  )
}
