import { z } from 'zod'
import { changing, event, fn, id, job, oneLine, personal, reading } from '../contract.ts'
import { ProductRow } from './products.ts'

// The seller's own pages: the overview, the business profile, and what became of a product's visitors.

export const marketplaceOverview = reading('marketplace-overview', {
  summary: "A seller's totals: sales, revenue, active products and unread messages, with the products that sold most",
  reply: z.object({
    sales: z.int(),
    /** Buyers' payments without tax, less refunds. */
    revenue: z.array(z.object({ currency: z.string(), amount_cents: z.int() })),
    active_products: z.int(),
    unread_messages: z.int(),
    /** Whether there is anything at all: until then the page shows sample data. */
    started: z.boolean(),
    best: z.array(ProductRow),
  }),
})

const website = z
  .string()
  .trim()
  .max(200)
  .refine((address) => address === '' || /^https?:\/\/[^\s/]+\.[^\s]+$/i.test(address), {
    message: 'Enter an address that begins with https://.',
  })
const email = z
  .string()
  .trim()
  .max(320)
  .refine((address) => address === '' || z.email().safeParse(address).success, { message: 'Enter an email address.' })
const slug = z.string().regex(/^[a-z0-9][a-z0-9-]{1,62}$/, 'Use 2 to 63 small letters, digits and hyphens.')
export const accents = ['lime', 'blue', 'violet', 'amber', 'coral', 'teal'] as const
export const Accent = z.enum(accents)

/** The seven specified fields, the storefront's address, and its look. Empty means not shown. */
const fields = {
  business_name: oneLine(120),
  contact_email: email,
  phone: oneLine(40),
  website,
  location: oneLine(120),
  business_category: oneLine(60),
  business_description: z.string().trim().max(2_000),
}
export const BusinessProfile = z.object({
  ...fields,
  website: z.string(),
  contact_email: z.string(),
  slug: z.string().nullable(),
  display_name: z.string().nullable(),
  accent: Accent,
  picture_id: z.uuid().nullable(),
  /** Why staff stopped the seller's sales, or null. */
  suspended_because: z.string().nullable(),
})
export const businessProfile = reading('business-profile', {
  summary: "The person's business profile, as their storefront shows it",
  reply: BusinessProfile,
})
export const saveBusinessProfile = changing('save-business-profile', {
  summary: 'Saves the business profile. Another slug renames the storefront: the old address leads to the new one',
  body: z.object({ ...fields, slug, accent: Accent, picture_id: z.uuid().nullable() }).partial(),
  reply: BusinessProfile,
  errors: ['slug_taken', 'file_not_yours'],
})

export const productAnalytics = reading('product-analytics', {
  summary: 'Views, sales, refunds and revenue of one product by day, and where its visitors came from',
  description: 'A view is counted by day and by the site that led to it, without cookies and without anything about the visitor.',
  body: z.object({ item_id: id('item'), days: z.union([z.literal(7), z.literal(30), z.literal(90)]).default(30) }),
  reply: z.object({
    views: z.int(),
    sales: z.int(),
    refunds: z.int(),
    revenue_cents: z.int(),
    currency: z.string(),
    /** Sales in a hundred views; null without views. */
    conversion_pct: z.number().nullable(),
    days: z.array(z.object({ day: z.iso.date(), views: z.int(), sales: z.int(), revenue_cents: z.int() })),
    /** By site, the most first; empty for those who came directly. */
    referrers: z.array(z.object({ referrer: z.string(), views: z.int() })),
  }),
  errors: ['not_found'],
})

/** Sent by a public page once it is seen. Robots that run no script do not count, and neither does the seller. */
export const countView = fn('count-view', {
  access: 'public',
  rate: 'read',
  demo: 'reads',
  summary: 'Counts a view of a product, by day and by the site that led to it',
  body: z.object({ item_id: z.uuid(), referrer: z.string().max(300).default('') }),
  reply: z.object({}),
})

/** Told under the seller, once in 30 days for a product. */
export const lowConversion = event(
  'marketplace.low_conversion',
  z.object({ item_id: z.uuid(), title: personal(z.string()), views: z.int(), sales: z.int(), days: z.int() }),
  {
    activity: ({ title, views, sales, days }) => `${title} was looked at ${views} times and bought ${sales} times in ${days} days`,
    link: ({ item_id }) => `/dashboard/marketplace/${item_id}`,
    trigger: {
      title: 'A product sells to few of its visitors',
      description: 'At least 100 views in 30 days, and fewer than one sale in 100 views.',
    },
    notice: ({ item_id, title, views, sales, days }) => [
      {
        kind: 'conversion',
        title: `${title} sells to few of its visitors`,
        body: `${views} views and ${sales === 1 ? '1 sale' : `${sales} sales`} in ${days} days. A clearer first sentence, a picture or another price may help.`,
        link: `/dashboard/marketplace/${item_id}`,
      },
    ],
  },
)
/** The daily look for such products. */
export const lookAtConversion = job('marketplace.look_at_conversion', z.object({ after: z.uuid().optional() }))
/** Takes out views and decided reports that nothing shows any more. */
export const forgetOld = job('marketplace.forget_old', z.object({}), { attempts: 1 })
