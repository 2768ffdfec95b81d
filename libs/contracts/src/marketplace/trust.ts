import { z } from 'zod'
import { event, fn, id, job, personal, plain, time } from '../contract.ts'

// Reports about what is on sale, and what staff decide.

export const reportReasons = ['illegal', 'malware', 'copied', 'misleading', 'hateful', 'other'] as const
export const ReportReason = z.enum(reportReasons)

export const reportListing = fn('report-listing', {
  access: 'public',
  rate: 'public-send',
  demo: 'never',
  summary: 'Tells staff that a product or a storefront breaks the rules',
  description: 'Nobody but staff learns of it. With `item_id` the product, else the storefront of `slug`.',
  body: z
    .object({
      item_id: id('item').optional(),
      slug: z.string().max(63).optional(),
      reason: ReportReason,
      text: z.string().trim().max(1_000).default(''),
    })
    .refine(({ item_id, slug }) => item_id !== undefined || slug !== undefined, { message: 'Name a product or a storefront.' }),
  reply: z.object({ reported: z.literal(true) }),
  errors: ['not_found'],
})

const reason = z.string().trim().min(3).max(500)
/** `item_id` null: the seller as a whole. */
const target = { item_id: z.uuid().nullable(), seller_id: z.uuid() }
export const moderationQueue = fn('staff-reports', {
  access: 'staff',
  rate: 'read',
  summary: 'Lists the open reports, the oldest first, and the last decisions of staff',
  body: z.object({ reason }),
  reply: z.object({
    /** One for each product or seller, with the newest of its reports. */
    open: z.array(
      z.object({
        ...target,
        title: z.string(),
        seller: z.string(),
        path: z.string().nullable(),
        suspended: z.boolean(),
        reports: z.int(),
        newest: z.array(z.object({ reason: ReportReason, text: z.string(), at: time })),
        first_at: time,
      }),
    ),
    more: z.boolean(),
    decided: z.array(z.object({ ...target, title: z.string(), decision: z.string(), reason: z.string(), by: z.string(), at: time })),
  }),
})
/** `takedown` ends sales of one product and `suspend` those of a seller; buyers keep what they bought either way. */
export const moderate = fn('staff-moderate', {
  access: 'staff',
  summary: 'Decides about a product or a seller: nothing wrong, taken down, sales stopped, or opened again',
  description: 'The seller is told the reason. `item_id` is needed for a takedown.',
  body: z.object({
    item_id: id('item').nullable().default(null),
    seller_id: id('user'),
    decision: z.enum(['dismiss', 'takedown', 'restore', 'suspend', 'reinstate']),
    reason,
  }),
  reply: z.object({ reports_closed: z.int() }),
  errors: ['not_found'],
})

const page = '/dashboard/marketplace'
/** Told under the seller. */
export const listingModerated = event(
  'marketplace.listing_moderated',
  z.object({
    item_id: z.uuid().nullable(),
    title: personal(z.string()),
    decision: z.enum(['takedown', 'restore', 'suspend', 'reinstate']),
    reason: plain(z.string()),
  }),
  {
    activity: ({ title, decision }) => said(title)[decision],
    link: ({ item_id }) => (item_id ? `${page}/${item_id}` : page),
    notice: ({ item_id, title, decision, reason }) => [
      { kind: 'moderation', title: said(title)[decision], body: reason, link: item_id ? `${page}/${item_id}` : page },
    ],
    email: ({ item_id, title, decision, reason }, product) => ({
      subject: `${said(title)[decision]} on ${product}`,
      title: said(title)[decision],
      text: reason,
      label: 'Open your marketplace',
      path: item_id ? `${page}/${item_id}` : page,
      after: 'Buyers keep what they bought. Answer this email if you think that this is wrong.',
    }),
  },
)
const said = (title: string) => ({
  takedown: `${title} was taken down`,
  restore: `${title} is back on sale`,
  suspend: 'Your sales were suspended',
  reinstate: 'Your sales are open again',
})

/** Looks for malware in a file that a product uses, where an engine is set up. */
export const scanFile = job('marketplace.scan_file', z.object({ file_id: z.uuid() }), { attempts: 8 })
/** Asks which accounts are kept out: the events of bans from before this was kept told nothing of them. */
export const learnBans = job('marketplace.learn_bans', z.object({}), { attempts: 1 })
/** Puts on sale again what is of accounts whose ban has ended. */
export const endBans = job('marketplace.end_bans', z.object({}), { attempts: 1 })
