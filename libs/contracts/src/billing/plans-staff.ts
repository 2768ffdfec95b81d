import { z } from 'zod'
import { fn, id } from '../contract.ts'
import { SubscriptionStatus } from './api.ts'
import { Currency, Period, PlanId, reason, time } from './shapes.ts'

// Staff's calls about plans: ending one, credit, coupons, money of unknown purpose, and how the subscriptions do. Each leaves its reason.

const cursor = z.string().max(200)

export const staffCancelPlan = fn('staff-cancel-plan', {
  access: 'staff',
  summary: 'Ends a plan at the end of its paid period, or at once; nothing is charged any more',
  description: 'An end at once gives nothing back: a refund is a call of its own.',
  body: z.object({ user_id: id('user'), when: z.enum(['period_end', 'now']), reason }),
  reply: z.object({ status: SubscriptionStatus, ends_at: time.nullable() }),
})
export const staffCredit = fn('staff-credit', {
  access: 'staff',
  summary: 'Gives an account credit, which comes off its next invoices',
  body: z.object({ user_id: id('user'), amount_cents: z.int().min(1).max(100_000), reason }),
  reply: z.object({ credit: z.string(), amount_cents: z.int(), currency: Currency }),
  idempotent: 'two-phase',
})

const SuspenseRow = z.object({
  id: z.uuid(),
  at: time,
  kind: z.string(),
  description: z.string(),
  /** The provider's id of what moved. */
  reference: z.string(),
  user_id: z.string().nullable(),
  email: z.string().nullable(),
  amount_cents: z.int(),
  currency: Currency,
  /** The account that staff booked it to. */
  cleared_as: z.string().nullable(),
})
export const staffSuspense = fn('staff-suspense', {
  access: 'staff',
  rate: 'read',
  summary: 'The movements that nothing explains, newest first',
  description: 'Positive came in. The amounts of all rows, with those that cleared them, add up to the suspense account.',
  body: z.object({ reason, cursor: cursor.optional() }),
  reply: z.object({ rows: z.array(SuspenseRow), cursor: z.string().nullable() }),
})
export const staffClearSuspense = fn('staff-clear-suspense', {
  access: 'staff',
  summary: 'Books a movement that nothing explained as what it was found to be, once',
  body: z.object({ entry_id: id('entry'), as: z.enum(['subscription_revenue', 'platform_fees', 'refunds']), reason }),
  reply: z.object({ cleared: z.literal(true) }),
})

export const figures = ['mrr', 'past_due', 'churned', 'converted', 'not_converted', 'trials'] as const
export const staffFigures = fn('staff-figures', {
  access: 'staff',
  rate: 'read',
  summary: 'How the subscriptions do: monthly revenue, churn, ageing and trial conversion',
  description:
    'Revenue is at the prices of the plans, before discounts. Churn counts 30 days, conversion the trials that ended in the last 90.',
  body: z.object({ reason }),
  reply: z.object({
    counted_at: time,
    /** A plan that is billed by the year counts a twelfth; `yearly` of the accounts are. */
    mrr: z.array(z.object({ plan: PlanId, accounts: z.int(), yearly: z.int().optional(), amount_cents: z.int() })),
    trials: z.int(),
    /** By how long the payment has been missing. */
    past_due: z.array(z.object({ days: z.enum(['0-7', '8-30', '31+']), accounts: z.int(), amount_cents: z.int() })),
    churn: z.object({ ended: z.int(), of: z.int() }),
    conversion: z.object({ converted: z.int(), of: z.int() }),
  }),
})
export const staffFigureRows = fn('staff-figure-rows', {
  access: 'staff',
  rate: 'read',
  summary: 'The accounts behind one of the figures',
  body: z.object({ figure: z.enum(figures), reason, cursor: cursor.optional() }),
  reply: z.object({
    rows: z.array(
      z.object({
        user_id: z.uuid(),
        email: z.string().nullable(),
        plan: PlanId.nullable(),
        period: Period.optional(),
        status: SubscriptionStatus,
        /** When it began to count: the end of the trial or of the plan, the renewal that was not paid, the start of the period. */
        at: time,
        amount_cents: z.int(),
      }),
    ),
    cursor: z.string().nullable(),
  }),
})

export const Coupon = z.object({
  id: z.string(),
  code: z.string(),
  percent_off: z.number().nullable(),
  amount_off_cents: z.int().nullable(),
  currency: Currency.nullable(),
  duration: z.enum(['once', 'repeating', 'forever']),
  months: z.int().nullable(),
  /** Also for a plan by the year. */
  yearly: z.boolean().optional(),
  used: z.int(),
  most_uses: z.int().nullable(),
  expires_at: time.nullable(),
  active: z.boolean(),
})
export const staffCoupons = fn('staff-coupons', {
  access: 'staff',
  rate: 'read',
  summary: 'The promotion codes for plans, newest first',
  // An id of Stripe's, where the page before ended.
  body: z.object({
    reason,
    cursor: z
      .string()
      .regex(/^promo_\w{1,100}$/)
      .optional(),
  }),
  reply: z.object({ coupons: z.array(Coupon), cursor: z.string().nullable() }),
})
export const staffCreateCoupon = fn('staff-create-coupon', {
  access: 'staff',
  summary: 'Makes a promotion code that the payment page of a plan takes',
  body: z
    .object({
      code: z
        .string()
        .trim()
        .toUpperCase()
        .regex(/^[A-Z0-9]{3,30}$/)
        .meta({ examples: ['SPRING20'] }),
      percent_off: z.int().min(1).max(100).optional(),
      amount_off_cents: z.int().min(1).max(100_000).optional(),
      duration: z.enum(['once', 'repeating', 'forever']).default('once'),
      months: z.int().min(1).max(36).optional(),
      yearly: z.boolean().default(false),
      most_uses: z.int().min(1).max(1_000_000).optional(),
      expires_at: time.optional(),
      reason,
    })
    .refine((coupon) => (coupon.percent_off === undefined) !== (coupon.amount_off_cents === undefined), {
      message: 'Either a percentage or an amount.',
    })
    .refine((coupon) => (coupon.duration === 'repeating') === (coupon.months !== undefined), {
      message: 'A discount for some months says for how many.',
    })
    .refine((coupon) => !coupon.yearly || coupon.duration === 'once', {
      message: 'A code for yearly plans is for the first payment.',
    }),
  reply: Coupon,
  idempotent: 'two-phase',
})
export const staffEndCoupon = fn('staff-end-coupon', {
  access: 'staff',
  summary: 'Ends a promotion code; what was discounted with it stays so',
  body: z.object({ id: z.string().startsWith('promo_').max(100), reason }),
  reply: Coupon,
})
