import { planClosed, subscriptionChanged } from '@operon/contracts/billing/events'
import { budgetsOf, limitsOf, PAST_DUE_GRACE_DAYS, type PlanId, priceCentsOf, type Tier } from '@operon/contracts/plans'
import { DAY_MS } from '@operon/kit/clock'
import { publish } from '@operon/kit/tx'
import type { Selectable } from 'kysely'
import type { Trx } from '../deps.ts'
import type { BillingDb } from '../schema.ts'
import type { ProviderSubscription } from '../stripe-shapes.ts'

export type SubscriptionRow = Selectable<BillingDb['subscriptions']>
const fields = [
  'stripe_subscription_id',
  'stripe_item_id',
  'plan',
  'tier',
  'status',
  'period_start',
  'period_end',
  'trial_end',
  'cancel_at_period_end',
  'grace_until',
  'lapsed',
  'disputed',
] as const
export type Entitlement = Pick<SubscriptionRow, (typeof fields)[number]>

/** Facts that the subscription lacks: whether its payment is disputed, and whether it ever was paid. */
export type Standing = { disputed: boolean; hasPaid: boolean }

/** An account's entitlement, from the provider's answer and from earlier knowledge. */
export function entitlementOf(known: SubscriptionRow, found: ProviderSubscription | null, standing: Standing): Entitlement {
  if (!found && !known.stripe_subscription_id) return pick(known)
  // The provider has forgotten it: its customer was deleted there.
  if (!found) return { ...pick(known), ...ended }
  // It ended by its date; the provider is only slower to close it.
  const isOver = known.status === 'canceled' && known.stripe_subscription_id === found.id && found.cancelAtPeriodEnd
  if (isOver && found.periodEnd.getTime() === known.period_end?.getTime()) return pick(known)
  const pastDue = found.status === 'past_due'
  // Grace is for those who have paid before: a trial on a card that has nothing is over when the trial is.
  const isFirst = pastDue && !standing.hasPaid
  const graceUntil = pastDue && !isFirst ? (known.grace_until ?? addDays(found.periodStart, PAST_DUE_GRACE_DAYS)) : null
  const lapsed = isFirst || (pastDue && known.lapsed)
  const disputed = standing.disputed && found.status !== 'canceled'
  const keeps = !lapsed && (keepsPaid(known, found) || isUnpaidRise(known, found))
  return {
    stripe_subscription_id: found.id,
    stripe_item_id: found.itemId,
    plan: found.plan,
    tier: disputed ? 'none' : keeps ? known.tier : tierOf(found, lapsed),
    status: found.status,
    period_start: found.periodStart,
    period_end: found.periodEnd,
    trial_end: found.trialEnd,
    cancel_at_period_end: found.cancelAtPeriodEnd && found.status !== 'canceled',
    grace_until: graceUntil,
    lapsed,
    disputed,
  }
}

const ended = {
  status: 'canceled',
  tier: 'none',
  cancel_at_period_end: false,
  grace_until: null,
  lapsed: false,
  disputed: false,
} as const

/** A higher plan counts once it is paid. */
const isUnpaidRise = (known: SubscriptionRow, found: ProviderSubscription): boolean =>
  found.status === 'past_due' &&
  known.stripe_subscription_id === found.id &&
  priceCentsOf(known.tier) > 0 &&
  priceCentsOf(found.plan) > priceCentsOf(known.tier)

/** A plan that was lowered within a paid period stays until its end: nothing of it is credited. */
function keepsPaid(known: SubscriptionRow, found: ProviderSubscription): boolean {
  const isSamePeriod = known.stripe_subscription_id === found.id && known.period_start.getTime() === found.periodStart.getTime()
  const isRunning = (known.status === 'active' || known.status === 'past_due') && (found.status === 'active' || found.status === 'past_due')
  return isSamePeriod && isRunning && priceCentsOf(known.tier) > priceCentsOf(found.plan)
}

/** The plan that is paid for until the period's end although a lower one follows. */
export const keptPlan = ({ tier, plan }: { tier: Tier; plan: PlanId | null }): PlanId | null =>
  priceCentsOf(tier) > priceCentsOf(plan) ? (tier as PlanId) : null

function tierOf({ status, plan }: ProviderSubscription, lapsed: boolean): Tier {
  if (status === 'trialing') return 'trial'
  const pays = status === 'active' || (status === 'past_due' && !lapsed)
  return pays && plan ? plan : 'none'
}

/** Everyone who meters hears the limits, with a version that only rises. */
export async function publishSubscription(trx: Trx, row: SubscriptionRow, budgets = budgetsOf(row.tier)): Promise<void> {
  await publish(trx, subscriptionChanged, row.user_id, {
    version: row.version,
    tier: row.tier,
    status: row.status,
    limits: limitsOf(row.tier),
    budgets_microusd: budgets,
    period_start: row.period_start.toISOString(),
    period_end: row.period_end?.toISOString() ?? null,
    trial_end: row.trial_end?.toISOString() ?? null,
    ...(row.disputed && { disputed: true }),
  })
}

/** Once a dunning: whoever closes the plan says so. */
export async function publishClosed(trx: Trx, { user_id, plan }: SubscriptionRow): Promise<void> {
  if (plan) await publish(trx, planClosed, user_id, { plan: plan as PlanId })
}

export const pick = (row: SubscriptionRow): Entitlement => Object.fromEntries(fields.map((field) => [field, row[field]])) as Entitlement

export const startOfMonth = (now = new Date()) => new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1))
export const startOfNextMonth = (now = new Date()) => new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1))
export const addDays = (date: Date, days: number) => new Date(date.getTime() + days * DAY_MS)
