import { now } from '@operon/kit/clock'
import { sql } from 'kysely'
import type { BillingCtx, Deps } from '../deps.ts'
import { allowanceMonth, type SubscriptionRow } from './entitlement.ts'

/**
 * The rest of the month that was paid, in money: the smaller of its unused time and of its least unused allowance, of what was really paid
 * and has not gone back. Nobody is credited for prompts or for a model budget that they have used.
 */
export async function unusedCents(deps: Deps, { db }: BillingCtx, row: SubscriptionRow & { subscription: string }): Promise<number> {
  if (row.status !== 'active' || !row.period_end) return 0
  const [paid, { gone, used, at }] = await Promise.all([deps.provider.paidForPeriod(row.subscription, row.period_end), spentOf(db, row)])
  const [from, to] = [row.period_start.getTime(), row.period_end.getTime()]
  const passed = (at.getTime() - from) / (to - from)
  const left = 1 - Math.min(1, Math.max(0, passed, used))
  return Math.max(0, Math.floor((paid - gone) * left))
}

type Spent = { gone: number; used: number; at: Date }
async function spentOf(db: BillingCtx['db'], row: SubscriptionRow): Promise<Spent> {
  const { start } = allowanceMonth(row)
  const { rows } = await sql<Spent>`
    select provider_now(${row.user_id}) as at,
      (select coalesce(max(greatest(used::float8 / nullif(max, 0), cost_used_microusd::float8 / nullif(budget_microusd, 0))), 0)
        from usage where user_id = ${row.user_id} and unit <> 'agents' and period_start = ${start}) as used,
      (select coalesce(0 - sum(p.amount_cents), 0)::bigint from ledger_entries e join ledger_postings p on p.entry_id = e.id
        where e.user_id = ${row.user_id} and e.kind in ('refund', 'dispute') and e.occurred_at >= ${row.period_start}
          and p.account = 'provider_balance') as gone`.execute(db)
  return rows[0] ?? { gone: 0, used: 1, at: new Date(now()) }
}
