import type { Period, PlanId, Tier, Unit } from '@operon/contracts/plans'
import type { Generated } from 'kysely'
import type { SellingDb } from './sellers/schema.ts'

export type Status = 'none' | 'incomplete' | 'trialing' | 'active' | 'past_due' | 'unpaid' | 'canceled'

/** Matters that staff are told of without asking. */
export type Matter = 'books' | 'dispute' | 'payout' | 'suspense'

export type BillingDb = SellingDb & {
  accounts: {
    user_id: string
    email: string | null
    name: string | null
    /** Until when an operator keeps them out. */
    banned_until: Date | null
    /** The version of identity's row that the three above come from. */
    person_version: Generated<number>
    stripe_customer_id: string | null
    referral_code: string
    /** A trial is once a person. */
    trial_used_at: Date | null
    created_at: Generated<Date>
    closed_at: Date | null
    /** By how much the provider's time for this person is ahead; 0 outside the sandbox. */
    provider_ahead_s: Generated<number>
  }
  subscriptions: {
    user_id: string
    stripe_subscription_id: string | null
    stripe_item_id: string | null
    plan: PlanId | null
    /** How often it is billed. */
    period: Generated<Period>
    /** The provider's plan for the periods to come. */
    stripe_schedule_id: string | null
    /** The plan after the period that runs, where one was chosen. */
    next_plan: PlanId | null
    next_period: Period | null
    /** The month of a yearly plan that runs, by which allowances count; null where that is the period. */
    allowance_start: Date | null
    allowance_end: Date | null
    tier: Generated<Tier>
    status: Generated<Status>
    period_start: Date
    period_end: Date | null
    trial_end: Date | null
    cancel_at_period_end: Generated<boolean>
    /** Until when a failed payment keeps the limits. */
    grace_until: Date | null
    lapsed: Generated<boolean>
    /** Paused, while the bank decides about a payment of it. */
    disputed: Generated<boolean>
    reminded_at: Date | null
    /** The end of the year whose renewal was announced. */
    renewal_told_for: Date | null
    /** Counts what others were told. */
    version: Generated<number>
    /** Counts every look at the provider: what a look found is kept only if nobody has looked since it began. */
    looks: Generated<number>
    updated_at: Generated<Date>
  }
  subscribers: {
    user_id: string
    subscribed: boolean
    subscription_tier: string | null
    subscription_end: Date | null
    status: string
    updated_at: Date
  }
  provider_calls: {
    /** Also the Idempotency-Key at the provider. */
    id: string
    user_id: string
    kind: string
    request_hash: string
    request: unknown
    state: Generated<'open' | 'done' | 'refused'>
    reply: unknown | null
    created_at: Generated<Date>
  }
  provider_events: {
    id: string
    type: string
    created_at: Date
    status: 'waiting' | 'done' | 'failed'
    attempts: Generated<number>
    error: string | null
    /** Kept until it is done. */
    payload: unknown | null
    handled_at: Generated<Date>
    /** Before this time nobody else takes it up. */
    next_at: Generated<Date>
  }
  provider_settings: { key: string; value: unknown }
  trial_cards: { fingerprint: string; user_id: string; created_at: Generated<Date> }
  /** Accounts that changed since the figures counted them. */
  figures_unsummed: { id: Generated<string>; user_id: string }
  /** Which figures count an account. The day decides how long, or how late, and is the first of 1970 where neither matters. */
  account_figures: { user_id: string; figure: string; plan: string; period: string; day: string }
  figure_counts: { figure: string; plan: string; period: string; day: string; accounts: number }
  /** Kept by a trigger on `referrals`. */
  referral_sums: { user_id: string; sign_ups: number; credit_cents: number }
  referrals: {
    referred_user_id: string
    referrer_user_id: string
    /** `revoked`: credited, then refunded; the credit is still to be taken back. */
    state: Generated<'signed_up' | 'paid' | 'void' | 'credited' | 'revoked'>
    payment: string | null
    paid_at: Date | null
    credit_cents: number | null
    currency: Generated<string>
    credited_at: Date | null
    created_at: Generated<Date>
  }
  usage: {
    user_id: string
    unit: Unit
    period_start: Date
    used: number
    max: number | null
    at: Date
    warned: Generated<number>
    cost_warned: Generated<number>
    cost_used_microusd: Generated<number>
    budget_microusd: number | null
  }
  disputes: {
    id: string
    user_id: string | null
    charge: string
    subscription: string | null
    amount_cents: number
    currency: string
    reason: string
    state: 'asked' | 'open' | 'won' | 'lost'
    evidence_due_at: Date | null
    opened_at: Date
    closed_at: Date | null
    /** The seller's sale that it is about; null where a plan was paid for. */
    sale_id: string | null
    evidence: string | null
    evidence_sent_at: Date | null
  }
  book_differences: {
    id: string
    account: string
    /** The customer whose balance it is, or empty. */
    subject: string
    currency: string
    ours_cents: number
    theirs_cents: number
    rows: unknown
    found_at: Generated<Date>
  }
  provider_movements: {
    id: string
    /** The charge, refund, dispute or transfer that moved it; its own id where there is none. */
    source: string
    type: string
    currency: string
    net_cents: number
    fee_cents: number
    moved_at: Date
    /** Its entries come to the same. */
    matched: Generated<boolean>
  }
  revenue_periods: {
    charge: string
    currency: string
    /** Without tax. */
    net_cents: number
    returned_cents: number
    starts_at: Date
    ends_at: Date
  }
  top_ups: {
    id: string
    user_id: string
    unit: string
    units: number
    unit_microusd: number
    price_cents: number
    currency: string
    /** `open` and `expired` are payment pages; `held` waits for a bank's decision, `closed` is over for good. */
    state: Generated<'open' | 'expired' | 'paid' | 'held' | 'refunding' | 'closed'>
    session: string | null
    url: string | null
    looked_at: Generated<Date>
    charge: string | null
    gross_cents: number | null
    tax_cents: number | null
    returned_cents: Generated<number>
    paid_at: Date | null
    /** As its meter told, with the count of its changes there. */
    drawn: Generated<number>
    draws: Generated<number>
    /** The units left when its refund began. */
    refund_units: number | null
    /** Used up before the end of a month that is closed. */
    earned: Generated<boolean>
    version: Generated<number>
    created_at: Generated<Date>
  }
  /** How much of it was used by the end of a month in which some was. */
  top_up_months: { top_up_id: string; month: string; drawn: number }
  month_closes: { month: string; closed_at: Generated<Date> }
  tax_lines: {
    /** The entry that it belongs to. */
    reference: string
    /** The plan's payment that it was given back of. */
    charge: string | null
    country: string
    state: string | null
    currency: string
    taxable_cents: number
    tax_cents: number
    reverse_charge: boolean
    at: Date
  }
  staff_matters: {
    id: string
    matter: Matter
    /** The subject: one matter of a kind is open about one subject. */
    subject: string
    title: string
    body: string
    opened_at: Generated<Date>
    told_at: Date | null
    closed_at: Date | null
  }
  staff_actions: {
    id: string
    staff_user_id: string | null
    action: string
    user_id: string | null
    reason: string
    detail: unknown
    at: Generated<Date>
  }
  ledger_accounts: { code: string; kind: 'asset' | 'liability' | 'income' | 'expense'; owner: string | null; created_at: Generated<Date> }
  ledger_entries: {
    id: string
    /** The booked event, once: `charge:ch_…`. */
    reference: string
    kind: string
    user_id: string | null
    description: string
    occurred_at: Date
    sale_id: string | null
    payout_id: string | null
    booked_at: Generated<Date>
    transaction: Generated<string>
  }
  ledger_postings: { entry_id: string; line: number; account: string; currency: string; amount_cents: number }
  /** By `sumLedger`: days of the books, their accounts, and of tax, without what still waits in the queues. */
  ledger_sums: { day: Date; kind: string; account: string; currency: string; debit_cents: number; credit_cents: number }
  account_sums: { account: string; currency: string; amount_cents: number }
  ledger_entries_unsummed: { id: string }
  tax_lines_unsummed: { reference: string }
  tax_sums: {
    month: Date
    country: string
    state: string
    currency: string
    reverse_charge: boolean
    taxable_cents: number
    tax_cents: number
  }
  ledger_balances: { account: string; currency: string; amount_cents: number }
}
