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
    /** What was bought. */
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
}
