import { money } from '@operon/contracts/words'
import { sql } from 'kysely'
import type { Db, Trx } from '../deps.ts'
import { returnedOf, type SellerBalance } from '../ledger/selling.ts'
import { moneyOf, type SaleRow, termsOf } from '../sales/rows.ts'
import { closeMatter, openMatter } from '../staff/matters.ts'

/** From here on staff are told of what a seller owes, and decide about the refunds that would add to it. */
const DEBT_TOLD_CENTS = 10_000
/** So many refunds in a week may leave a debt, however small, before the next one waits for staff. */
const DEBTS_A_WEEK = 3
const NAMED = 5

/** Tells staff of a debt that has reached the bound or grows beyond it, with its rows, until it is settled. */
export async function followDebt(trx: Trx, seller: string, currency: string, { before, after }: { before: number; after: number }) {
  if (after === 0 && before > 0) await closeMatter(trx, 'payout', seller)
  if (after <= before || after < DEBT_TOLD_CENTS) return
  const { rows } = await sql<{ sale_id: string; amount_cents: number; at: string }>`
    select e.sale_id, p.amount_cents, to_char(e.occurred_at at time zone 'utc', 'YYYY-MM-DD') as at
    from ledger_postings p join ledger_entries e on e.id = p.entry_id
    where p.account = ${`seller_owes:${seller}`} and p.currency = ${currency} and p.amount_cents > 0
    order by p.entry_id desc limit ${NAMED}`.execute(trx)
  const told = {
    title: `A seller owes ${money({ amount_cents: after, currency })}`,
    body: `Seller ${seller} was paid for sales that were refunded or lost to a dispute later. The newest: ${rows
      .map(({ sale_id, amount_cents, at }) => `${money({ amount_cents, currency })} of sale ${sale_id} on ${at}`)
      .join('; ')}. Their next sales settle it first, and refunds that would add to it wait for you.`,
  }
  await openMatter(trx, { matter: 'payout', subject: seller, ...told })
  await trx
    .updateTable('staff_matters')
    .set(told)
    .where('matter', '=', 'payout')
    .where('subject', '=', seller)
    .where('closed_at', 'is', null)
    .execute()
}

type Has = Pick<SellerBalance, 'dueCents' | 'owedCents'>
/**
 * A refund's parts, how much of it the seller no longer has, and whether it is for staff to decide. Refunds that have begun and are not
 * booked yet count, so that many at once come to no more than one after the other.
 */
export async function weighRefund(db: Db | Trx, sale: SaleRow, cents: number, { dueCents, owedCents }: Has) {
  const parts = returnedOf(termsOf(sale), moneyOf(sale), cents, { dueCents })
  const { rows } = await sql<{ begun: number; lately: number }>`
    select (select coalesce(sum((request ->> 'takes_cents')::bigint), 0)::bigint from provider_calls
        where user_id = ${sale.seller_id} and state = 'open' and kind like 'refund:%' and kind <> ${`refund:${sale.charge}`}
          and created_at > now() - interval '1 hour') as begun,
      (select count(*)::int from ledger_postings p join ledger_entries e on e.id = p.entry_id
        where p.account = ${`seller_owes:${sale.seller_id}`} and p.currency = ${sale.currency} and p.amount_cents > 0 and e.kind = 'sale_refund'
          and e.occurred_at > provider_now(${sale.seller_id}::uuid) - interval '7 days') as lately`.execute(db)
  const { begun, lately } = rows[0]!
  const takesCents = parts.fromDue + parts.owed
  const beyond = Math.max(0, begun + takesCents - dueCents)
  const missingCents = Math.min(takesCents, beyond)
  const needsStaff = missingCents > 0 && (owedCents + beyond >= DEBT_TOLD_CENTS || lately >= DEBTS_A_WEEK)
  return { parts, takesCents, missingCents, owedCents, lately, needsStaff }
}

type Weighed = Awaited<ReturnType<typeof weighRefund>>
/** Told once a sale, until it is refunded or staff close it. */
export const askStaff = (trx: Trx, { id, seller_id, currency }: SaleRow, cents: number, { missingCents, owedCents, lately }: Weighed) =>
  openMatter(trx, {
    ...{ matter: 'payout', subject: id, title: `A refund of ${money({ amount_cents: cents, currency })} waits for you` },
    body: `Seller ${seller_id} wants to refund sale ${id}. ${money({ amount_cents: missingCents, currency })} of it they no longer have, they owe ${money({ amount_cents: owedCents, currency })} already, and ${lately} of their refunds this week left a debt. Refund it on the seller’s page, or close this.`,
  })
