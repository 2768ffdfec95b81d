import { z } from 'zod'
import { changing, id, reading, time } from '../contract.ts'

// Coupons: a seller makes, lists and ends them; a checkout takes one code.

export const CouponCode = z
  .string()
  .trim()
  .toUpperCase()
  .regex(/^[A-Z0-9][A-Z0-9-]{2,29}$/, 'A code has 3 to 30 letters, digits and hyphens.')
export const CouponState = z.enum(['active', 'scheduled', 'used_up', 'expired', 'ended'])
export const Coupon = z.object({
  coupon_id: z.uuid(),
  code: z.string(),
  /** One of the two: a share of the price, or an amount in dollars off each order. */
  percent_off: z.int().nullable(),
  amount_off_cents: z.int().nullable(),
  /** The products that it is for; null: all of the seller's. */
  item_ids: z.array(z.uuid()).nullable(),
  max_uses: z.int().nullable(),
  /** By orders that were paid, and by checkouts that are open. */
  used: z.int(),
  starts_at: time.nullable(),
  ends_at: time.nullable(),
  state: CouponState,
  created_at: time,
})
const example: z.output<typeof Coupon> = {
  coupon_id: '0190a1b2-0000-7000-8000-000000000021',
  code: 'SPRING-20',
  percent_off: 20,
  amount_off_cents: null,
  item_ids: null,
  max_uses: 100,
  used: 3,
  starts_at: null,
  ends_at: null,
  state: 'active',
  created_at: '2026-11-20T10:00:00.000Z',
}

export const createCoupon = changing('create-coupon', {
  summary: 'Makes a coupon code for the products that the person sells',
  description: 'It takes off a percentage or an amount, for all of their products or for some, until it is used up, expires or is ended.',
  body: z.object({
    code: CouponCode.meta({ examples: ['SPRING-20'] }),
    percent_off: z.int().min(1).max(90).optional(),
    amount_off_cents: z.int().min(50).max(1_000_000).optional(),
    item_ids: z.array(id('item')).min(1).max(50).optional(),
    max_uses: z.int().min(1).max(100_000).optional(),
    starts_at: time.optional(),
    ends_at: time.optional(),
  }),
  reply: Coupon,
  example: { request: { code: 'SPRING-20', percent_off: 20, max_uses: 100 }, reply: example },
  errors: ['not_found', 'coupon_off', 'coupon_dates', 'coupon_exists', 'too_many_coupons'],
  action: {
    title: 'Make a coupon',
    when: 'The person wants a discount code for what they sell',
    effect: 'changes',
    does: ({ code, percent_off, amount_off_cents }) =>
      `Makes the code ${code} for ${percent_off ? `${percent_off}%` : `$${((amount_off_cents ?? 0) / 100).toFixed(2)}`} off`,
  },
})
export const listCoupons = reading('list-coupons', {
  summary: "Lists the person's coupons, the newest first",
  body: z.object({ after: z.string().max(200).default('') }).prefault({}),
  reply: z.object({ coupons: z.array(Coupon), next: z.string().nullable() }),
})
export const endCoupon = changing('end-coupon', {
  summary: 'Ends a coupon: no new checkout takes it. Its code can be used for a new coupon',
  body: z.object({ coupon_id: id('coupon') }),
  reply: Coupon,
  errors: ['not_found'],
})
