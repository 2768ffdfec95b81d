import { z } from 'zod'
import { fn, id } from '../contract.ts'
import { Subscription } from './api.ts'
import { Currency, More, reason, time } from './shapes.ts'

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
  summary: 'An account by email, user id or customer id, with its billing history',
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
  summary: 'Shows the differences that the nightly comparison of the books with the payment provider found, and money of unknown purpose',
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
  summary:
    'Lists matters that wait for staff: differences in the books, disputes, refused payouts, debts of sellers and refunds that add to them, payments of unknown purpose',
  body: z.object({ reason }),
  reply: z.object({
    matters: z.array(
      z.object({
        id: z.uuid(),
        matter: z.enum(['books', 'dispute', 'payout', 'suspense']),
        /** The dispute, payout, payment, seller or sale it is about; empty for the books. */
        subject: z.string(),
        title: z.string(),
        body: z.string(),
        opened_at: time,
      }),
    ),
    more: More,
  }),
})
export const staffCloseMatter = fn('staff-close-matter', {
  access: 'staff',
  summary: 'Closes a matter about a payout or a seller’s debt that needs nothing more; others close with what they are about',
  body: z.object({ matter_id: id('matter'), reason }),
  reply: z.object({ closed: z.literal(true) }),
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
  summary: 'Lists the last actions of staff: by whom, on whom and why',
  reply: z.object({ actions: z.array(StaffAction), more: More }),
})
/** The books as they stand: each account's balance, sellers' accounts together, and how many entries do not balance (none, ever). */
export const ledgerBalances = fn('ledger-balances', {
  access: 'staff',
  rate: 'read',
  reply: z.object({
    balances: z.array(z.object({ account: z.string(), currency: Currency, amount_cents: z.int() })),
    entries: z.int(),
    unbalanced: z.int(),
  }),
})
