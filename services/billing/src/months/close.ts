import { inTransaction } from '@operon/kit/tx'
import { sql } from 'kysely'
import type { Db, Trx } from '../deps.ts'
import { type Line, pair } from '../ledger/entries.ts'
import { post } from '../ledger/post.ts'
import { holdSums } from '../ledger/sums.ts'
import type { ProviderCharge } from '../stripe-shapes.ts'

/** Movements that are told late are booked in their month for so long. */
const DAYS_TO_CLOSE = 3

/** Over which time a plan's payment is earned, and what of it went back. */
export async function keepPeriod(
  trx: Trx,
  { id, currency, amountCents, tax, earnedOver, refunds, disputes }: ProviderCharge,
): Promise<void> {
  if (!earnedOver || earnedOver.to <= earnedOver.from) return
  const lost = disputes.filter(({ status }) => status === 'lost')
  const gone = [...refunds, ...lost].reduce((sum, each) => sum + each.amountCents, 0)
  const netOf = (cents: number) => (tax ? Math.round((cents * tax.netCents) / (tax.netCents + tax.cents)) : cents)
  const [net_cents, returned_cents] = [netOf(amountCents), netOf(Math.min(gone, amountCents))]
  await trx
    .insertInto('revenue_periods')
    .values({ charge: id, currency, net_cents, returned_cents, starts_at: earnedOver.from, ends_at: earnedOver.to })
    .onConflict((conflict) =>
      conflict.column('charge').doUpdateSet({ returned_cents }).where('revenue_periods.returned_cents', '<', returned_cents),
    )
    .execute()
}

/** Closes the months that are over: what is not earned by their end is deferred, and later news of them belongs to the month it comes in. */
export async function closeMonths(db: Db, asOf = new Date()): Promise<string[]> {
  const { rows } = await sql<{ month: string }>`
    with first as (
      select coalesce((select (max(month) || '-01')::date + interval '1 month' from month_closes),
        (select date_trunc('month', min(occurred_at) at time zone 'utc') from ledger_entries)) as at)
    select to_char(month, 'YYYY-MM') as month from first,
      generate_series(first.at, date_trunc('month', ${asOf}::timestamptz at time zone 'utc' - ${DAYS_TO_CLOSE} * interval '1 day') - interval '1 month', interval '1 month') month`.execute(
    db,
  )
  for (const { month } of rows) await inTransaction(db, (trx) => close(trx, month))
  return rows.map(({ month }) => month)
}

async function close(trx: Trx, month: string): Promise<void> {
  await holdSums(trx)
  const { numInsertedOrUpdatedRows } = await trx
    .insertInto('month_closes')
    .values({ month, closed_at: sql`clock_timestamp()` })
    .onConflict((conflict) => conflict.column('month').doNothing())
    .executeTakeFirstOrThrow()
  if (!numInsertedOrUpdatedRows) return
  const end = endOf(month)
  const { rows } = await sql<{ currency: string; unearned: number; deferred: number }>`
    with unearned as (
      select currency, sum(floor((net_cents - returned_cents) * extract(epoch from ends_at - ${end}::timestamptz) / extract(epoch from ends_at - starts_at))) as cents
      from revenue_periods where ends_at > ${end}::timestamptz and starts_at < ${end}::timestamptz group by currency),
    deferred as (
      select currency, 0 - amount_cents as cents from ledger_balances where account = 'deferred_revenue')
    select coalesce(u.currency, d.currency) as currency, coalesce(u.cents, 0)::bigint as unearned, coalesce(d.cents, 0)::bigint as deferred
    from unearned u full join deferred d on d.currency = u.currency`.execute(trx)
  const lines = rows.flatMap(({ currency, unearned, deferred }) => deferral(currency, unearned - deferred))
  const occurredAt = new Date(end.getTime() - 1)
  const description = `Paid in ${month} or before, earned later`
  if (lines.length > 0) await post(trx, { reference: `deferred:${month}`, kind: 'deferral', userId: null, description, occurredAt, lines })
  await closeTopUps(trx, month, end)
}

/** A top-up is earned as it is used: what was left at the end of the month is deferred, of what was paid without tax and has not gone back. */
async function closeTopUps(trx: Trx, month: string, end: Date): Promise<void> {
  const { rows } = await sql<{ currency: string; unearned: number; deferred: number }>`
    with left_over as (
      select t.currency, (t.gross_cents - t.returned_cents)::numeric * (t.gross_cents - t.tax_cents) / t.gross_cents
        * (t.units - coalesce((select m.drawn from top_up_months m where m.top_up_id = t.id and m.month <= ${month} order by m.month desc limit 1), 0)) / t.units as cents
      from top_ups t where t.state in ('paid', 'held', 'refunding') and not t.earned and t.paid_at < ${end}::timestamptz),
    unearned as (select currency, sum(floor(cents)) as cents from left_over group by currency),
    deferred as (
      select currency, 0 - amount_cents as cents from ledger_balances where account = 'deferred_top_ups')
    select coalesce(u.currency, d.currency) as currency, coalesce(u.cents, 0)::bigint as unearned, coalesce(d.cents, 0)::bigint as deferred
    from unearned u full join deferred d on d.currency = u.currency`.execute(trx)
  const lines = rows.flatMap(({ currency, unearned, deferred }) =>
    pair(currency, unearned - deferred, 'top_up_revenue', 'deferred_top_ups'),
  )
  const occurredAt = new Date(end.getTime() - 1)
  const description = `Top-ups paid in ${month} or before, not used by its end`
  if (lines.length > 0)
    await post(trx, { reference: `deferred_top_ups:${month}`, kind: 'deferral', userId: null, description, occurredAt, lines })
  // Those used up by then are read by no later month, unless some of it comes back.
  await sql`
    update top_ups t set earned = true where t.state in ('paid', 'held', 'refunding') and not t.earned and t.drawn = t.units
      and t.paid_at < ${end}::timestamptz and not exists (select from top_up_months m where m.top_up_id = t.id and m.month > ${month})`.execute(
    trx,
  )
}

/** Positive where more is deferred than before. */
const deferral = (currency: string, cents: number): Line[] => pair(currency, cents, 'subscription_revenue', 'deferred_revenue')

export const startOf = (month: string) => new Date(`${month}-01T00:00:00Z`)
export const endOf = (month: string) => {
  const from = startOf(month)
  return new Date(Date.UTC(from.getUTCFullYear(), from.getUTCMonth() + 1, 1))
}
