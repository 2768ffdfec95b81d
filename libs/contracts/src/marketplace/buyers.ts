import { z } from 'zod'
import { changing, endpoint, id, job, reading, time } from '../contract.ts'
import { cursor } from './shapes.ts'
import { StorefrontOffer } from './storefront.ts'

// A buyer's own place: four counters, what they saved, and the searches that tell them of new products.

export const MOST_SEARCHES = 20
export const MOST_WISHES = 500

export const buyerOverview = reading('buyer-overview', {
  summary: 'How many orders, saved products, reviews and searches you have, and what waits for you',
  description: 'Each counted up to 1,000.',
  body: z.object({}),
  reply: z.object({
    orders: z.int(),
    wishlist: z.int(),
    reviews: z.int(),
    searches: z.int(),
    unread_messages: z.int(),
    /** Orders for which a newer version is out. */
    updates: z.int(),
    /** Orders made as a guest under the account's address come to it once its owner has confirmed it. */
    address_confirmed: z.boolean(),
  }),
})

export const saveItem = changing('save-item', {
  summary: 'Saves a product for later, or takes it off the wishlist',
  body: z.object({ item_id: id('item'), saved: z.boolean().default(true) }),
  reply: z.object({ saved: z.boolean() }),
  errors: ['not_found', 'wishlist_full'],
})
export const isSaved = reading('item-saved', {
  summary: 'Whether a product is on your wishlist, and whether you bought it',
  body: z.object({ item_id: id('item') }),
  reply: z.object({ saved: z.boolean(), order_id: z.uuid().nullable() }),
})
export const myWishlist = reading('my-wishlist', {
  summary: 'Lists the products you saved, newest first',
  body: z.object({ cursor: cursor.optional() }),
  reply: z.object({
    wishes: z.array(
      z.object({
        item_id: z.uuid(),
        title: z.string(),
        saved_at: time,
        /** Null while it is not on sale. */
        offer: StorefrontOffer.nullable(),
      }),
    ),
    cursor: cursor.nullable(),
  }),
})

export const SavedSearch = z.object({
  id: z.uuid(),
  q: z.string(),
  category: z.string(),
  mails: z.boolean(),
  /** Products that came since you last looked, up to 100. */
  fresh: z.int(),
  at: time,
})
export const saveSearch = changing('save-search', {
  summary: 'Saves a search of the marketplace and tells you of new products by email',
  body: z.object({ q: z.string().trim().max(100).default(''), category: z.string().trim().max(60).default('') }),
  reply: z.object({ search_id: z.uuid() }),
  errors: ['invalid', 'searches_full'],
})
export const mySearches = reading('my-searches', {
  summary: 'Lists the searches you saved, with how much is new in each',
  body: z.object({}),
  reply: z.object({ searches: z.array(SavedSearch) }),
})
export const changeSearch = changing('change-search', {
  summary: 'Switches the emails of a saved search on or off, marks it as looked at, or deletes it',
  body: z.object({
    search_id: id('saved_search'),
    mails: z.boolean().optional(),
    looked_at: z.literal(true).optional(),
    deleted: z.literal(true).optional(),
  }),
  reply: z.object({ changed: z.boolean() }),
  errors: ['not_found'],
})
const token = z.string().max(200)
/** The link in the emails. It opens without a session, and the button on it is the change: mail scanners open links too. */
export const searchUnsubscribePage = endpoint({
  method: 'GET',
  path: '/functions/v1/search-unsubscribe',
  access: 'public',
  rate: 'auth-strict',
  summary: 'The page of the unsubscribe link of a saved search',
  query: z.object({ token: token.default('') }),
  reply: z.string(),
  raw: true,
  contentType: 'text/html',
})
export const searchUnsubscribe = endpoint({
  method: 'POST',
  path: '/functions/v1/search-unsubscribe',
  access: 'public',
  rate: 'auth-strict',
  summary: 'Ends the emails of a saved search, in one click',
  query: z.object({ token: token.optional() }),
  body: z.looseObject({ token: token.optional() }).nullish(),
  reply: z.object({ ok: z.boolean(), message: z.string() }),
  raw: true,
})

/** Looks for new products in the searches that have not been looked at for a day. */
export const sweepSearches = job('marketplace.sweep_searches', z.object({}), { attempts: 1 })
export const searchLetter = job('marketplace.search_letter', z.object({ search_id: z.uuid(), since: time }))
