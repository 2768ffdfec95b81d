import type * as contract from '@operon/contracts/billing/api'
import type { Output } from '@operon/contracts/contract'
import { limitsOf, modelLimitsOf, type Period, type PlanId, planIds, type Tier, units } from '@operon/contracts/plans'
import { signedIn } from '@operon/kit/context'
import { runStatement, type Statement } from '@operon/kit/db'
import type { BillingCtx, Db } from '../deps.ts'
import type { Status } from '../schema.ts'
import { allowanceMonth, keptPlan, startOfMonth, startOfNextMonth } from './entitlement.ts'

type Reply = Output<typeof contract.checkSubscription>

export async function checkSubscription(ctx: BillingCtx): Promise<Reply> {
  return subscriptionOf(ctx.db, signedIn(ctx).id)
}

type Row = {
  subscribed: boolean
  plan: PlanId | null
  period: Period
  next_plan: PlanId | null
  next_period: Period | null
  allowance_start: Date | null
  allowance_end: Date | null
  tier: Tier
  status: Status
  trial_used: boolean
  trial_end: Date | null
  period_start: Date
  period_end: Date | null
  cancel_at_period_end: boolean
  grace_until: Date | null
  disputed: boolean
  used: Record<string, number> | null
}

/** One read: the plan and what is used of it. A free account counts by the calendar month, a paid one by its period; agents are what exists. */
const CHECK: Statement = {
  name: 'check_subscription',
  text: `
    select v.subscribed, s.plan, s.period, s.next_plan, s.next_period, s.allowance_start, s.allowance_end, s.tier, s.status,
      a.trial_used_at is not null as trial_used, s.trial_end, s.period_start, s.period_end, s.cancel_at_period_end, s.grace_until, s.disputed,
      (select jsonb_object_agg(u.unit, u.used) from (
        select distinct on (unit) unit, used from usage
        where user_id = s.user_id
          and (unit = 'agents' or period_start = case when s.tier = 'none' then $2::timestamptz else coalesce(s.allowance_start, s.period_start) end)
        order by unit, at desc) u) as used
    from subscriptions s join subscribers v on v.user_id = s.user_id join accounts a on a.user_id = s.user_id where s.user_id = $1`,
}

export async function subscriptionOf(db: Db, userId: string): Promise<Reply> {
  const [row] = await runStatement<Row>(db, CHECK, [userId, startOfMonth()])
  if (!row) return { ...nothing, ...allowanceOf('none', {}, startOfMonth(), startOfNextMonth()) }
  const { start, end } = row.tier === 'none' ? { start: startOfMonth(), end: startOfNextMonth() } : allowanceMonth(row)
  const current = row.status !== 'canceled' && row.status !== 'none' && row.status !== 'incomplete'
  return {
    subscribed: row.subscribed,
    // Past due after an upgrade: what is paid for is what counts.
    subscription_tier: current ? (planIds.find((id) => id === row.tier) ?? row.plan) : null,
    next_plan: current ? (row.next_plan ?? (keptPlan(row) ? row.plan : null)) : null,
    ...(current && { period: row.period, next_period: row.next_period ?? (keptPlan(row) ? row.period : null) }),
    status: row.status,
    trial_available: !row.trial_used,
    trial_end: row.trial_end?.toISOString() ?? null,
    current_period_end: row.period_end?.toISOString() ?? null,
    cancel_at_period_end: row.cancel_at_period_end,
    grace_until: row.grace_until?.toISOString() ?? null,
    ...(row.disputed && { disputed: true }),
    ...allowanceOf(row.tier, row.used ?? {}, start, end),
  }
}

const nothing = {
  subscribed: false,
  subscription_tier: null,
  next_plan: null,
  status: 'none',
  trial_available: true,
  trial_end: null,
  current_period_end: null,
  cancel_at_period_end: false,
  grace_until: null,
} as const

function allowanceOf(tier: Tier, used: Record<string, number>, start: Date, end: Date | null) {
  const limits = limitsOf(tier)
  const period = { period_start: start.toISOString(), period_end: end?.toISOString() ?? null }
  const usage = units.map((unit) => ({ unit, used: used[unit] ?? 0, limit: limits[unit], ...period }))
  return { usage, max_characters: modelLimitsOf(tier).inputCharacters }
}
