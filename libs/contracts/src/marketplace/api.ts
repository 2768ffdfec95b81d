import { z } from 'zod'
import { SaleKind } from '../billing/selling.ts'
import { changing, fn } from '../contract.ts'
import { item_id, ProductKind, price_cents, shown } from './products.ts'

// Products, and buying one of them.

export const MOST_IN_CART = 20

export const createProduct = changing('create-product', {
  summary: 'Makes a product as a draft',
  description: 'It is on sale once it is published.',
  body: z.object({
    title: shown(120),
    description: z.string().trim().max(10_000),
    price_cents,
    currency: z.literal('usd').default('usd'),
    category: shown(60),
    item_type: shown(40),
    /** A service is delivered by its seller; all others need a file. */
    kind: ProductKind.default('service'),
  }),
  reply: z.object({ item_id: z.uuid() }),
  example: {
    request: {
      title: 'Lead qualification',
      description: 'Five questions.',
      price_cents: 4900,
      category: 'Marketing',
      item_type: 'workflow',
    },
    reply: { item_id: '0190a1b2-0000-7000-8000-000000000005' },
  },
  errors: ['too_many_products'],
  action: {
    title: 'Create a product',
    when: 'The person wants to offer something for sale',
    effect: 'changes',
    does: ({ title, price_cents }) => `Makes ${title} for $${(price_cents / 100).toFixed(2)}, as a draft`,
  },
})
export const publishProduct = changing('publish-product', {
  summary: 'Puts a product on sale in the storefront',
  description: 'A storefront without an address gets one from the name.',
  body: z.object({ item_id }),
  reply: z.object({ url: z.url() }),
  example: {
    request: { item_id: '0190a1b2-0000-7000-8000-000000000005' },
    reply: { url: 'https://studio.example/marketplace/ann/lead-qualification' },
  },
  errors: ['not_found', 'product_incomplete'],
  action: {
    title: 'Publish a product',
    when: 'The person wants a product of theirs to be on sale',
    effect: 'changes',
    does: () => 'Puts the product on sale, for everybody to see',
  },
})

/** Price, currency and seller are those of the products: a buyer names nothing but what they want. */
export const startCheckout = fn('start-checkout', {
  demo: 'never',
  access: 'public',
  rate: 'public-send',
  summary: 'Opens a payment page for one or several products of one seller, for anybody',
  description: '`item_id` for one product, `item_ids` for several. Each product once.',
  body: z.object({
    item_id: item_id.optional(),
    item_ids: z.array(item_id).min(1).max(MOST_IN_CART).optional(),
    email: z.email().max(320).optional(),
    coupon: z.string().trim().max(40).optional(),
  }),
  reply: z.object({ url: z.url(), order_id: z.uuid() }),
  errors: ['not_found', 'not_for_sale', 'seller_not_ready', 'cart_mixed', 'coupon_invalid'],
  idempotent: 'two-phase',
})
/** By the token of the address that the buyer comes back to: it opens this order and nothing else. */
export const orderStatus = fn('order-status', {
  access: 'public',
  rate: 'read',
  summary: 'The state of an order, for anyone with its link',
  body: z.object({ token: z.string().min(20).max(100) }),
  reply: z.object({
    order_id: z.uuid(),
    kind: SaleKind,
    state: z.enum(['open', 'paid', 'delivered', 'refunded', 'failed']),
    title: z.string(),
    amount_cents: z.int(),
    currency: z.string(),
    refunded_cents: z.int(),
  }),
})
