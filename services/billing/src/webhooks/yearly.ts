import { yearRenewing } from '@operon/contracts/billing/events'
import { billCentsOf, type PlanId } from '@operon/contracts/plans'
import { inTransaction, publish } from '@operon/kit/tx'
import { sql } from 'kysely'
import type { BillingCtx } from '../deps.ts'
import { reached } from '../provider-time.ts'
import { publishSubscription } from '../subscriptions/entitlement.ts'

/** So long before a year begins again its person hears of it. */
const RENEWAL_NOTICE_DAYS = 30
const TOGETHER = 500

/** Yearly plans begin their next month: the allowances come anew, and nothing is billed. */
export async function beginMonths(ctx: BillingCtx): Promise<void> {
  for (;;) {
    const begun = await inTransaction(ctx.db, async (trx) => {
      const rows = await trx
        .updateTable('subscriptions')
        .set({
          // Counted from the first day, so that the 31st falls on the last of a short month and comes back after it. Months that were missed are passed over.
          allowance_start: monthOf(0),
          allowance_end: sql`least(${monthOf(1)}, period_end)`,
          version: sql`version + 1`,
          looks: sql`looks + 1`,
          updated_at: sql`now()`,
        })
        .where('user_id', 'in', (due) =>
          due
            .selectFrom('subscriptions')
            .select('user_id')
            .where(sql<boolean>`allowance_end <= provider_latest()`)
            .where(reached(sql`allowance_end`, { person: sql`user_id` }))
            .where('status', 'in', ['active', 'past_due'])
            .whereRef('allowance_end', '<', 'period_end')
            .orderBy('allowance_end')
            .limit(TOGETHER)
            .forUpdate()
            .skipLocked(),
        )
        .returningAll()
        .execute()
      for (const row of rows) await publishSubscription(trx, row)
      return rows.length
    })
    if (begun < TOGETHER) return
  }
}

const monthOf = (after: number) => sql<Date>`(
  select max((period_start at time zone 'utc' + (n + ${after}::int) * interval '1 month') at time zone 'utc') from generate_series(0, 11) n
  where (period_start at time zone 'utc' + n * interval '1 month') at time zone 'utc' <= provider_now(user_id))`

/** A month before a year is charged again, once. */
export async function announceRenewals(ctx: BillingCtx): Promise<void> {
  await inTransaction(ctx.db, async (trx) => {
    const rows = await trx
      .updateTable('subscriptions')
      .set((row) => ({ renewal_told_for: row.ref('period_end') }))
      .where('period', '=', 'year')
      .where('status', '=', 'active')
      .where('cancel_at_period_end', '=', false)
      .where('next_period', 'is', null)
      .where(sql<boolean>`period_end <= provider_latest() + ${RENEWAL_NOTICE_DAYS} * interval '1 day'`)
      .where(reached(sql`period_end`, { person: sql`user_id`, early: sql`${RENEWAL_NOTICE_DAYS} * interval '1 day'` }))
      .where(sql<boolean>`renewal_told_for is distinct from period_end`)
      .returningAll()
      .execute()
    for (const { user_id, plan, period_end } of rows)
      if (plan && period_end)
        await publish(trx, yearRenewing, user_id, {
          ...{ plan: plan as PlanId, renews_at: period_end.toISOString() },
          ...{ amount_cents: billCentsOf(plan, 'year'), currency: 'usd' },
        })
  })
}
