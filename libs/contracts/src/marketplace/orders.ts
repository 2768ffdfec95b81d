import { z } from 'zod'
import { Paper } from '../billing/documents.ts'
import { col, endpoint, fn, id, job, reading, time } from '../contract.ts'
import { RefundRequest } from './refunds.ts'
import { cursor } from './shapes.ts'

// The buyer's side: orders, their files, and new versions of products they bought.

export const OrderState = z.enum(['open', 'paid', 'delivered', 'refunded', 'failed'])
const byLinkOrId = { token: z.string().min(20).max(100).optional(), order_id: id('order').optional() }

const OrderFile = z.object({ file_id: z.uuid(), name: z.string(), bytes: z.int(), type: z.string() })
const OrderLine = z.object({
  item_id: z.uuid(),
  title: z.string(),
  amount_cents: z.int(),
  /** The product's page, while it is on sale. */
  path: z.string().nullable(),
  picture: z.string().nullable(),
  /** The version that the buyer has now: the one that was bought, or a newer one that they took. */
  version: z.int().nullable(),
  licence_terms: z.string(),
  /** The license key, where the product has them, and on how many machines it may be used. */
  key: z.object({ key: z.string(), activation_limit: z.int(), activations: z.int() }).nullable(),
  files: z.array(OrderFile),
  /** A version that came out since, and what is new in it. Null where there is none, or once the buyer has it. */
  update: z
    .object({
      version: z.int(),
      notes: z.string(),
      at: time,
      added: z.array(z.string()),
      changed: z.array(z.string()),
      removed: z.array(z.string()),
      /** The terms of the purchase stay; these are what the new version is sold under. */
      other_terms: z.boolean(),
    })
    .nullable(),
  review: z
    .object({ id: z.uuid(), rating: z.int(), text: z.string(), name: z.string(), photo_ids: z.array(z.uuid()).optional() })
    .nullable(),
})
export const Order = z.object({
  id: z.uuid(),
  state: OrderState,
  title: z.string(),
  amount_cents: z.int(),
  tax_cents: z.int(),
  discount_cents: z.int(),
  currency: z.string(),
  refunded_cents: z.int(),
  at: time,
  delivered_at: time.nullable(),
  email: z.string().nullable(),
  seller: z.object({ name: z.string(), slug: z.string().nullable() }),
  lines: z.array(OrderLine),
  /** Belongs to the account that asks. */
  mine: z.boolean(),
  /** Belongs to an account: its owner finds it in their dashboard. */
  claimed: z.boolean(),
  refund: RefundRequest.nullable(),
  /** Until when a refund can be asked for; null where it cannot. */
  refundable_until: time.nullable(),
})
const Brief = z.object({
  id: z.uuid(),
  state: OrderState,
  title: z.string(),
  amount_cents: z.int(),
  currency: z.string(),
  refunded_cents: z.int(),
  at: time,
})
const brief = {
  id: '0190a1b2-0000-7000-8000-000000000004',
  state: 'delivered' as const,
  title: 'Lead qualification',
  amount_cents: 4900,
  currency: 'usd',
  refunded_cents: 0,
  at: '2026-11-24T10:00:00.000Z',
}

