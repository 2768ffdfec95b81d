import { z } from 'zod'
import { col, endpoint, fn, reading } from '../contract.ts'
import { units } from '../plans.ts'
import { Paper } from './documents.ts'
import { Currency, More, Period, PlanId, time } from './shapes.ts'

export const Limits = z.record(z.enum(units), z.int().nullable())
export const SubscriptionStatus = z.enum(['none', 'incomplete', 'trialing', 'active', 'past_due', 'unpaid', 'canceled'])

// Choosing a plan. Open to everyone, because the specification has a sentence of its own for who is not signed in.
export const createCheckout = fn('create-checkout', {
  demo: 'never',
  access: 'public',
  summary: 'A payment page for a plan, with the trial where it is due',
  // Longer than any code is: one that cannot be right is dropped, not refused.
  body: z.object({
    plan: PlanId,
    period: Period.optional(),
    referral_code: z.string().trim().max(2000).nullish(),
    /** Of staff's, for a year: the page for a month asks for it itself. One that does not apply is refused, and no page is opened. */
    promotion_code: z.string().trim().max(100).optional(),
  }),
  reply: z.object({
    url: z.url(),
    trial_days: z.int(),
    /** Why the given code was left out. The checkout goes on without it. */
    referral_dropped: z.enum(['unknown', 'own']).optional(),
  }),
  idempotent: 'two-phase',
})
export const customerPortal = fn('customer-portal', {
  demo: 'never',
  access: 'public',
  summary: "The payment provider's page to manage the subscription",
  reply: z.object({ url: z.url() }),
})
export const checkoutStatus = reading('checkout-status', {
  demo: 'never',
  summary: 'How a checkout ended',
  body: z.object({ session_id: z.string().min(4).max(200) }),
  reply: z.object({
    status: z.enum(['open', 'complete', 'expired']),
    plan: PlanId.nullable(),
    trial_end: time.nullable(),
    /** The card had its trial: no plan began, and nothing was charged. */
    trial_refused: z.boolean().optional(),
  }),
})

