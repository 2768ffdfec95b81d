import { type Period, type PlanId, plans } from '@operon/contracts/plans'
import { DomainError } from '@operon/kit/errors'
import type Stripe from 'stripe'
import type { PaidFor } from './ledger/entries.ts'
import type { Status } from './schema.ts'
import { productId } from './stripe-catalogue.ts'

// The provider's objects as the rest of the service sees them: only what it uses, in its own words.

export type ProviderEvent = {
  id: string
  type: string
  createdAt: Date
  customer: string | null
  charge: string | null
  invoice: string | null
  /** The seller's account that it is about; null where it is about ours. */
  account: string | null
  /** The object as it was then, and the fields that changed. */
  object: Record<string, unknown>
  previous: Record<string, unknown>
  raw: unknown
}
export type ProviderSubscription = {
  id: string
  itemId: string
  plan: PlanId | null
  period: Period
  /** The plan after the period that runs, by the schedule that plans it. */
  next: { plan: PlanId; period: Period } | null
  schedule: string | null
  status: Exclude<Status, 'none'>
  periodStart: Date
  periodEnd: Date
  trialEnd: Date | null
  cancelAtPeriodEnd: boolean
  /** A discount waits for the next charge. */
  discounted: boolean
  /** Ended before it began: the card had its trial. */
  trialRefused: boolean
  pausedForDispute: boolean
  createdAt: Date
}
/** Money that moved at the provider, before its fee. What leaves us is negative. */
type ProviderMovement = { id: string; amountCents: number; feeCents: number; createdAt: Date }
type ProviderRefund = { id: string; amountCents: number; state: 'sent' | 'failed'; createdAt: Date }
/** An inquiry moves no money and is `asked`. */
export type ProviderDispute = {
  id: string
  amountCents: number
  status: 'asked' | 'open' | 'won' | 'lost'
  reason: string
  evidenceDueAt: Date | null
  createdAt: Date
  movements: ProviderMovement[]
}
export type ProviderCharge = {
  id: string
  customer: string | null
  amountCents: number
  currency: string
  succeeded: boolean
  createdAt: Date
  description: string
  paidFor: PaidFor
  /** The checkout of a seller's sale that it paid. */
  saleCheckout: string | null
  /** The top-up that it paid. */
  topUp: string | null
  payer: { email: string | null; name: string | null; address: string | null }
  /** As a person would name it: `card •••• 4242`. */
  method: string
  subscription: string | null
  /** The end of the period that it began; null where it paid for something within a period. */
  periodEnd: Date | null
  /** The time that a plan's payment pays for. */
  earnedOver: { from: Date; to: Date } | null
  /** The provider's fees that are known so far. */
  fees: { reference: string; feeCents: number; createdAt: Date }[]
  refunds: ProviderRefund[]
  disputes: ProviderDispute[]
  /** The tax in it. Null where no tax was asked for. */
  tax: ProviderTax | null
}
export type ProviderTax = {
  cents: number
  /** The item it is on. */
  netCents: number
  country: string
  state: string | null
  taxId: string | null
  /** The business that bought owes it itself. */
  isReverseCharge: boolean
  /** The invoice or payment page that asked for it. */
  reference: string
}
/** Cents a currency. */
export type ProviderMoney = Record<string, number>
export type ProviderInvoice = {
  id: string
  customer: string | null
  currency: string
  dueCents: number
  /** Why there is an invoice, in the provider's words: `subscription_cycle` is a renewal. */
  reason: string | null
  /** When the card is asked again by itself; null when it is not. */
  retryAt: Date | null
  tax: ProviderTax | null
  paidAt: Date | null
  isOfPlan: boolean
}
/** A movement of a customer's balance. Credit is negative. */
export type ProviderCredit = {
  id: string
  amountCents: number
  currency: string
  invoice: string | null
  ofInvoice: boolean
  /** Whom a referral credit is for, and whether it was given or taken back. Older ones say so in words alone. */
  referral: { referred: string | null; isBack: boolean } | null
  /** Given by staff. */
  isGoodwill: boolean
  createdAt: Date
}
/** The mark of a refused trial at the provider. */
export const TRIAL_REFUSED = 'The card had its trial before'

export function subscriptionOf(subscription: Stripe.Subscription): ProviderSubscription {
  const item = subscription.items.data[0]!
  return {
    id: subscription.id,
    itemId: item.id,
    plan: planOf(item.price),
    period: everyOf(item.price),
    ...plannedOf(subscription, item.current_period_end),
    status: statusOf(subscription.status),
    periodStart: date(periodStartOf(subscription, item)),
    periodEnd: date(item.current_period_end),
    trialEnd: subscription.trial_end ? date(subscription.trial_end) : null,
    cancelAtPeriodEnd: subscription.cancel_at_period_end || subscription.cancel_at !== null,
    discounted: subscription.discounts.length > 0,
    trialRefused: subscription.cancellation_details?.comment === TRIAL_REFUSED,
    pausedForDispute: subscription.pause_collection !== null && subscription.metadata.paused_for === 'dispute',
    createdAt: date(subscription.created),
  }
}

