import { type PlanId, plans } from '@operon/contracts/plans'
import type Stripe from 'stripe'
import type { Status } from './schema.ts'

// What the rest of the service sees of the provider's objects: only what it uses, in its own words.

export type ProviderEvent = {
  id: string
  type: string
  createdAt: Date
  customer: string | null
  charge: string | null
  invoice: string | null
  raw: unknown
}
export type ProviderSubscription = {
  id: string
  itemId: string
  plan: PlanId | null
  status: Exclude<Status, 'none'>
  periodStart: Date
  periodEnd: Date
  trialEnd: Date | null
  cancelAtPeriodEnd: boolean
  /** A discount waits for the next charge. */
  discounted: boolean
  createdAt: Date
}
export type ProviderRefund = { id: string; amountCents: number; createdAt: Date }
export type ProviderDispute = { id: string; amountCents: number; feeCents: number; status: 'open' | 'won' | 'lost'; createdAt: Date }
export type ProviderCharge = {
  id: string
  customer: string | null
  amountCents: number
  currency: string
  succeeded: boolean
  createdAt: Date
  description: string
  /** The balance movements known so far, with the fee of each. */
  fees: { reference: string; feeCents: number; createdAt: Date }[]
  refunds: ProviderRefund[]
  disputes: ProviderDispute[]
}
export type ProviderInvoice = {
  id: string
  customer: string | null
  currency: string
  creditUsedCents: number
  dueCents: number
  /** Why there is an invoice, in the provider's words: `subscription_cycle` is a renewal. */
  reason: string | null
  createdAt: Date
  paid: boolean
}
export function subscriptionOf(subscription: Stripe.Subscription): ProviderSubscription {
  const item = subscription.items.data[0]!
  const plan = item.price.metadata?.plan ?? subscription.metadata.plan
  return {
    id: subscription.id,
    itemId: item.id,
    plan: plans.find(({ id }) => id === plan)?.id ?? null,
    status: statusOf(subscription.status),
    periodStart: date(periodStartOf(subscription, item)),
    periodEnd: date(item.current_period_end),
    trialEnd: subscription.trial_end ? date(subscription.trial_end) : null,
    cancelAtPeriodEnd: subscription.cancel_at_period_end || subscription.cancel_at !== null,
    discounted: subscription.discounts.length > 0,
    createdAt: date(subscription.created),
  }
}

/** A trial that is made longer begins a new period at the provider; what was used in it stays used. */
const periodStartOf = ({ status, trial_start }: Stripe.Subscription, item: Stripe.SubscriptionItem) =>
  status === 'trialing' ? (trial_start ?? item.current_period_start) : item.current_period_start

function statusOf(status: string): ProviderSubscription['status'] {
  if (status === 'trialing' || status === 'active' || status === 'past_due' || status === 'unpaid' || status === 'canceled') return status
  return status === 'incomplete' ? 'incomplete' : status === 'incomplete_expired' ? 'canceled' : 'unpaid'
}

export function chargeOf(charge: Stripe.Charge, refunds: Stripe.Refund[], disputes: Stripe.Dispute[]): ProviderCharge {
  const own = feeOf(charge.balance_transaction)
  return {
    id: charge.id,
    customer: idOf(charge.customer),
    amountCents: charge.amount_captured,
    currency: charge.currency,
    succeeded: charge.status === 'succeeded' && charge.captured,
    createdAt: date(charge.created),
    description: charge.description ?? 'Subscription',
    fees: [own, ...refunds.map((refund) => feeOf(refund.balance_transaction ?? null))].filter((fee) => fee !== null),
    refunds: refunds
      .filter((refund) => refund.status === 'succeeded')
      .map((refund) => ({ id: refund.id, amountCents: refund.amount, createdAt: date(refund.created) })),
    disputes: disputes.map((dispute) => ({
      id: dispute.id,
      amountCents: dispute.amount,
      feeCents: (dispute.balance_transactions ?? []).reduce((sum, movement) => sum + movement.fee, 0),
      status: dispute.status === 'won' ? 'won' : dispute.status === 'lost' ? 'lost' : 'open',
      createdAt: date(dispute.created),
    })),
  }
}

function feeOf(movement: string | Stripe.BalanceTransaction | null) {
  if (!movement || typeof movement === 'string' || movement.fee === 0) return null
  return { reference: movement.id, feeCents: movement.fee, createdAt: date(movement.created) }
}

export function eventOf(event: Stripe.Event): ProviderEvent {
  const object = event.data.object as { id?: string; object?: string; customer?: unknown; charge?: unknown }
  return {
    id: event.id,
    type: event.type,
    createdAt: date(event.created),
    customer: object.object === 'customer' ? (object.id ?? null) : idOf(object.customer),
    charge: object.object === 'charge' ? (object.id ?? null) : idOf(object.charge),
    invoice: object.object === 'invoice' ? (object.id ?? null) : null,
    raw: event,
  }
}

export const date = (seconds: number) => new Date(seconds * 1000)
export const seconds = (date: Date) => Math.floor(date.getTime() / 1000)
export const idOf = (value: unknown): string | null =>
  typeof value === 'string' ? value : value && typeof value === 'object' && 'id' in value ? String(value.id) : null
