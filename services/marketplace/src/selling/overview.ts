import type { Output } from '@operon/contracts/contract'
import type * as contract from '@operon/contracts/marketplace/selling'
import { type Ctx, signedIn } from '@operon/kit/context'
import { sql } from 'kysely'
import { bestProducts } from '../items/listed.ts'
import type { MarketplaceDb } from '../schema.ts'

const BEST = 5
const MOST_COUNTED = 1_000

/** Refunded amounts do not count. */
export async function marketplaceOverview(ctx: Ctx<MarketplaceDb>): Promise<Output<typeof contract.marketplaceOverview>> {
  const { id: userId } = signedIn(ctx)
  const [sold, best, products, waiting] = await Promise.all([
    sql<{ currency: string; sales: number; amount_cents: string }>`
      select currency, sales::int as sales, revenue_cents as amount_cents
      from seller_sales where seller_id = ${userId} order by 3 desc, 1`.execute(ctx.db),
    sql<{ item_id: string }>`
      select item_id from item_sales where seller_id = ${userId} and sales > 0 order by sales desc, item_id limit ${BEST}`.execute(ctx.db),
    ctx.db.selectFrom('item_counts').select(['on_sale', 'draft', 'active', 'archived']).where('user_id', '=', userId).executeTakeFirst(),
    sql<{ unread: number }>`
      select coalesce(sum(seller_unread), 0)::int as unread from (
        select seller_unread from threads where seller_id = ${userId} and seller_unread > 0 order by last_at desc, id desc limit ${MOST_COUNTED}
      ) newest`.execute(ctx.db),
  ])
  const any = products !== undefined && products.draft + products.active + products.archived > 0
  return {
    sales: sold.rows.reduce((sum, { sales }) => sum + sales, 0),
    revenue: sold.rows.map(({ currency, amount_cents }) => ({ currency, amount_cents: Number(amount_cents) })),
    active_products: products?.on_sale ?? 0,
    unread_messages: waiting.rows[0]!.unread,
    started: any || sold.rows.length > 0,
    best: await bestProducts(
      ctx.db,
      userId,
      best.rows.map(({ item_id }) => item_id),
    ),
  }
}