/** By what is sold, never by what the subscription was once made for: a price made by hand may say nothing of its plan. */
const planOf = ({ metadata, product }: Stripe.Price): PlanId | null =>
  plans.find(({ id }) => id === metadata.plan || productId(id) === idOf(product))?.id ?? null

const everyOf = ({ recurring }: Stripe.Price): Period => (recurring?.interval === 'year' ? 'year' : 'month')

/** The phase after the running one; its price is only named, so the plan stands in the schedule's own words. */
function plannedOf({ schedule }: Stripe.Subscription, periodEnd: number): Pick<ProviderSubscription, 'next' | 'schedule'> {
  if (!schedule || typeof schedule === 'string' || schedule.status !== 'active') return { next: null, schedule: null }
  const later = schedule.phases.find(({ start_date }) => start_date >= periodEnd)
  const { plan, period } = schedule.metadata ?? {}
  const known = plans.find(({ id }) => id === plan)
  return { next: later && known ? { plan: known.id, period: period === 'year' ? 'year' : 'month' } : null, schedule: schedule.id }
}

/** A trial that is made longer begins a new period at the provider; what was used in it stays used. */
const periodStartOf = ({ status, trial_start }: Stripe.Subscription, item: Stripe.SubscriptionItem) =>
  status === 'trialing' ? (trial_start ?? item.current_period_start) : item.current_period_start

function statusOf(status: string): ProviderSubscription['status'] {
  if (status === 'trialing' || status === 'active' || status === 'past_due' || status === 'unpaid' || status === 'canceled') return status
  return status === 'incomplete' ? 'incomplete' : status === 'incomplete_expired' ? 'canceled' : 'unpaid'
}

export function chargeOf(
  charge: Stripe.Charge,
  refunds: Stripe.Refund[],
  disputes: Stripe.Dispute[],
  invoice: Stripe.Invoice | null,
): ProviderCharge {
  const { kind } = charge.metadata
  const movements = [
    charge.balance_transaction,
    ...refunds.flatMap((refund) => [refund.balance_transaction, refund.failure_balance_transaction]),
  ]
  return {
    id: charge.id,
    customer: idOf(charge.customer),
    amountCents: charge.status === 'failed' ? charge.amount : charge.amount_captured,
    currency: charge.currency,
    succeeded: charge.status === 'succeeded' && charge.captured,
    createdAt: date(charge.created),
    description: charge.description ?? (invoice ? 'Subscription' : 'Payment'),
    paidFor: kind === 'sale' || kind === 'top_up' ? kind : invoice?.parent?.subscription_details ? 'subscription' : 'unknown',
    saleCheckout: kind === 'sale' ? (charge.metadata.checkout ?? null) : null,
    topUp: kind === 'top_up' ? (charge.metadata.top_up ?? null) : null,
    payer: { email: charge.billing_details.email, name: charge.billing_details.name, address: addressOf(charge.billing_details.address) },
    method: methodOf(charge),
    subscription: idOf(invoice?.parent?.subscription_details?.subscription),
    periodEnd: periodEndOf(invoice),
    earnedOver: earnedOver(invoice),
    tax: invoice && taxOfInvoice(invoice),
    fees: movements.map(feeOf).filter((fee) => fee !== null),
    refunds: refunds.filter(isSent).map((refund) => ({
      id: refund.id,
      amountCents: refund.amount,
      state: refund.status === 'failed' ? 'failed' : 'sent',
      createdAt: date(refund.created),
    })),
    disputes: disputes.map((dispute) => ({
      id: dispute.id,
      amountCents: dispute.amount,
      status: standOf(dispute.status),
      reason: dispute.reason,
      evidenceDueAt: dispute.evidence_details.due_by ? date(dispute.evidence_details.due_by) : null,
      createdAt: date(dispute.created),
      movements: dispute.balance_transactions
        .toSorted((a, b) => a.created - b.created || a.amount - b.amount)
        .map(({ id, amount, fee, created }) => ({ id, amountCents: amount, feeCents: fee, createdAt: date(created) })),
    })),
  }
}

/** In one line, as it is written on an envelope. */
function addressOf(address: Stripe.Address | null): string | null {
  if (!address?.country) return null
  const { line1, line2, postal_code, city, state, country } = address
  return [line1, line2, [postal_code, city].filter(Boolean).join(' '), state, country].filter(Boolean).join(', ')
}

export const taxIn = ({ total_taxes }: Pick<Stripe.Invoice, 'total_taxes'>): number =>
  (total_taxes ?? []).reduce((sum, { amount }) => sum + amount, 0)

