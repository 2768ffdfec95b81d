import type { FilesDb } from '@operon/kit/files/schema'
import type { Generated } from 'kysely'

export type MarketplaceDb = FilesDb & {
  profiles: {
    user_id: string
    display_name: string | null
    /** Null until the seller claims one. */
    marketplace_slug: string | null
    version: number
    /** Goes up with each change of the slug, for those who hear of it. */
    slug_version: Generated<number>
    deleted_at: Date | null
    business_name: Generated<string>
    contact_email: Generated<string>
    phone: Generated<string>
    website: Generated<string>
    location: Generated<string>
    business_category: Generated<string>
    business_description: Generated<string>
    accent: Generated<string>
    picture_id: string | null
    /** Stopped by staff: nothing of theirs is on sale, and buyers keep what they bought. */
    suspended_at: Date | null
    suspended_because: string | null
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
    /** In step with `status` and `suspended_at`, by a trigger. */
    is_active: Generated<boolean>
    created_at: Generated<Date>
    /** Its part of the address, unique with its seller; null until it is published. */
    slug: string | null
    status: Generated<'draft' | 'active' | 'archived'>
    kind: Generated<'template' | 'file' | 'prompt_pack' | 'service'>
    summary: Generated<string>
    licence_terms: Generated<string>
    /** Files, in the order in which they are shown. */
    image_ids: Generated<string[]>
    /** Null until it is published. */
    current_version_id: string | null
    published_at: Date | null
    updated_at: Generated<Date>
    /** Taken down by staff: nobody can buy it, whatever its seller does. */
    suspended_at: Date | null
    suspended_because: string | null
    /** Where it goes when it is restored. */
    archived_from: 'draft' | 'active' | null
    /** Of its reviews, kept in their transactions. */
    rating_sum: Generated<number>
    rating_count: Generated<number>
  }
  item_versions: {
    id: string
    item_id: string
    number: number
    notes: Generated<string>
    price_cents: number
    currency: string
    licence_terms: Generated<string>
    /** So many machines may use one licence key; null: no keys. */
    activation_limit: number | null
    manifest: unknown
    created_at: Generated<Date>
    /** From then on the row never changes. One version of a product at most is not published. */
    published_at: Date | null
  }
  version_files: {
    version_id: string
    file_id: string
    name: string
    bytes: number
    sha256: string
    type: string
    scan: Generated<'none' | 'clean' | 'infected'>
    position: number
  }
  orders: {
    id: string
    item_id: string
    /** The product that was bought. */
    version_id: string | null
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
  /** Slugs that a storefront had before, so that old links lead on. */
  left_slugs: { slug: string; user_id: string; left_at: Generated<Date> }
  /** The same for products, with their seller. */
  left_item_slugs: { user_id: string; slug: string; item_id: string; left_at: Generated<Date> }
  coupons: {
    id: string
    seller_id: string
    /** In capitals; one seller has one coupon of a code that has not ended. */
    code: string
    percent_off: number | null
    amount_off_cents: number | null
    item_ids: string[] | null
    max_uses: number | null
    used: Generated<number>
    starts_at: Date | null
    ends_at: Date | null
    ended_at: Date | null
    created_at: Generated<Date>
  }
  license_keys: {
    id: string
    order_id: string
    item_id: string
    seller_id: string
    key_hash: Buffer
    /** The key itself, for its buyer. */
    sealed: string
    activation_limit: number
    created_at: Generated<Date>
  }
  activations: { key_id: string; machine_hash: Buffer; at: Generated<Date> }
  /** How often a product was looked at, by day and by the site that led there; nothing about whoever looked. */
  item_views: { item_id: string; day: string; referrer: string; views: Generated<number> }
  /** Totals of each product's orders, kept by a trigger of theirs. */
  item_sales: { item_id: string; seller_id: string; currency: string; sales: number; refunds: number; revenue_cents: string }
  /** `item_id` null: about the seller as a whole. */
  reports: {
    id: string
    item_id: string | null
    seller_id: string
    reason: string
    text: Generated<string>
    reporter_id: string | null
    created_at: Generated<Date>
    closed_at: Date | null
  }
  moderation_actions: {
    id: string
    staff_id: string
    item_id: string | null
    seller_id: string
    title: string
    decision: string
    reason: string
    created_at: Generated<Date>
  }
}
