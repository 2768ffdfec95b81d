import type { Generated } from 'kysely'

export type MarketplaceDb = {
  profiles: {
    user_id: string
    display_name: string | null
    /** Null until the seller claims one. */
    marketplace_slug: string | null
    version: number
    deleted_at: Date | null
  }
  items: {
    id: string
    user_id: string
    title: string
    description: Generated<string>
    category: string
    price_cents: number
    currency: Generated<string>
    item_type: string
    is_active: Generated<boolean>
    created_at: Generated<Date>
  }
  orders: {
    id: string
    item_id: string
    seller_id: string
    buyer_id: string | null
    email: string | null
    /** As it was when it was ordered. */
    title: string
    amount_cents: number
    currency: string
    token_hash: Buffer
    state: Generated<'open' | 'delivered' | 'refunded'>
    refunded_cents: Generated<number>
    /** The version of billing's sale that the refund comes from. */
    sale_version: Generated<number>
    delivered_at: Date | null
    created_at: Generated<Date>
  }
}
