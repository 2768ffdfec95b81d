import { openSaleCheckout, settleSale } from '@operon/contracts/billing/selling-events'
import type { Input, Output } from '@operon/contracts/contract'
import type * as contract from '@operon/contracts/marketplace/api'
import { type Ctx, userIdOf } from '@operon/kit/context'
import { DomainError } from '@operon/kit/errors'
import { newId } from '@operon/kit/ids'
import type { Runtime } from '@operon/kit/service'
import { inTransaction } from '@operon/kit/tx'
import { sql } from 'kysely'
import type { Config } from '../config.ts'
import type { MarketplaceDb } from '../schema.ts'
import { orderOf } from './access.ts'
import { offersIn, totalOf } from './cart.ts'
import { discounted, takeCoupon } from './discount.ts'
import { invoiceNameOf } from './documents.ts'
import { hashOf, tokenOf } from './links.ts'

type Rt = Pick<Runtime<MarketplaceDb, Config>, 'ask' | 'vault'>

/** One sale with a line a product, whatever a buyer says of prices. */
export const startCheckout =
  ({ ask, vault }: Rt) =>
  async (
    ctx: Ctx<MarketplaceDb>,
    { item_id, item_ids, email, coupon: code }: Input<typeof contract.startCheckout>,
  ): Promise<Output<typeof contract.startCheckout>> => {
    const wanted = item_ids ?? (item_id ? [item_id] : [])
    if (!wanted.length) throw new DomainError('invalid', { message: 'Name at least one product.' })
    const { offered, leftOut } = await offersIn(ctx.db, wanted)
    const [first] = offered
    if (!first || leftOut.length) throw await refusal(ctx.db, wanted)
    const { lines, coupon } = await discounted(ctx.db, first.seller_id, offered, code)
    const buyer = userIdOf(ctx.actor)
    const id = newId()
    const token = tokenOf(vault, id)
    const order = {
      ...{ id, item_id: first.item_id, version_id: first.version_id, seller_id: first.seller_id, buyer_id: buyer, email: email ?? null },
      ...{
        title: titleOf(lines),
        amount_cents: totalOf(lines),
        discount_cents: totalOf(offered) - totalOf(lines),
        coupon_id: coupon,
        currency: first.currency,
        token_hash: hashOf(token),
        delivered_at: null,
      },
    }
    await inTransaction(ctx.db, async (trx) => {
      if (coupon) await takeCoupon(trx, coupon)
      await trx.insertInto('orders').values(order).execute()
      await trx
        .insertInto('order_lines')
        .values(
          lines.map(({ item_id, version_id, title, list_cents, amount_cents }, position) => ({
            ...{ order_id: id, item_id, position, version_id, kept_version_id: version_id, title, list_cents, amount_cents },
          })),
        )
        // A trigger has made the first one, as for the version before, which knows no lines.
        .onConflict((conflict) =>
          conflict.columns(['order_id', 'item_id']).doUpdateSet((eb) => ({
            title: eb.ref('excluded.title'),
            list_cents: eb.ref('excluded.list_cents'),
            amount_cents: eb.ref('excluded.amount_cents'),
          })),
        )
        .execute()
    })
    const opened = await ask(
      openSaleCheckout,
      {
        ...{ kind: 'product', reference: id, seller_id: order.seller_id, buyer_id: buyer, email: order.email, currency: order.currency },
        lines: lines.map(({ item_id, title, amount_cents }) => ({ item_id, title, amount_cents })),
        seller: await invoiceNameOf(ctx.db, order.seller_id),
        success_path: `/orders/${token}?paid`,
        cancel_path: offered.length > 1 ? '/cart' : '/marketplace',
      },
      { deadlineMs: 15_000 },
    )
    if (opened.state === 'open') return { url: opened.url, order_id: id }
    await inTransaction(ctx.db, async (trx) => {
      const gone = await trx.deleteFrom('orders').where('id', '=', id).where('state', '=', 'open').executeTakeFirst()
      if (coupon && gone.numDeletedRows) await trx.updateTable('coupons').set({ used: sql`used - 1` }).where('id', '=', coupon).execute()
    })
    throw new DomainError(opened.state === 'seller_not_ready' ? 'seller_not_ready' : 'conflict')
  }

/** An id of nothing, or a product that cannot be bought. */
async function refusal(db: Ctx<MarketplaceDb>['db'], wanted: string[]): Promise<DomainError> {
  const { known } = await db
    .selectFrom('items')
    .select(sql<number>`count(*)::int`.as('known'))
    .where('id', 'in', wanted)
    .executeTakeFirstOrThrow()
  return new DomainError(known < new Set(wanted).size ? 'not_found' : 'not_for_sale')
}

const titleOf = (lines: { title: string }[]) => (lines.length === 1 ? lines[0]!.title : `${lines[0]!.title} and ${lines.length - 1} more`)

/** Asked by the page that the buyer comes back to. Until it is delivered, billing looks at the payment itself. */
export const orderStatus =
  ({ ask, vault }: Rt) =>
  async (ctx: Ctx<MarketplaceDb>, { token }: Input<typeof contract.orderStatus>): Promise<Output<typeof contract.orderStatus>> => {
    const order = await orderOf(vault, ctx, { token })
    const { id: order_id, title, amount_cents, currency, refunded_cents } = order
    const known = { order_id, kind: 'product' as const, title, amount_cents, currency, refunded_cents }
    if (order.state !== 'open') return { ...known, state: order.state }
    const { state } = await ask(settleSale, { kind: 'product', reference: order.id })
    return { ...known, state: state === 'settled' ? 'paid' : state === 'failed' || state === 'expired' ? 'failed' : 'open' }
  }
