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
}
