import type * as contract from '@operon/contracts/billing/api'
import type { Input, Output } from '@operon/contracts/contract'
import { signedIn } from '@operon/kit/context'
import { sql } from 'kysely'
import type { BillingCtx, Db } from '../deps.ts'

// A customer's payments are what reached or left the provider for them, or their credit; fees are the platform's own affair.
const customerKinds = [
  'charge',
  'unknown_charge',
  'sale',
  'refund',
  'sale_refund',
  'refund_failed',
  'dispute',
  'dispute_won',
  'credit_granted',
  'credit_used',
  'top_up',
  'top_up_refund',
  'top_up_refund_failed',
  'top_up_dispute',
  'top_up_dispute_won',
] as const
type Shown = 'charge' | 'refund' | 'refund_failed' | 'dispute' | 'dispute_won' | 'credit_granted' | 'credit_used'
/** The purpose of a payment matters to us, not to the customer. */
const shownAs = (kind: string): Shown =>
  kind === 'unknown_charge' || kind === 'sale' || kind === 'top_up'
    ? 'charge'
    : kind === 'sale_refund'
      ? 'refund'
      : (kind.replace(/^top_up_/, '') as Shown)

/** Movements in one piece of a statement. */
const AT_ONCE = 1_000

export async function statementExport(
  ctx: BillingCtx,
  { month, cursor }: Input<typeof contract.statementExport>,
): Promise<Output<typeof contract.statementExport>> {
  const from = new Date(`${month}-01T00:00:00Z`)
  const to = new Date(Date.UTC(from.getUTCFullYear(), from.getUTCMonth() + 1, 1))
  const { id: userId } = signedIn(ctx)
  const booked = entriesOf(ctx.db, userId)
    .where('occurred_at', '>=', from)
    .where('occurred_at', '<', to)
    .$if(cursor !== undefined, (query) =>
      query.where(
        sql<boolean>`(occurred_at, id) > (select occurred_at, id from ledger_entries where id = ${cursor} and user_id = ${userId})`,
      ),
    )
    .orderBy('occurred_at')
    .orderBy('id')
    .limit(AT_ONCE + 1)
  const found = await movements(ctx.db, booked).orderBy('e.occurred_at').orderBy('e.id').execute()
  const ids = [...new Set(found.map(({ id }) => id))]
  const beyond = ids[AT_ONCE]
  const rows = found.filter(({ id }) => id !== beyond)
  const header = ['date', 'reference', 'type', 'description', 'amount', 'currency']
  const body = rows.map((row) => [
    row.occurred_at.toISOString(),
    row.reference,
    shownAs(row.kind),
    row.description,
    decimal(row.amount_cents),
    row.currency,
  ])
  const lines = cursor === undefined ? [header, ...body] : body
  const csv = lines.map((cells) => `${cells.map(cell).join(',')}\r\n`).join('')
  return { csv, filename: `statement-${month}.csv`, cursor: beyond ? ids[AT_ONCE - 1]! : null }
}

/** The newest movements first. */
export async function listPayments(
  ctx: BillingCtx,
  { limit }: Input<typeof contract.listPayments>,
): Promise<Output<typeof contract.listPayments>> {
  const { rows, more } = await newestMovements(ctx.db, signedIn(ctx).id, limit)
  return {
    payments: rows.map(({ reference, kind, amount_cents, currency, occurred_at, description }) => ({
      payment: reference.slice(reference.indexOf(':') + 1),
      kind: shownAs(kind),
      amount_cents,
      currency,
      at: occurred_at.toISOString(),
      description,
    })),
    more,
  }
}

/** Payments, refunds and credits of an account, newest first. A payment is positive, what came back is negative. */
export async function newestMovements(db: Db, userId: string, limit: number) {
  const newest = entriesOf(db, userId)
    .orderBy('occurred_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit + 1)
  const rows = await movements(db, newest).orderBy('e.occurred_at', 'desc').orderBy('e.id', 'desc').execute()
  return { rows: rows.slice(0, limit), more: rows.length > limit }
}

const entriesOf = (db: Db, userId: string) =>
  db.selectFrom('ledger_entries').selectAll().where('user_id', '=', userId).where('kind', 'in', customerKinds)

const movements = (db: Db, entries: ReturnType<typeof entriesOf>) =>
  db
    .selectFrom(entries.as('e'))
    .innerJoin('ledger_postings as p', 'p.entry_id', 'e.id')
    .select([
      'e.id',
      'e.reference',
      'e.kind',
      'e.description',
      'e.occurred_at',
      'p.currency',
      sql<number>`coalesce(sum(p.amount_cents) filter (where p.account in ('provider_balance', 'customer_credit')), 0)::bigint`.as(
        'amount_cents',
      ),
    ])
    .groupBy(['e.id', 'e.reference', 'e.kind', 'e.description', 'e.occurred_at', 'p.currency'])

export const decimal = (cents: number) =>
  `${cents < 0 ? '-' : ''}${Math.floor(Math.abs(cents) / 100)}.${String(Math.abs(cents) % 100).padStart(2, '0')}`
// A cell that begins like a formula would be run by a spreadsheet; amounts are numbers and stay.
export const cell = (value: string) => {
  const safe = /^[=+@\t\r]/.test(value) || (value.startsWith('-') && !/^-\d+\.\d\d$/.test(value)) ? `'${value}` : value
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
