import type { RefundReason } from '@operon/contracts/marketplace/refund-rules'
import type { FilesDb } from '@operon/kit/files/schema'
import type { PaceDb } from '@operon/kit/mail/paces'
import type { Generated } from 'kysely'

export type MarketplaceDb = FilesDb &
  PaceDb & {
    profiles: {
      user_id: string
      display_name: string | null
      /** Null until the seller claims one. */
      marketplace_slug: string | null
      version: number
      /** Goes up with each change of the slug, for those who hear of it. */
      slug_version: Generated<number>
      deleted_at: Date | null
      /** In lower case; null until its owner has proven it. */
      email: Generated<string | null>
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
      /** An operator keeps the account out until then: nothing of theirs is on sale meanwhile. */
      banned_until: Date | null
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
      conversion_told_at: Date | null
      /** Of all reviews that are shown: the mean is the one by the other. */
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
      /** The version that was bought. */
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
      /** Billing's number of the payment, and all that was paid, tax included. */
      sale_id: Generated<string | null>
      paid_cents: Generated<number | null>
      tax_cents: Generated<number>
      discount_cents: Generated<number>
      /** The coupon whose use it holds, while it is open and once it is paid. */
      coupon_id: Generated<string | null>
      /** When a guest's order went to the account of its address. */
      claimed_at: Generated<Date | null>
    }
    order_lines: {
      order_id: string
      item_id: string
      position: number
      version_id: string | null
      /** The version that the buyer has: the one that was bought, or a newer one that they took. */
      kept_version_id: string | null
      title: string
      /** Before a coupon, and as charged. */
      list_cents: number
      amount_cents: number
      downloaded_at: Generated<Date | null>
      /** The buyer of its order, kept by triggers. */
      buyer_id: Generated<string | null>
    }
    /** One an order, or one a buyer and product for questions before buying. */
    threads: {
      id: string
      seller_id: string
      order_id: string | null
      item_id: string | null
      buyer_id: string | null
      email: string | null
      subject: string
      preview: Generated<string>
      last_from: Generated<'buyer' | 'seller'>
      last_at: Generated<Date>
      seller_unread: Generated<number>
      buyer_unread: Generated<number>
      created_at: Generated<Date>
      /** When the seller first answered. */
      answered_at: Generated<Date | null>
    }
    thread_messages: {
      id: string
      thread_id: string
      side: 'buyer' | 'seller'
      text: string
      via: Generated<'app' | 'mail'>
      /** Of the email that it came by, so that one that is delivered twice is one message. */
      mail_id: Generated<string | null>
      /** So many files of that email were not taken. */
      files_left: Generated<number>
      created_at: Generated<Date>
    }
    message_files: { message_id: string; file_id: string; name: string; bytes: number; type: string; position: number }
    reviews: {
      id: string
      order_id: string
      item_id: string
      seller_id: string
      buyer_id: string | null
      title: string
      name: string
      rating: number
      text: Generated<string>
      photo_ids: Generated<string[]>
      answer: Generated<string | null>
      answered_at: Generated<Date | null>
      refunded: Generated<boolean>
      /** Taken down by staff: neither shown nor counted. */
      hidden_at: Generated<Date | null>
      created_at: Generated<Date>
    }
    refund_requests: {
      id: string
      order_id: string
      seller_id: string
      buyer_id: string | null
      reason: RefundReason
      text: string
      state: Generated<'open' | 'accepted' | 'refunded' | 'declined'>
      answer: Generated<string | null>
      decided_by: Generated<'seller' | 'rule' | null>
      decided_at: Generated<Date | null>
      due_at: Date
      created_at: Generated<Date>
    }
    wishlist: { user_id: string; item_id: string; created_at: Generated<Date> }
    saved_searches: {
      id: string
      user_id: string
      q: string
      category: string
      mails: Generated<boolean>
      /** When its owner last looked, and when the sweep did. */
      seen_at: Generated<Date>
      looked_at: Generated<Date>
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
    /** The same by the day of the order (UTC). */
    item_days: { item_id: string; day: string; seller_id: string; sales: number; refunds: number; revenue_cents: string }
    /** How many products a seller has in each state and on sale, kept by triggers. */
    item_counts: { user_id: string; draft: number; active: number; archived: number; on_sale: number }
    /** The sums of `item_sales`. */
    seller_sales: { seller_id: string; currency: string; sales: string; revenue_cents: string }
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
