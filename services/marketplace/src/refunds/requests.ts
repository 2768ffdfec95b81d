import { refundOrder } from '@operon/contracts/billing/sales'
import type { Input, Output } from '@operon/contracts/contract'
import { isRefunded, REFUND_ANSWER_DAYS, refundReasons } from '@operon/contracts/marketplace/refund-rules'
import type * as contract from '@operon/contracts/marketplace/refunds'
import { payRefund, refundLetter, refundRequested } from '@operon/contracts/marketplace/refunds'
import { REFUND_WINDOW_DAYS } from '@operon/contracts/plans'
import { actorOf, type Ctx, type Grant, signedIn } from '@operon/kit/context'
import { DomainError } from '@operon/kit/errors'
import { isUuid, newId } from '@operon/kit/ids'
import type { KitDb } from '@operon/kit/schema'
import type { Runtime } from '@operon/kit/service'
import { enqueue, inTransaction, publish } from '@operon/kit/tx'
import { type Selectable, sql, type Transaction } from 'kysely'
import type { Config } from '../config.ts'
import { type OrderRow, orderOf } from '../orders/access.ts'
import type { MarketplaceDb } from '../schema.ts'

type Rt = Runtime<MarketplaceDb, Config>
type Trx = Transaction<MarketplaceDb & KitDb>
type Request = Selectable<MarketplaceDb['refund_requests']>
type About = Pick<OrderRow, 'title' | 'amount_cents' | 'tax_cents' | 'currency'>

export const requestJson = (row: Request, { title, amount_cents, tax_cents, currency }: About) => ({
  ...{ id: row.id, order_id: row.order_id, title, amount_cents: amount_cents + tax_cents, currency, reason: row.reason, text: row.text },
  ...{ state: row.state, decided_by: row.decided_by, answer: row.answer },
  due_at: row.due_at.toISOString(),
  at: row.created_at.toISOString(),
})

export const requestRefund =
  ({ vault }: Pick<Rt, 'vault'>) =>
  async (
    ctx: Ctx<MarketplaceDb>,
    { reason, text, ...ref }: Input<typeof contract.requestRefund>,
  ): Promise<Output<typeof contract.requestRefund>> => {
    const order = await orderOf(vault, ctx, ref)
    return inTransaction(ctx.db, async (trx) => {
      const { rows } = await sql<Request>`
        insert into refund_requests (id, order_id, seller_id, buyer_id, reason, text, due_at)
        select ${newId()}, o.id, o.seller_id, o.buyer_id, ${reason}, ${text}, now() + ${REFUND_ANSWER_DAYS} * interval '1 day'
        from orders o where o.id = ${order.id} and o.state = 'delivered' and o.refunded_cents = 0
          and o.delivered_at > now() - ${REFUND_WINDOW_DAYS} * interval '1 day' for share
        on conflict (order_id) do nothing returning *`.execute(trx)
      const [made] = rows
      if (!made) throw await refusal(trx, order.id)
      const request = requestJson(made, order)
      const { order_id, title, amount_cents, currency, due_at } = request
      await publish(trx, refundRequested, order.seller_id, {
        request_id: made.id,
        order_id,
        title,
        amount_cents,
        currency,
        reason,
        text,
        due_at,
      })
      return { request }
    })
  }

async function refusal(trx: Trx, orderId: string): Promise<DomainError> {
  const asked = await trx.selectFrom('refund_requests').select('id').where('order_id', '=', orderId).executeTakeFirst()
  return new DomainError(asked ? 'refund_asked_before' : 'refund_window_over')
}

/** The rule decides at once where the seller declines and nothing was downloaded. */
export async function answerRefundRequest(
  ctx: Ctx<MarketplaceDb>,
  { request_id, accept, text }: Input<typeof contract.answerRefundRequest>,
): Promise<Output<typeof contract.answerRefundRequest>> {
  const { id: seller } = signedIn(ctx)
  return inTransaction(ctx.db, async (trx) => {
    const known = await trx
      .selectFrom('refund_requests')
      .select(['order_id', 'state'])
      .where('id', '=', request_id)
      .where('seller_id', '=', seller)
      .forUpdate()
      .executeTakeFirst()
    if (!known) throw new DomainError('not_found')
    if (known.state !== 'open') throw new DomainError('refund_decided')
    const order = await trx.selectFrom('orders').selectAll().where('id', '=', known.order_id).executeTakeFirstOrThrow()
    const pays = isRefunded({ answer: accept ? 'accept' : 'decline', downloaded: await wasDownloaded(trx, order.id) })
    const made = await decide(trx, request_id, pays ? 'accepted' : 'declined', pays && !accept ? 'rule' : 'seller', text)
    return { request: requestJson(made!, order) }
  })
}

