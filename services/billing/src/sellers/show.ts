import type * as contract from '@operon/contracts/billing/sellers'
import type { Input, Output } from '@operon/contracts/contract'
import { signedIn } from '@operon/kit/context'
import { DomainError } from '@operon/kit/errors'
import { isUuid } from '@operon/kit/ids'
import { sql } from 'kysely'
import type { BillingCtx, Db } from '../deps.ts'
import type { SellerPart } from '../ledger/chart.ts'
import { lastPaidOut } from '../payouts/friday.ts'
import type { PayoutRow } from '../payouts/send.ts'
import { accountJson, sellerRow } from './accounts.ts'
import { type Balance, nextOf } from './why.ts'

export async function balancesOf(db: Db | BillingCtx['db'], seller: string): Promise<Balance[]> {
  return db
    .selectFrom('seller_balances')
    .select(['currency', 'held_cents', 'due_cents', 'reserved_cents', 'paying_cents as on_its_way_cents', 'owed_cents'])
    .where('seller_id', '=', seller)
    .orderBy('currency')
    .execute()
}

export async function sellerBalance(ctx: BillingCtx): Promise<Output<typeof contract.sellerBalance>> {
  const seller = signedIn(ctx).id
  const [balances, row] = [await balancesOf(ctx.db, seller), await sellerRow(ctx.db, seller)]
  const next = await Promise.all(balances.map((balance) => nextOf(ctx.db, seller, balance, row)))
  const first = await ctx.db
    .selectFrom('sales')
    .select('paid_at')
    .where('seller_id', '=', seller)
    .orderBy('paid_at')
    .limit(1)
    .executeTakeFirst()
  return { balances, next, account: accountJson(row), since: first?.paid_at.toISOString() ?? null }
}

const partOf = {
  held: 'seller_held',
  due: 'seller_due',
  reserved: 'seller_reserve',
  on_its_way: 'seller_paying',
  owed: 'seller_owes',
} as const

export async function balanceRows(
  ctx: BillingCtx,
  { part, currency, limit, cursor }: Input<typeof contract.balanceRows>,
): Promise<Output<typeof contract.balanceRows>> {
  const rows = await movementsOf(ctx.db, partOf[part], signedIn(ctx).id, currency)
    .$if(cursor !== undefined, (query) => query.where('p.entry_id', '<', idOf(cursor!)))
    .orderBy('p.entry_id', 'desc')
    .limit(limit + 1)
    .execute()
  return pageOf(rows.map(rowJson), limit)
}

/** One row a movement and part: an entry moves an account once. What a seller owes is positive as owed. */
const movementsOf = (db: BillingCtx['db'], part: SellerPart, seller: string, currency: string) =>
  db
    .selectFrom('ledger_postings as p')
    .innerJoin('ledger_entries as e', 'e.id', 'p.entry_id')
    .select([
      'p.entry_id as id',
      'e.occurred_at',
      'e.description',
      'e.kind',
      'e.sale_id',
      'e.payout_id',
      'p.currency',
      sql<number>`${part === 'seller_owes' ? sql`p.amount_cents` : sql`0 - p.amount_cents`}`.as('amount_cents'),
    ])
    .where('p.account', '=', `${part}:${seller}`)
    .where('p.currency', '=', currency)

type Movement = Awaited<ReturnType<ReturnType<typeof movementsOf>['execute']>>[number]
const rowJson = ({ id, occurred_at, description, kind, sale_id, payout_id, currency, amount_cents }: Movement) => ({
  ...{ id, description, kind, sale_id, payout_id, currency, amount_cents: Number(amount_cents) },
  at: occurred_at.toISOString(),
})

/** The effect of a sale on its seller's money, all parts together. */
export async function movementsOfSale(db: BillingCtx['db'], sale: string, seller: string) {
  const rows = await db
    .selectFrom('ledger_entries as e')
    .innerJoin('ledger_postings as p', 'p.entry_id', 'e.id')
    .select(['e.id', 'e.occurred_at', 'e.description', 'e.kind', 'e.sale_id', 'e.payout_id', 'p.currency'])
    .select(sql<number>`0 - sum(p.amount_cents)`.as('amount_cents'))
    .where('e.sale_id', '=', sale)
    .where(
      'p.account',
      'in',
      Object.values(partOf).map((part) => `${part}:${seller}`),
    )
    .groupBy(['e.id', 'p.currency'])
    .orderBy('e.id')
    .limit(100)
    .execute()
  return rows.map(rowJson)
}

export const payoutJson = (row: PayoutRow) => ({
  id: row.id,
  status:
    row.state === 'paid'
      ? ('paid' as const)
      : row.state === 'returned' || row.state === 'reversing'
        ? ('returned' as const)
        : ('pending' as const),
  amount_cents: row.amount_cents,
  currency: row.currency,
  date: row.friday,
  arrives_at: row.arrives_at?.toISOString() ?? null,
  paid_at: row.paid_at?.toISOString() ?? null,
  bank_last4: row.bank_last4,
  returned_because: row.returned_because,
})
export const payoutsOf = (db: BillingCtx['db'], seller: string) =>
  db.selectFrom('payouts').selectAll().where('seller_id', '=', seller).orderBy('friday', 'desc').orderBy('id', 'desc')
