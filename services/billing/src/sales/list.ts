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
/**
 * Of the seller's newest so many are looked through before the index of all is asked: a word that stands in everything must not read everything.
 * One or two letters are looked for among these alone, since the index knows parts of words from three letters on.
 */
const LATELY = 2_000
export async function findPayment(
  ctx: BillingCtx,
  { query }: Input<typeof contract.findPayment>,
): Promise<Output<typeof contract.findPayment>> {
  const seller = signedIn(ctx).id
  const word = query.toLowerCase()
  if (isUuid(word)) {
    const known = await salesOf(ctx.db, seller)
      .where((or) => or.or([or('id', '=', word), or.and([or('kind', 'in', SaleKind.options), or('reference', '=', word)])]))
      .limit(FOUND)
      .execute()
    return { sales: known.map(saleJson), more: false }
  }
  const short = query.length < 3
  const { rows } = await sql<SaleRow>`
    with found as materialized (select id from (${withWord(seller, word, short)}) words union (${ofAmount(seller, query)}))
    select sales.* from found join sales using (id) ${newest} limit ${FOUND + 1}`.execute(ctx.db)
  const more = rows.length > FOUND
  const older = short && !more ? await olderThan(ctx.db, seller) : undefined
  return { sales: rows.slice(0, FOUND).map(saleJson), more, ...(older && { searched_back_to: older.paid_at.toISOString() }) }
}

const newest = sql`order by paid_at desc, id desc`
function withWord(seller: string, word: string, short: boolean) {
  const fits = sql`lower(coalesce(customer, '') || ' ' || coalesce(email, '') || ' ' || title) like ${`%${word.replace(/[\\%_]/g, '\\$&')}%`}`
  const lately = sql`
    select id from (select * from sales where seller_id = ${seller} ${newest} limit ${LATELY}) lately where ${fits} ${newest} limit ${FOUND + 1}`
  if (short) return lately
  return sql`
    with lately as materialized (${lately}),
    ever as materialized (select id, paid_at from sales where (select count(*) from lately) <= ${FOUND} and seller_id = ${seller} and ${fits})
    select id from lately union (select id from ever ${newest} limit ${FOUND + 1})`
}

function ofAmount(seller: string, query: string) {
  const amount = /^\$?\d+([.,]\d{1,2})?$/.test(query) ? Math.round(Number(query.replace('$', '').replace(',', '.')) * 100) : null
  // No sale is larger than this.
  const cents = amount !== null && amount <= Number.MAX_SAFE_INTEGER ? amount : null
  return sql`select id from sales where seller_id = ${seller} and gross_cents = ${cents}::bigint ${newest} limit ${FOUND + 1}`
}

/** The first that was not looked through. */
const olderThan = (db: BillingCtx['db'], seller: string) =>
  salesOf(db, seller).clearSelect().select('paid_at').offset(LATELY).limit(1).executeTakeFirst()

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