const Usage = z.object({ unit: z.enum(units), used: z.int(), limit: z.int().nullable(), period_start: time, period_end: time.nullable() })
export const Subscription = z.object({
  subscribed: z.boolean(),
  subscription_tier: PlanId.nullable(),
  /** The lower plan that follows at the end of the paid period. */
  next_plan: PlanId.nullish(),
  /** How often it is billed, and from the next period on. Allowances count by the month. */
  period: Period.optional(),
  next_period: Period.nullish(),
  status: SubscriptionStatus,
  /** Whether a checkout would come with the trial: a person has one. */
  trial_available: z.boolean(),
  trial_end: time.nullable(),
  current_period_end: time.nullable(),
  cancel_at_period_end: z.boolean(),
  /** Until when a failed payment keeps everything open. */
  grace_until: time.nullable(),
  /** Paused, while the bank decides about a payment. */
  disputed: z.boolean().optional(),
  usage: z.array(Usage),
  /** The longest question that the plan takes. */
  max_characters: z.int().optional(),
})
export const checkSubscription = reading('check-subscription', {
  summary: 'Shows the plan and what is used of it',
  description: 'Without a subscription `subscribed` is false and the tier is null. A limit of null is unlimited.',
  reply: Subscription,
  example: {
    reply: {
      subscribed: true,
      subscription_tier: 'pro',
      status: 'active',
      trial_available: false,
      trial_end: null,
      current_period_end: '2026-12-01T00:00:00.000Z',
      cancel_at_period_end: false,
      grace_until: null,
      usage: [{ unit: 'prompts', used: 15, limit: 3000, period_start: '2026-11-01T00:00:00.000Z', period_end: '2026-12-01T00:00:00.000Z' }],
    },
  },
  errors: [],
  action: {
    title: 'Show the plan',
    when: 'The person asks about their plan, trial, renewal or what is left of their allowances',
    effect: 'reads',
    evidence: { rows: 'usage', columns: { unit: col.text('Allowance'), used: col.count('Used'), limit: col.count('Of') } },
  },
})
export const previewSwitch = reading('preview-switch', {
  demo: 'never',
  summary: 'Shows what switching to a plan costs, now and later',
  /** Billed as often as now, where it is not said. */
  body: z.object({ plan: PlanId, period: Period.optional() }),
  reply: z.object({
    amount_due_cents: z.int(),
    currency: Currency,
    lines: z.array(z.object({ description: z.string(), amount_cents: z.int() })),
    /** An upgrade is paid at once; anything else comes with the next invoice. */
    due: z.enum(['now', 'next invoice']),
    next_billing_date: time.nullable(),
  }),
})
export const switchPlan = fn('switch-plan', {
  demo: 'never',
  access: 'user',
  summary: 'An upgrade counts and is charged now, and so does a year; a lower plan, or a month after a year, begins with the next period',
  body: z.object({ plan: PlanId, period: Period.optional() }),
  reply: Subscription,
  idempotent: 'two-phase',
})
export const cancelSubscription = fn('cancel-subscription', {
  demo: 'never',
  access: 'user',
  summary: 'Ends it at the end of the period',
  reply: Subscription,
})
export const resumeSubscription = fn('resume-subscription', {
  demo: 'never',
  access: 'user',
  summary: 'Takes a cancellation back',
  reply: Subscription,
})
const Payment = z.object({
  payment: z.string(),
  kind: z.enum(['charge', 'refund', 'refund_failed', 'dispute', 'dispute_won', 'credit_granted', 'credit_used']),
  amount_cents: z.int(),
  currency: Currency,
  at: time,
  description: z.string(),
})
/** Whether there are older ones than those listed. */
export const listPayments = reading('list-payments', {
  summary: 'Lists the payments, refunds and credits of the account, newest first',
  description:
    'A payment is positive, a refund or dispute is negative, and used credit counts as paid. Amounts are in the smallest unit of the currency.',
  body: z.object({ limit: z.int().min(1).max(50).default(20) }).prefault({}),
  reply: z.object({ payments: z.array(Payment), more: More }),
  example: {
    request: { limit: 3 },
    reply: {
      payments: [
        {
          payment: 'ch_1',
          kind: 'charge',
          amount_cents: 9900,
          currency: 'usd',
          at: '2026-11-01T00:00:00.000Z',
          description: 'Pro',
        },
      ],
    },
  },
  errors: [],
  action: {
    title: 'List payments',
    when: 'The person asks what they paid, or for a payment, refund or credit of theirs',
    effect: 'reads',
    evidence: { rows: 'payments', columns: { at: col.time('When'), description: col.text('What'), amount_cents: col.cents('Amount') } },
  },
})
export const listInvoices = reading('list-invoices', {
  summary: 'Lists the invoices of the account, newest first',
  description: 'Each has the address of its page and of its PDF at the payment provider.',
  reply: z.object({
    invoices: z.array(
      z.object({
        id: z.string(),
        number: z.string().nullable(),
        created_at: time,
        amount_cents: z.int(),
        currency: Currency,
        status: z.string(),
        hosted_url: z.string().nullable(),
        pdf_url: z.string().nullable(),
      }),
    ),
    more: More,
    /** For what was given back, newest first: of the platform's own. */
    credit_notes: z.array(Paper).optional(),
  }),
  example: {
    reply: {
      invoices: [
        {
          id: 'in_1',
          number: 'A-0001',
          created_at: '2026-11-01T00:00:00.000Z',
          amount_cents: 9900,
          currency: 'usd',
          status: 'paid',
          hosted_url: null,
          pdf_url: null,
        },
      ],
    },
  },
  errors: ['upstream_failed', 'upstream_timeout'],
  action: {
    title: 'List invoices',
    when: 'The person asks for an invoice or its PDF',
    effect: 'reads',
    evidence: {
      rows: 'invoices',
      columns: { created_at: col.time('When'), number: col.text('Number'), amount_cents: col.cents('Amount'), status: col.text('Status') },
    },
  },
})
export const statementExport = reading('statement-export', {
  summary: 'Writes the monthly statement: booked payments, refunds and credits, as CSV',
  description:
    'Months are in UTC. A month without payments has the header alone. Up to 1,000 movements come at once: where there are more, `cursor` leads to the next ones, which come without a header.',
  body: z.object({
    month: z
      .string()
      .regex(/^\d{4}-(0[1-9]|1[0-2])$/)
      .meta({ examples: ['2026-11'] }),
    cursor: z.uuid().optional(),
  }),
  reply: z.object({ csv: z.string(), filename: z.string(), cursor: z.uuid().nullable().default(null) }),
  example: {
    request: { month: '2026-11' },
    reply: { csv: 'date,reference,type,description,amount,currency\r\n', filename: 'statement-2026-11.csv', cursor: null },
  },
  errors: [],
  action: {
    title: 'Write the monthly statement',
    when: 'The person asks for a statement of a month, as for their accountant',
    effect: 'reads',
    evidence: { columns: { filename: col.text('File') } },
  },
})

export const validateReferral = fn('validate-referral', {
  access: 'public',
  rate: 'auth-strict',
  body: z.object({ code: z.string().trim().min(1).max(40) }),
  reply: z.object({ valid: z.boolean(), percent_off: z.int() }),
})
const Credit = z.object({ amount_cents: z.int(), currency: Currency, state: z.enum(['waiting', 'credited']), due_at: time })
export const referralSummary = reading('referral-summary', {
  summary: 'Shows the referral link, the sign-ups that came by it and the credits they earned',
  description: 'A credit waits until the invited account has stayed, and then comes off the next invoice.',
  reply: z.object({ code: z.string(), link: z.string(), sign_ups: z.int(), credits: z.array(Credit), more: More, credit_cents: z.int() }),
  example: {
    reply: {
      code: 'ANN-7F3K',
      link: 'https://studio.example/?ref=ANN-7F3K',
      sign_ups: 2,
      credits: [{ amount_cents: 990, currency: 'usd', state: 'credited', due_at: '2026-11-01T00:00:00.000Z' }],
      credit_cents: 990,
    },
  },
  errors: [],
  action: {
    title: 'Show referrals',
    when: 'The person asks for their referral link, or what they earned by inviting others',
    effect: 'reads',
    evidence: { rows: 'credits', columns: { due_at: col.time('Due'), amount_cents: col.cents('Credit'), state: col.text('State') } },
  },
})

/** Signed callbacks of the payment provider: the signature is over the bytes as they came. */
export const stripeWebhook = endpoint({
  method: 'POST',
  path: '/webhooks/stripe',
  access: 'public',
  rate: 'webhook',
  bytes: true,
  reply: z.object({ received: z.literal(true), duplicate: z.boolean() }),
})
