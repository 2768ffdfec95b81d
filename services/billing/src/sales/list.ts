import type * as contract from '@operon/contracts/billing/sales'
import { SaleKind } from '@operon/contracts/billing/selling'
import type { Input, Output } from '@operon/contracts/contract'
import { DAY_MS } from '@operon/kit/clock'
import { signedIn } from '@operon/kit/context'
import { DomainError } from '@operon/kit/errors'
import { isUuid } from '@operon/kit/ids'
import { sql } from 'kysely'
import type { BillingCtx } from '../deps.ts'
import { documentsOfSale, paperJson } from '../documents/documents.ts'
import { movementsOfSale } from '../sellers/show.ts'
import type { SaleRow } from './rows.ts'

export const saleJson = (row: SaleRow) => ({
  id: row.id,
  customer: row.customer || row.email || 'Guest',
  amount_cents: row.gross_cents,
  currency: row.currency,
  status: row.status,
  method: row.method,
  date: row.paid_at.toISOString(),
  description: row.title,
  kind: row.kind,
  reference: row.reference,
  tax_cents: row.tax_cents,
  share_cents: row.share_cents,
  fee_cents: row.gross_cents - row.tax_cents - row.share_cents,
  refunded_cents: row.refunded_cents,
  dispute: row.dispute,
  held_until: row.held_cents > 0 ? (row.hold_until?.toISOString() ?? null) : null,
})

export async function listSales(
  ctx: BillingCtx,
  { status, only, from, to, limit, cursor }: Input<typeof contract.listSales>,
): Promise<Output<typeof contract.listSales>> {
  const rows = await salesOf(ctx.db, signedIn(ctx).id)
    .$if(status !== undefined, (query) => query.where('status', '=', status!))
    .$if(only === 'refunded', (query) => query.where('refunded_cents', '>', 0))
    .$if(only === 'disputed', (query) => query.where('dispute', 'is not', null))
    .$if(from !== undefined, (query) => query.where('paid_at', '>=', new Date(`${from}T00:00:00Z`)))
    .$if(to !== undefined, (query) => query.where('paid_at', '<', new Date(Date.parse(`${to}T00:00:00Z`) + DAY_MS)))
    .$if(cursor !== undefined, (query) => query.where(after(cursor!)))
    .limit(limit + 1)
    .execute()
  const last = rows.length > limit ? rows[limit - 1]! : null
  return { sales: rows.slice(0, limit).map(saleJson), cursor: last && `${last.paid_at.toISOString()}|${last.id}` }
}

export const salesOf = (db: BillingCtx['db'], seller: string) =>
  db.selectFrom('sales').selectAll().where('seller_id', '=', seller).orderBy('paid_at', 'desc').orderBy('id', 'desc')

function after(cursor: string) {
  const [at = '', id] = cursor.split('|')
  // A year that PostgreSQL does not know is none of ours.
  if (!/^\d{4}-/.test(at) || !(Date.parse(at) > 0) || !isUuid(id))
    throw new DomainError('invalid', { message: 'This cursor is not from here.' })
  return sql<boolean>`(paid_at, id) < (${new Date(at)}, ${id}::uuid)`
}

const FOUND = 20
/** Of the seller's newest, so that a word that is nowhere does not read years of sales. */
const LOOKED_THROUGH = 20_000
export async function findPayment(
  ctx: BillingCtx,
  { query }: Input<typeof contract.findPayment>,
): Promise<Output<typeof contract.findPayment>> {
  const seller = signedIn(ctx).id
  const id = query.toLowerCase()
  if (isUuid(id)) {
    const known = await salesOf(ctx.db, seller)
      .where((or) => or.or([or('id', '=', id), or.and([or('kind', 'in', SaleKind.options), or('reference', '=', id)])]))
      .limit(FOUND)
      .execute()
    return { sales: known.map(saleJson), more: false }
  }
  const like = `%${query.toLowerCase().replace(/[\\%_]/g, '\\$&')}%`
  const amount = /^\$?\d+([.,]\d{1,2})?$/.test(query) ? Math.round(Number(query.replace('$', '').replace(',', '.')) * 100) : null
  const { rows } = await sql<SaleRow>`
    select * from (
      select * from sales where seller_id = ${seller} order by paid_at desc, id desc limit ${LOOKED_THROUGH}) newest
    where lower(coalesce(customer, '')) like ${like} or lower(coalesce(email, '')) like ${like} or lower(title) like ${like}
      or gross_cents = ${amount}
    order by paid_at desc, id desc limit ${FOUND + 1}`.execute(ctx.db)
  const more = rows.length > FOUND
  const older = more ? undefined : await olderThan(ctx.db, seller, LOOKED_THROUGH)
  return { sales: rows.slice(0, FOUND).map(saleJson), more, ...(older && { searched_back_to: older.paid_at.toISOString() }) }
}

/** The first that was not looked through. */
const olderThan = (db: BillingCtx['db'], seller: string, newest: number) =>
  salesOf(db, seller).clearSelect().select('paid_at').offset(newest).limit(1).executeTakeFirst()

/** Of this seller alone: another's is not there. */
export async function ownSale(ctx: BillingCtx, id: string): Promise<SaleRow> {
  const row = await ctx.db.selectFrom('sales').selectAll().where('id', '=', id).where('seller_id', '=', signedIn(ctx).id).executeTakeFirst()
  if (!row) throw new DomainError('not_found')
  return row
}

export async function showSale(ctx: BillingCtx, { sale_id }: Input<typeof contract.showSale>): Promise<Output<typeof contract.showSale>> {
  const sale = await ownSale(ctx, sale_id)
  const refunds = await ctx.db.selectFrom('sale_refunds').selectAll().where('sale_id', '=', sale.id).orderBy('at').limit(100).execute()
  const disputes = await ctx.db.selectFrom('disputes').selectAll().where('sale_id', '=', sale.id).orderBy('opened_at').limit(20).execute()
  return {
    sale: saleJson(sale),
    refunds: refunds.map(({ amount_cents, at, state, reason }) => ({ amount_cents, at: at.toISOString(), state, reason })),
    disputes: disputes.map((row) => ({
      dispute: row.id,
      amount_cents: row.amount_cents,
      reason: row.reason,
      state: row.state,
      evidence_due_at: row.evidence_due_at?.toISOString() ?? null,
      evidence: row.evidence,
      evidence_sent_at: row.evidence_sent_at?.toISOString() ?? null,
    })),
    movements: await movementsOfSale(ctx.db, sale.id, sale.seller_id),
    documents: (await documentsOfSale(ctx.db, sale.id)).map(paperJson),
  }
}
