import { z } from 'zod'
import { fn, id } from '../contract.ts'
import { Sale } from './sales.ts'
import { Payout, PayoutAccount } from './sellers.ts'
import { Why } from './selling.ts'
import { Currency, reason, time } from './shapes.ts'

// Staff's calls about sellers. Each leaves its reason.

export const staffSeller = fn('staff-seller', {
  access: 'staff',
  summary: 'A seller by email address or user id, with balance, payouts, newest sales and why the next payout is what it is',
  body: z.object({ query: z.string().trim().min(3).max(200), reason }),
  reply: z.object({
    user_id: z.uuid(),
    email: z.string().nullable(),
    account: PayoutAccount,
    /** Why staff hold the payouts, or null. */
    held_because: z.string().nullable(),
    balances: z.array(
      z.object({
        currency: Currency,
        held_cents: z.int(),
        due_cents: z.int(),
        reserved_cents: z.int(),
        on_its_way_cents: z.int(),
        owed_cents: z.int(),
      }),
    ),
    why: z.array(Why),
    payouts: z.array(Payout),
    sales: z.array(Sale),
    /** The undecided disputes of these sales, with the answer that is ready or was sent. */
    disputes: z
      .array(z.object({ sale_id: z.uuid(), dispute: z.string(), evidence: z.string().nullable(), evidence_sent_at: time.nullable() }))
      .optional(),
  }),
})
export const staffHoldPayouts = fn('staff-hold-payouts', {
  access: 'staff',
  summary: 'Holds the payouts of a seller until staff release them; the seller is told why',
  body: z.object({ user_id: id('user'), reason }),
  reply: z.object({ held: z.literal(true) }),
})
export const staffReleasePayouts = fn('staff-release-payouts', {
  access: 'staff',
  body: z.object({ user_id: id('user'), reason }),
  reply: z.object({ held: z.literal(false) }),
})
export const staffRefundSale = fn('staff-refund-sale', {
  access: 'staff',
  summary: 'Gives a buyer their payment back for the seller, wholly or in part',
  body: z.object({ sale_id: id('sale'), amount_cents: z.int().positive().optional(), reason }),
  reply: z.object({ refund: z.string(), amount_cents: z.int(), currency: Currency, sale_id: z.uuid() }),
  idempotent: 'two-phase',
})
export const staffSubmitEvidence = fn('staff-submit-evidence', {
  access: 'staff',
  summary: 'Sends evidence about a disputed payment to the bank: of a sale, or of a plan',
  description: 'Named by the sale, or by the dispute.',
  body: z.object({
    sale_id: id('sale').optional(),
    dispute: z.string().min(4).max(100).optional(),
    text: z.string().trim().min(10).max(10_000),
    send: z.boolean().default(false),
    reason,
  }),
  reply: z.object({ dispute: z.string(), sent: z.boolean(), evidence_due_at: time.nullable() }),
  idempotent: 'two-phase',
})
export const staffPayoutRuns = fn('staff-payout-runs', {
  access: 'staff',
  rate: 'read',
  summary: 'The last Fridays: how many payouts each has, and what of them is paid, pending or returned',
  body: z.object({ reason }),
  reply: z.object({
    runs: z.array(
      z.object({
        date: z.iso.date(),
        currency: Currency,
        payouts: z.int(),
        amount_cents: z.int(),
        paid: z.int(),
        pending: z.int(),
        returned: z.int(),
      }),
    ),
  }),
})