export function taxOfInvoice(invoice: Stripe.Invoice): ProviderTax | null {
  const { automatic_tax, customer_address: address, customer_tax_ids, total_taxes } = invoice
  if (!automatic_tax.enabled || !address?.country) return null
  return {
    ...{
      cents: taxIn(invoice),
      netCents: invoice.total - taxIn(invoice),
      country: address.country,
      state: address.state ?? null,
      reference: invoice.id,
    },
    taxId: customer_tax_ids?.find(({ value }) => value)?.value ?? null,
    isReverseCharge: (total_taxes ?? []).some(({ taxability_reason }) => taxability_reason === 'reverse_charge'),
  }
}

function methodOf({ payment_method_details: details }: Stripe.Charge): string {
  const last4 = details?.card?.last4
  return last4 ? `card •••• ${last4}` : (details?.type.replaceAll('_', ' ') ?? 'card')
}

/** One that waits for the customer, or was called off, has moved nothing. */
const isSent = ({ status, balance_transaction }: Stripe.Refund) =>
  status !== 'canceled' && status !== 'requires_action' && Boolean(balance_transaction)

/** An inquiry that the bank let go, and a dispute that never came to it, have taken nothing: the payment stands. */
function standOf(status: Stripe.Dispute.Status): ProviderDispute['status'] {
  if (status === 'won' || status === 'warning_closed' || status === 'prevented') return 'won'
  if (status === 'lost') return 'lost'
  return status === 'needs_response' || status === 'under_review' ? 'open' : 'asked'
}

function periodEndOf(invoice: Stripe.Invoice | null): Date | null {
  // A change within a period has prorations alone; one that begins a period of its own has the whole price.
  const begun = (invoice?.lines.data ?? []).filter((line) => !line.parent?.subscription_item_details?.proration)
  const end = Math.max(...begun.map(({ period }) => period.end))
  return Number.isFinite(end) ? date(end) : null
}

function earnedOver(invoice: Stripe.Invoice | null): { from: Date; to: Date } | null {
  const paid = (invoice?.lines.data ?? []).filter(({ amount }) => amount > 0)
  if (paid.length === 0) return null
  return { from: date(Math.min(...paid.map(({ period }) => period.start))), to: date(Math.max(...paid.map(({ period }) => period.end))) }
}

function feeOf(movement: string | Stripe.BalanceTransaction | null | undefined) {
  if (!movement || typeof movement === 'string' || movement.fee === 0) return null
  return { reference: movement.id, feeCents: movement.fee, createdAt: date(movement.created) }
}

export const creditOf = ({
  id,
  amount,
  currency,
  invoice,
  type,
  metadata,
  description,
  created,
}: Stripe.CustomerBalanceTransaction): ProviderCredit => ({
  id,
  amountCents: amount,
  currency,
  invoice: idOf(invoice),
  ofInvoice: invoiceTypes.includes(type),
  referral:
    metadata?.kind === REFERRAL || metadata?.kind === REFERRAL_BACK
      ? { referred: metadata.referred ?? null, isBack: metadata.kind === REFERRAL_BACK }
      : description === REFERRAL_THANKS
        ? { referred: null, isBack: false }
        : null,
  isGoodwill: metadata?.kind === GOODWILL,
  createdAt: date(created),
})

export const [REFERRAL, REFERRAL_BACK] = ['referral', 'referral_back']
export const GOODWILL = 'goodwill'
export const REFERRAL_THANKS = 'Thank you for a referral'
const invoiceTypes = ['applied_to_invoice', 'unapplied_from_invoice', 'invoice_too_small', 'invoice_too_large', 'credit_note']

export function eventOf(event: Stripe.Event): ProviderEvent {
  const object = event.data.object as { id?: string; object?: string; customer?: unknown; charge?: unknown }
  return {
    id: event.id,
    type: event.type,
    createdAt: date(event.created),
    customer: object.object === 'customer' ? (object.id ?? null) : idOf(object.customer),
    charge: object.object === 'charge' ? (object.id ?? null) : idOf(object.charge),
    invoice: object.object === 'invoice' ? (object.id ?? null) : null,
    account: event.account ?? null,
    object,
    previous: (event.data.previous_attributes ?? {}) as Record<string, unknown>,
    raw: event,
  }
}

export const date = (seconds: number) => new Date(seconds * 1000)
export const seconds = (date: Date) => Math.floor(date.getTime() / 1000)
export type CheckoutState = 'open' | 'complete' | 'expired'
export const stateOf = ({ status }: Stripe.Checkout.Session): CheckoutState =>
  status === 'complete' ? 'complete' : status === 'expired' ? 'expired' : 'open'

/** A payment page to send the buyer to. */
export function openedOf({ id, url }: Stripe.Checkout.Session): { id: string; url: string } {
  if (!url) throw new DomainError('checkout_failed')
  return { id, url }
}

export const idOf = (value: unknown): string | null =>
  typeof value === 'string' ? value : value && typeof value === 'object' && 'id' in value ? String(value.id) : null