const states = { paid: ['paid'], pending: ['planned', 'transferred', 'sent'], returned: ['reversing', 'returned'] } as const

export async function listPayouts(
  ctx: BillingCtx,
  { status, limit, cursor }: Input<typeof contract.listPayouts>,
): Promise<Output<typeof contract.listPayouts>> {
  const rows = await payoutsOf(ctx.db, signedIn(ctx).id)
    .$if(status !== undefined, (query) => query.where('state', 'in', [...states[status!]]))
    .$if(cursor !== undefined, (query) => {
      const [friday, id] = cursor!.split('|')
      return query.where(sql<boolean>`(friday, id) < (${friday ?? ''}, ${idOf(id ?? '')}::uuid)`)
    })
    .limit(limit + 1)
    .execute()
  const last = rows.length > limit ? rows[limit - 1]! : null
  return { payouts: rows.slice(0, limit).map(payoutJson), cursor: last && `${last.friday}|${last.id}` }
}

const LINES = 100
export async function explainPayout(
  ctx: BillingCtx,
  { payout_id, currency, cursor }: Input<typeof contract.explainPayout>,
): Promise<Output<typeof contract.explainPayout>> {
  const seller = signedIn(ctx).id
  if (!payout_id) return explainNext(ctx, seller, currency, cursor)
  const row = await ctx.db.selectFrom('payouts').selectAll().where('id', '=', payout_id).where('seller_id', '=', seller).executeTakeFirst()
  if (!row) throw new DomainError('not_found')
  const lines = await ctx.db
    .selectFrom('payout_lines as l')
    .innerJoin('ledger_entries as e', 'e.id', 'l.entry_id')
    .select(['l.entry_id as id', 'e.occurred_at', 'e.description', 'e.kind', 'e.sale_id', 'e.payout_id', 'l.amount_cents'])
    .select(sql<string>`${row.currency}::text`.as('currency'))
    .where('l.payout_id', '=', row.id)
    .$if(cursor !== undefined, (query) => query.where('l.entry_id', '>', idOf(cursor!)))
    .orderBy('l.entry_id')
    .limit(LINES + 1)
    .execute()
  const page = pageOf(lines.map(rowJson), LINES)
  const payout = payoutJson(row)
  return {
    ...{ payout, amount_cents: row.amount_cents, currency: row.currency, date: row.friday },
    ...{ why: whyOfPayout(row), lines: page.rows, cursor: page.cursor },
  }
}

async function explainNext({ db }: BillingCtx, seller: string, currency: string, cursor: string | undefined) {
  const balance = (await balancesOf(db, seller)).find((each) => each.currency === currency)
  const none = { currency, held_cents: 0, due_cents: 0, reserved_cents: 0, on_its_way_cents: 0, owed_cents: 0 }
  const next = await nextOf(db, seller, balance ?? none, await sellerRow(db, seller))
  const lines = await movementsOf(db, 'seller_due', seller, currency)
    .where(sql<boolean>`not exists (select from payout_lines l where l.entry_id = p.entry_id and l.line = p.line)`)
    .where('e.kind', '<>', 'payout_started')
    .where('p.entry_id', '>', lastPaidOut(seller, currency))
    .$if(cursor !== undefined, (query) => query.where('p.entry_id', '<', idOf(cursor!)))
    .orderBy('p.entry_id', 'desc')
    .limit(LINES + 1)
    .execute()
  const page = pageOf(lines.map(rowJson), LINES)
  const { amount_cents, date, why } = next
  return { payout: null, amount_cents, currency, date, why, lines: page.rows, cursor: page.cursor }
}

function whyOfPayout(row: PayoutRow) {
  const line = (code: 'paid' | 'on_its_way' | 'bank_returned' | 'funds_pending', text: string, at: Date | null) => [
    { code, text, amount_cents: row.amount_cents, at: at?.toISOString() ?? null, rows: null },
  ]
  if (row.returned_because) return line('bank_returned', `${row.returned_because} The money is in your balance again.`, null)
  if (row.state === 'paid') return line('paid', 'It has arrived at your bank.', row.paid_at)
  if (row.waits_for === 'funds')
    return line('funds_pending', 'The buyers’ payments are still on their way to us. It is sent once they arrive.', null)
  return line('on_its_way', 'It is on its way to your bank.', row.arrives_at)
}

const idOf = (cursor: string): string => {
  if (!isUuid(cursor)) throw new DomainError('invalid', { message: 'This cursor is not from here.' })
  return cursor
}
const pageOf = <R extends { id: string }>(rows: R[], limit: number) => ({
  rows: rows.slice(0, limit),
  cursor: rows.length > limit ? rows[limit - 1]!.id : null,
})
