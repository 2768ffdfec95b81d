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
  'stripe_schedule_id',
  'plan',
  'period',
  'next_plan',
  'next_period',
  'tier',
  'status',
  'period_start',
  'period_end',
  'allowance_start',
  'allowance_end',
  'trial_end',
  'cancel_at_period_end',
  'grace_until',
  'lapsed',
  'disputed',
] as const
type Entitlement = Pick<SubscriptionRow, (typeof fields)[number]>

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
    stripe_schedule_id: found.schedule,
    plan: found.plan,
    period: found.period,
    next_plan: found.next?.plan ?? null,
    next_period: found.next?.period ?? null,
    tier: disputed ? 'none' : keeps ? known.tier : tierOf(found, lapsed),
    status: found.status,
    period_start: found.periodStart,
    period_end: found.periodEnd,
    ...monthOf(known, found),
    trial_end: found.trialEnd,
    cancel_at_period_end: found.cancelAtPeriodEnd && found.status !== 'canceled',
    grace_until: graceUntil,
    lapsed,
    disputed,
  }
}

const ended = {
  stripe_schedule_id: null,
  next_plan: null,
  next_period: null,
  allowance_start: null,
  allowance_end: null,
  status: 'canceled',
  tier: 'none',
  cancel_at_period_end: false,
  grace_until: null,
  lapsed: false,
  disputed: false,
} as const

/** A year begins with its first month; the sweep goes on from one to the next. */
function monthOf(known: SubscriptionRow, found: ProviderSubscription): Pick<Entitlement, 'allowance_start' | 'allowance_end'> {
  const { period, periodStart, status } = found
  if (period === 'month' || status === 'trialing' || status === 'canceled') return { allowance_start: null, allowance_end: null }
  const isSame = known.stripe_subscription_id === found.id && known.period_start.getTime() === periodStart.getTime()
  const { allowance_start, allowance_end } = known
  if (isSame && allowance_start) return { allowance_start, allowance_end }
  return { allowance_start: periodStart, allowance_end: monthAfter(periodStart) }
}

/** Whose allowances count from when to when. */
export const allowanceMonth = (row: Pick<SubscriptionRow, 'period_start' | 'period_end' | 'allowance_start' | 'allowance_end'>) => ({
  start: row.allowance_start ?? row.period_start,
  end: row.allowance_end ?? row.period_end,
})

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
  const month = allowanceMonth(row)
  await publish(trx, subscriptionChanged, row.user_id, {
    version: row.version,
    tier: row.tier,
    status: row.status,
    limits: limitsOf(row.tier),
    budgets_microusd: budgets,
    period_start: month.start.toISOString(),
    period_end: month.end?.toISOString() ?? null,
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
/** The same day a month later, or that month's last. */
function monthAfter(date: Date): Date {
  const next = new Date(date)
  next.setUTCMonth(next.getUTCMonth() + 1, 1)
  const lastDay = new Date(Date.UTC(next.getUTCFullYear(), next.getUTCMonth() + 1, 0)).getUTCDate()
  next.setUTCDate(Math.min(date.getUTCDate(), lastDay))
  return next
}
export const addDays = (date: Date, days: number) => new Date(date.getTime() + days * DAY_MS)
