import { z } from 'zod'
import { endpoint, fn, id, job, request } from '../contract.ts'
import { Accent } from './selling.ts'

// The public pages of the marketplace: what the gateway fills its frames with, and what the app asks for when it moves between them.

/** A storefront (`slug`), a product of it (`slug` and `item`), or the directory of all sellers (neither). */
export const StorefrontAddress = z.object({
  slug: z.string().max(63).nullable().default(null),
  item: z.string().max(80).nullable().default(null),
  q: z.string().max(100).default(''),
  category: z.string().max(60).default(''),
  after: z.string().max(120).default(''),
})

export const StorefrontSeller = z.object({ slug: z.string(), name: z.string() })
export const StorefrontOffer = z.object({
  id: z.uuid(),
  /** Its part of the address: its slug, or its id while it has none. */
  key: z.string(),
  title: z.string(),
  summary: z.string(),
  category: z.string(),
  item_type: z.string(),
  price_cents: z.int(),
  currency: z.string(),
  seller: StorefrontSeller,
  /** The path of its first picture. */
  picture: z.string().nullable(),
  /** The mean of its buyers' reviews; null until the first. */
  rating: z.object({ mean: z.number(), count: z.int() }).nullable().default(null),
})
/** A seller's description of their business; empty fields are not shown. */
export const StorefrontProfile = z.object({
  contact_email: z.string(),
  phone: z.string(),
  website: z.string(),
  location: z.string(),
  business_category: z.string(),
  business_description: z.string(),
  accent: Accent,
  picture: z.string().nullable(),
})
const offers = {
  offers: z.array(StorefrontOffer),
  categories: z.array(z.string()),
  /** Where the next page begins; null on the last. */
  next: z.string().nullable(),
}

export const StorefrontPage = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('directory'), ...offers }),
  /** `total` counts what is on sale here, up to 1,000. */
  z.object({ kind: z.literal('storefront'), seller: StorefrontSeller, profile: StorefrontProfile.optional(), total: z.int(), ...offers }),
  z.object({
    kind: z.literal('product'),
    product: StorefrontOffer.extend({
      description: z.string(),
      licence_terms: z.string(),
      version: z.int().nullable(),
      /** So many machines may use one licence key; null: no keys. */
      activation_limit: z.int().nullable().default(null),
      files: z.int().default(0),
      pictures: z.array(z.string()),
      /** Of its seller's storefront. */
      accent: Accent.optional(),
    }),
    more: z.array(StorefrontOffer),
  }),
  /** An address that was left: `path` has what was asked for today. */
  z.object({ kind: z.literal('moved'), path: z.string() }),
  /** `seller` is there when only the product is not. */
  z.object({ kind: z.literal('missing'), seller: StorefrontSeller.nullable() }),
])

export const storefrontPageRequest = request('marketplace.storefront_page', StorefrontAddress, StorefrontPage)

export const storefrontPage = fn('storefront-page', {
  access: 'public',
  rate: 'read',
  summary: 'Shows a page of the marketplace: the directory, a storefront, or a product',
  body: StorefrontAddress,
  reply: StorefrontPage,
})

/** `start-checkout` for a browser without JavaScript. */
export const buyNow = endpoint({
  method: 'POST',
  path: '/functions/v1/buy-now',
  demo: 'never',
  access: 'public',
  rate: 'public-send',
  raw: true,
  summary: 'The form of a product page: redirects to the payment page',
  description: 'Takes the forms of our own pages alone, and answers with a page where the checkout does not open.',
  body: z.object({ item_id: id('item') }),
  reply: z.unknown(),
  contentType: 'text/html',
})

export const storefrontSitemap = endpoint({
  method: 'GET',
  path: '/functions/v1/storefront-sitemap',
  access: 'public',
  rate: 'read',
  raw: true,
  summary: 'The storefronts and products for search engines, as a sitemap: the newest 10,000 products and their sellers',
  reply: z.unknown(),
  contentType: 'application/xml',
})

/** The widths that pages show pictures in; 640 is of pages from the release before, 1280 of the head of a storefront. */
export const PICTURE_WIDTHS = ['480', '640', '720', '960', '1280'] as const
/** Makes the copies of a picture of a product or a storefront before anybody looks at its page. */
export const copyPicture = job('marketplace.copy_picture', z.object({ file_id: z.uuid() }))
/** The address never changes and a picture never does: caches may keep it for ever. */
export const productPicture = endpoint({
  method: 'GET',
  path: '/files/v1/marketplace/~pictures/:picture',
  access: 'public',
  rate: 'read',
  raw: true,
  params: z.object({ picture: id('upload') }),
  query: z.object({ w: z.enum(PICTURE_WIDTHS).optional(), f: z.enum(['avif']).optional() }),
  reply: z.unknown(),
  summary: 'A picture of a product that is on sale, or the same at most 480, 640, 720, 960 or 1280 pixels wide, as WebP or AVIF',
})