async function wasDownloaded(trx: Trx, orderId: string): Promise<boolean> {
  const line = await trx
    .selectFrom('order_lines')
    .select('item_id')
    .where('order_id', '=', orderId)
    .where('downloaded_at', 'is not', null)
    .executeTakeFirst()
  return line !== undefined
}

async function decide(
  trx: Trx,
  id: string,
  state: 'accepted' | 'declined',
  by: 'seller' | 'rule',
  answer: string,
): Promise<Request | undefined> {
  const made = await trx
    .updateTable('refund_requests')
    .set({ state, decided_by: by, answer: answer || null, decided_at: sql`now()` })
    .where('id', '=', id)
    .where('state', '=', 'open')
    .returningAll()
    .executeTakeFirst()
  if (!made) return undefined
  if (state === 'accepted') await enqueue(trx, payRefund, { request_id: id })
  await enqueue(trx, refundLetter, { request_id: id })
  return made
}

const SWEPT = 100
/** The three days are over and nobody answered: the rule pays. */
export async function sweepRefunds({ db }: Ctx<MarketplaceDb>): Promise<void> {
  for (let count = SWEPT; count === SWEPT; )
    count = await inTransaction(db, async (trx) => {
      const due = await trx
        .selectFrom('refund_requests')
        .select('id')
        .where('state', '=', 'open')
        .where('due_at', '<=', sql<Date>`now()`)
        .orderBy('due_at')
        .limit(SWEPT)
        .forUpdate()
        .skipLocked()
        .execute()
      for (const { id } of due) await decide(trx, id, 'accepted', 'rule', '')
      return due.length
    })
}

/** Through billing's capability, by the right that the request gives in the seller's name. The key makes it one refund, however often this runs. */
export const payRequest =
  ({ call }: Pick<Rt, 'call'>) =>
  async ({ db }: Ctx<MarketplaceDb>, { request_id }: { request_id: string }): Promise<void> => {
    const row = await db
      .selectFrom('refund_requests as r')
      .innerJoin('orders as o', 'o.id', 'r.order_id')
      .select(['r.seller_id', 'r.reason', 'r.state', 'o.sale_id', 'o.state as order_state'])
      .where('r.id', '=', request_id)
      .executeTakeFirst()
    if (row?.state !== 'accepted' || row.order_state !== 'delivered' || !row.sale_id) return
    const grant: Grant = { id: request_id, userId: row.seller_id, actions: ['refund-order'], until: null }
    await call(
      refundOrder,
      { sale_id: row.sale_id, reason: `Asked for by the buyer: ${refundReasons[row.reason]}` },
      { actor: actorOf(grant), grant, idempotencyKey: `refund-request:${request_id}` },
    ).catch((error) => {
      // Billing has asked its staff, who send it.
      if (!(error instanceof DomainError && error.code === 'refund_needs_staff')) throw error
    })
  }

const PAGE = 30
const COUNTED = 1_000
export async function listRefundRequests(
  ctx: Ctx<MarketplaceDb>,
  { open, cursor }: Input<typeof contract.listRefundRequests>,
): Promise<Output<typeof contract.listRefundRequests>> {
  const { id: seller } = signedIn(ctx)
  if (cursor !== undefined && !isUuid(cursor)) throw new DomainError('invalid', { message: 'This cursor is not from here.' })
  const rows = await ctx.db
    .selectFrom('refund_requests as r')
    .innerJoin('orders as o', 'o.id', 'r.order_id')
    .selectAll('r')
    .select(['o.title', 'o.amount_cents', 'o.tax_cents', 'o.currency', 'o.email'])
    .where('r.seller_id', '=', seller)
    .$if(open, (query) => query.where('r.state', '=', 'open'))
    .$if(cursor !== undefined, (query) => query.where('r.id', '<', cursor!))
    .orderBy('r.id', 'desc')
    .limit(PAGE + 1)
    .execute()
  const { rows: reasons } = await sql<{ reason: Request['reason']; count: number }>`
    select reason, count(*)::int as count from (
      select reason from refund_requests where seller_id = ${seller} order by id desc limit ${COUNTED}) newest
    group by reason order by count desc, reason`.execute(ctx.db)
  return {
    requests: rows.slice(0, PAGE).map((row) => ({ ...requestJson(row, row), from: row.email ?? 'A buyer' })),
    cursor: rows.length > PAGE ? rows[PAGE - 1]!.id : null,
    reasons,
  }
}
