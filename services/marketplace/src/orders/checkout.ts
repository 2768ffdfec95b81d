import { createHash, randomBytes } from 'node:crypto'
import { openSaleCheckout, settleSale } from '@operon/contracts/billing/selling-events'
import type { Input, Output } from '@operon/contracts/contract'
import type * as contract from '@operon/contracts/marketplace/api'
import { type Ctx, userIdOf } from '@operon/kit/context'
import { DomainError } from '@operon/kit/errors'
import { newId } from '@operon/kit/ids'
import type { Runtime } from '@operon/kit/service'
import type { MarketplaceDb } from '../schema.ts'

type Asks = Pick<Runtime<MarketplaceDb>, 'ask'>

/** Price and currency are those of the version on sale, not of what its seller is editing: a buyer names only what they want. */
export const startCheckout =
  ({ ask }: Asks) =>
  async (
    ctx: Ctx<MarketplaceDb>,
    { item_id, email }: Input<typeof contract.startCheckout>,
  ): Promise<Output<typeof contract.startCheckout>> => {
    const item = await ctx.db
      .selectFrom('items as i')
      .leftJoin('item_versions as v', 'v.id', 'i.current_version_id')
      .select(['i.user_id', 'i.title', 'i.is_active', 'v.id as version_id', 'v.price_cents', 'v.currency'])
      .where('i.id', '=', item_id)
      .executeTakeFirst()
    if (!item) throw new DomainError('not_found')
    const { version_id, price_cents, currency } = item
    if (!item.is_active || !version_id || price_cents === null || !currency) throw new DomainError('not_for_sale')
    const buyer = userIdOf(ctx.actor)
    // The link that the buyer comes back by: whoever holds it sees this order and nothing else.
    const token = randomBytes(24).toString('base64url')
    const order = await ctx.db
      .insertInto('orders')
      .values({
        ...{ id: newId(), item_id, version_id, seller_id: item.user_id, buyer_id: buyer, email: email ?? null, title: item.title },
        ...{ amount_cents: price_cents, currency, token_hash: hashOf(token), delivered_at: null },
      })
      .returning('id')
      .executeTakeFirstOrThrow()
    const opened = await ask(
      openSaleCheckout,
      {
        ...{
          kind: 'product',
          reference: order.id,
          seller_id: item.user_id,
          buyer_id: buyer,
          email: email ?? null,
          currency,
        },
        lines: [{ item_id, title: item.title, amount_cents: price_cents }],
        success_path: `/thank-you?order=${token}`,
        cancel_path: `/marketplace`,
      },
      { deadlineMs: 15_000 },
    )
    if (opened.state === 'open') return { url: opened.url, order_id: order.id }
    await ctx.db.deleteFrom('orders').where('id', '=', order.id).where('state', '=', 'open').execute()
    throw new DomainError(opened.state === 'seller_not_ready' ? 'seller_not_ready' : 'conflict')
  }

/** Asked by the page that the buyer comes back to. Until it is delivered, billing looks at the payment itself. */
export const orderStatus =
  ({ ask }: Asks) =>
  async ({ db }: Ctx<MarketplaceDb>, { token }: Input<typeof contract.orderStatus>): Promise<Output<typeof contract.orderStatus>> => {
    const order = await db.selectFrom('orders').selectAll().where('token_hash', '=', hashOf(token)).executeTakeFirst()
    if (!order) throw new DomainError('not_found')
    const { id: order_id, title, amount_cents, currency, refunded_cents } = order
    const known = { order_id, kind: 'product' as const, title, amount_cents, currency, refunded_cents }
    if (order.state !== 'open') return { ...known, state: order.state }
    const { state } = await ask(settleSale, { kind: 'product', reference: order.id })
    return { ...known, state: state === 'settled' ? 'paid' : state === 'failed' || state === 'expired' ? 'failed' : 'open' }
  }

const hashOf = (token: string) => createHash('sha256').update(token).digest()
