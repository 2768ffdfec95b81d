import { z } from 'zod'
import { endpoint, fn, id } from '../contract.ts'
import { units } from '../plans.ts'
import { Paper } from './documents.ts'
import { Currency, PlanId, time } from './shapes.ts'

export const Limits = z.record(z.enum(units), z.int().nullable())
export const SubscriptionStatus = z.enum(['none', 'incomplete', 'trialing', 'active', 'past_due', 'unpaid', 'canceled'])
const reason = z.string().trim().min(3).max(500)

// Choosing a plan. Open to everyone, because the specification has a sentence of its own for who is not signed in.
export const createCheckout = fn('create-checkout', {
  demo: 'never',
  access: 'public',
  summary: 'A payment page for a plan, with the trial where it is due',
  // Longer than any code is: one that cannot be right is dropped, not refused.
  body: z.object({ plan: PlanId, referral_code: z.string().trim().max(2000).nullish() }),
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
export const checkoutStatus = fn('checkout-status', {
  demo: 'never',
  access: 'user',
  rate: 'read',
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
export const checkSubscription = fn('check-subscription', {
  access: 'user',
  rate: 'read',
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
    evidence: {
      rows: 'usage',
      columns: { unit: { label: 'Allowance', as: 'text' }, used: { label: 'Used', as: 'count' }, limit: { label: 'Of', as: 'count' } },
    },
  },
})
export const previewSwitch = fn('preview-switch', {
  demo: 'never',
  access: 'user',
  rate: 'read',
  summary: 'What switching to a plan costs now and then',
  body: z.object({ plan: PlanId }),
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
  summary: 'An upgrade counts and is charged now for the rest of the period; a lower plan begins with the next period',
  body: z.object({ plan: PlanId }),
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
const More = z.boolean().optional()
export const listPayments = fn('list-payments', {
  access: 'user',
  rate: 'read',
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
    evidence: {
      rows: 'payments',
      columns: {
        at: { label: 'When', as: 'time' },
        description: { label: 'What', as: 'text' },
        amount_cents: { label: 'Amount', as: 'cents' },
      },
    },
  },
})
export const listInvoices = fn('list-invoices', {
  access: 'user',
  rate: 'read',
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
      columns: {
        created_at: { label: 'When', as: 'time' },
        number: { label: 'Number', as: 'text' },
        amount_cents: { label: 'Amount', as: 'cents' },
        status: { label: 'Status', as: 'text' },
      },
    },
  },
})
export const statementExport = fn('statement-export', {
  access: 'user',
  rate: 'read',
  summary: 'Writes the monthly statement: booked payments, refunds and credits, as CSV',
  description: 'Months are in UTC. A month without payments has the header alone.',
  body: z.object({
    month: z
      .string()
      .regex(/^\d{4}-(0[1-9]|1[0-2])$/)
      .meta({ examples: ['2026-11'] }),
  }),
  reply: z.object({ csv: z.string(), filename: z.string() }),
  example: {
    request: { month: '2026-11' },
    reply: { csv: 'date,reference,type,description,amount,currency\r\n', filename: 'statement-2026-11.csv' },
  },
  errors: [],
  action: {
    title: 'Write the monthly statement',
    when: 'The person asks for a statement of a month, as for their accountant',
    effect: 'reads',
    evidence: { columns: { filename: { label: 'File', as: 'text' } } },
  },
})

export const validateReferral = fn('validate-referral', {
  access: 'public',
  rate: 'auth-strict',
  body: z.object({ code: z.string().trim().min(1).max(40) }),
  reply: z.object({ valid: z.boolean(), percent_off: z.int() }),
})
const Credit = z.object({ amount_cents: z.int(), currency: Currency, state: z.enum(['waiting', 'credited']), due_at: time })
export const referralSummary = fn('referral-summary', {
  access: 'user',
  rate: 'read',
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
    evidence: {
      rows: 'credits',
      columns: {
        due_at: { label: 'Due', as: 'time' },
        amount_cents: { label: 'Credit', as: 'cents' },
        state: { label: 'State', as: 'text' },
      },
    },
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

const FailedEvent = z.object({
  id: z.string(),
  type: z.string(),
  created_at: time,
  attempts: z.int(),
  error: z.string().nullable(),
  status: z.string(),
})
const StaffAction = z.object({
  id: id('staff_action'),
  action: z.string(),
  detail: z.string(),
  reason: z.string(),
  staff_user_id: z.string().nullable(),
  staff_email: z.string().nullable(),
  user_id: z.string().nullable(),
  email: z.string().nullable(),
  at: time,
})
export const staffAccount = fn('staff-account', {
  access: 'staff',
  summary: 'An account by e-mail, user id or customer id, with its billing history',
  body: z.object({ query: z.string().trim().min(3).max(200), reason }),
  reply: z.object({
    account: z.object({
      user_id: z.uuid(),
      email: z.string().nullable(),
      name: z.string().nullable(),
      customer: z.string().nullable(),
      created_at: time,
    }),
    subscription: Subscription,
    payments: z.array(
      z.object({ payment: z.string(), kind: z.string(), amount_cents: z.int(), currency: Currency, at: time, description: z.string() }),
    ),
    /** Older payments than those listed. */
    more_payments: More,
    actions: z.array(StaffAction),
  }),
})
export const staffRefund = fn('staff-refund', {
  access: 'staff',
  summary: 'Gives a payment back, wholly or in part',
  body: z.object({ payment: z.string().startsWith('ch_').max(100), amount_cents: z.int().positive().optional(), reason }),
  reply: z.object({ refund: z.string(), amount_cents: z.int(), currency: Currency }),
  idempotent: 'two-phase',
})
export const staffDisputes = fn('staff-disputes', {
  access: 'staff',
  rate: 'read',
  summary: 'Disputes that the bank has not decided, the next evidence first',
  body: z.object({ reason }),
  reply: z.object({
    disputes: z.array(
      z.object({
        dispute: z.string(),
        payment: z.string(),
        user_id: z.string().nullable(),
        email: z.string().nullable(),
        amount_cents: z.int(),
        currency: Currency,
        reason: z.string(),
        /** An inquiry has moved no money yet. */
        state: z.enum(['asked', 'open']),
        evidence_due_at: time.nullable(),
        opened_at: time,
        /** The sale that was paid for; null for a plan. Absent from the version before, as is the next. */
        sale_id: z.uuid().nullable().optional(),
        evidence: z.string().nullable().optional(),
        evidence_sent_at: time.nullable().optional(),
      }),
    ),
    more: More,
  }),
})
export const staffBooks = fn('staff-books', {
  access: 'staff',
  summary: 'What the nightly comparison of the books with the payment provider found, and money of unknown purpose',
  description: 'With `compare_again` the books are compared once more; the answer is that of the last comparison.',
  body: z.object({ reason, compare_again: z.boolean().optional() }),
  reply: z.object({
    compared_at: time.nullable(),
    differences: z.array(
      z.object({
        account: z.string(),
        /** The customer whose balance it is, or empty. */
        subject: z.string(),
        currency: Currency,
        ours_cents: z.int(),
        theirs_cents: z.int(),
        /** The provider's movements that no entry was made for. */
        rows: z.array(z.string()),
        found_at: time,
      }),
    ),
    more: More,
    suspense: z.array(z.object({ currency: Currency, amount_cents: z.int() })),
  }),
})
export const staffMatters = fn('staff-matters', {
  access: 'staff',
  rate: 'read',
  summary: 'What waits for a decision of staff: differences in the books, disputes, refused payouts, payments of unknown purpose',
  body: z.object({ reason }),
  reply: z.object({
    matters: z.array(
      z.object({
        id: z.uuid(),
        matter: z.enum(['books', 'dispute', 'payout', 'suspense']),
        /** The dispute, payout or payment it is about; empty for the books. */
        subject: z.string(),
        title: z.string(),
        body: z.string(),
        opened_at: time,
      }),
    ),
    more: More,
  }),
})
export const staffExtendTrial = fn('staff-extend-trial', {
  access: 'staff',
  body: z.object({ user_id: id('user'), days: z.int().min(1).max(30), reason }),
  reply: z.object({ trial_end: time }),
  idempotent: 'two-phase',
})
export const staffEvents = fn('staff-events', {
  access: 'staff',
  rate: 'read',
  summary: 'Provider events that failed and wait to be replayed',
  body: z.object({ reason }),
  reply: z.object({ events: z.array(FailedEvent), more: More }),
})
export const staffReplayEvent = fn('staff-replay-event', {
  access: 'staff',
  body: z.object({ event_id: z.string().startsWith('evt_').max(100), reason }),
  reply: z.object({ status: z.enum(['done', 'duplicate']) }),
})
export const staffActions = fn('staff-actions', {
  access: 'staff',
  rate: 'read',
  summary: 'What staff did last, with who, on whom and why',
  reply: z.object({ actions: z.array(StaffAction), more: More }),
})
/** The books as they stand: every account's balance, and how many entries do not balance (none, ever). */
export const ledgerBalances = fn('ledger-balances', {
  access: 'staff',
  rate: 'read',
  reply: z.object({
    balances: z.array(z.object({ account: z.string(), currency: Currency, amount_cents: z.int() })),
    entries: z.int(),
    unbalanced: z.int(),
  }),
})