/** Everything about one order, for the page of it: by its link, or as the buyer whose order it is. */
export const showOrder = fn('show-order', {
  access: 'public',
  rate: 'read',
  summary: 'An order with its files, for its buyer or anyone with its link',
  body: z.object(byLinkOrId),
  reply: Order,
  errors: ['not_found'],
})
export const orderDownload = fn('order-download', {
  access: 'public',
  rate: 'read',
  summary: 'A link of five minutes to a file that was bought',
  description: 'It takes Range, so that a transfer that was cut can go on, and ends with a full refund.',
  body: z.object({ ...byLinkOrId, file_id: id('upload') }),
  reply: z.object({ url: z.string(), expires_at: time }),
  errors: ['not_found'],
})
/** The invoice of an order and the credit notes for what went back of it. */
export const orderDocuments = fn('order-documents', {
  access: 'public',
  rate: 'read',
  summary: 'The invoice of an order, and a credit note for each refund',
  body: z.object(byLinkOrId),
  reply: z.object({ documents: z.array(Paper) }),
  errors: ['not_found'],
})
export const orderDocument = fn('order-document', {
  access: 'public',
  rate: 'read',
  summary: 'An invoice or credit note of an order as a PDF',
  description: 'The PDF is in base64.',
  body: z.object({ ...byLinkOrId, document_id: id('document') }),
  reply: z.object({ filename: z.string(), content_type: z.literal('application/pdf'), pdf: z.base64() }),
  errors: ['not_found'],
})
export const openDownload = endpoint({
  method: 'GET',
  path: '/files/v1/marketplace/~orders/:pass',
  access: 'public',
  rate: 'read',
  raw: true,
  params: z.object({ pass: z.string().max(120) }),
  reply: z.unknown(),
  summary: 'A file that was bought, by a link of five minutes',
})
export const takeUpdate = fn('take-update', {
  access: 'public',
  rate: 'write',
  summary: 'Takes the newest version of a product that was bought',
  description: 'Price and terms of the purchase stay as they were, and the files of the version that was bought stay as well.',
  body: z.object({ ...byLinkOrId, item_id: id('item') }),
  reply: z.object({ version: z.int() }),
  errors: ['not_found'],
  idempotent: true,
})
export const myOrders = reading('my-orders', {
  summary: 'Lists what you bought, newest first',
  body: z.object({ cursor: cursor.optional() }),
  reply: z.object({ orders: z.array(Brief.extend({ seller: z.string(), update: z.boolean() })), cursor: cursor.nullable() }),
})
/** The seller's side. */
export const findOrder = reading('find-order', {
  summary: 'Finds orders of your buyers',
  description:
    'The newest 20 that fit a part of the email address or product, or the id of an order. One or two letters are looked for in your last 2,000 orders, and beyond these an address with its @ from its beginning.',
  body: z.object({ query: z.string().trim().min(1).max(200) }),
  reply: z.object({
    orders: z.array(Brief.extend({ email: z.string().nullable(), thread_id: z.uuid().nullable() })),
    /** More than these fit. */
    more: z.boolean().optional(),
    /** Only orders after this moment were looked through; absent where all were. */
    searched_back_to: time.optional(),
  }),
  example: { request: { query: 'guest@' }, reply: { orders: [{ ...brief, email: 'guest@example.com', thread_id: null }], more: false } },
  errors: [],
  action: {
    title: 'Find an order',
    when: 'The person looks for an order of a buyer, by name, email or product',
    effect: 'reads',
    evidence: {
      rows: 'orders',
      columns: {
        at: col.time('When'),
        title: col.text('Product'),
        email: col.text('Buyer'),
        state: col.text('State'),
        amount_cents: col.cents('Amount'),
      },
    },
  },
})
/** The total of a cart before the payment page opens. */
export const cartQuote = fn('cart-quote', {
  access: 'public',
  rate: 'read',
  summary: 'Adds up what the products of a cart cost together, with a coupon’s discount',
  description:
    'All of one seller. What is no longer for sale is left out. With a country, the tax that a private person pays there; the payment page works it out again by the whole address.',
  body: z.object({
    item_ids: z.array(id('item')).min(1).max(20),
    coupon: z.string().trim().max(40).optional(),
    country: z
      .string()
      .regex(/^[A-Z]{2}$/)
      .optional(),
  }),
  reply: z.object({
    seller: z.object({ name: z.string(), slug: z.string().nullable() }),
    lines: z.array(
      z.object({
        item_id: z.uuid(),
        title: z.string(),
        list_cents: z.int(),
        amount_cents: z.int(),
        path: z.string().nullable(),
        picture: z.string().nullable(),
      }),
    ),
    left_out: z.array(z.uuid()),
    discount_cents: z.int(),
    /** Before tax. */
    total_cents: z.int(),
    currency: z.string(),
    /** Where a country was named: `by_address` and `unknown` are told on the payment page. */
    tax: z
      .object({ state: z.enum(['known', 'none', 'by_address', 'unknown']), name: z.string(), percent: z.number(), cents: z.int() })
      .nullish(),
  }),
  errors: ['not_for_sale', 'cart_mixed', 'coupon_invalid'],
})

/** Uses of coupons that nobody paid for go back. */
export const sweepCoupons = job('marketplace.sweep_coupons', z.object({}), { attempts: 1 })
/** The receipt, with the link to the order. */
export const receiptLetter = job('marketplace.receipt_letter', z.object({ order_id: z.uuid() }))
/** Tells the buyers of older versions of a new one, some at a time. */
export const tellOfVersion = job('marketplace.tell_of_version', z.object({ version_id: z.uuid(), after: z.uuid().nullable() }))
/** One buyer's letter about it. */
export const versionLetter = job('marketplace.version_letter', z.object({ order_id: z.uuid(), version_id: z.uuid() }))
