import { limitsOf, PAST_DUE_GRACE_DAYS, type Tier } from '@operon/contracts/plans'
import type { Kysely } from 'kysely'
import { runStatement, type Statement } from './db.ts'
import type { ByTier, Metered } from './meter.ts'

// The units that a person's plan and top-ups allow now, and how many are spent.

export type Usage = {
  unit: Metered
  tier: Tier
  used: number
  reserved: number
  limit: number | null
  costMicrousd: number
  costReservedMicrousd: number
  /** Null where the service spends no money by the unit. */
  budgetMicrousd: number | null
  /** Of top-ups: what this period has taken from them, and what is left in them. */
  extra: number
  extraMicrousd: number
  topUps: number
  topUpsMicrousd: number
  periodStart: Date
  periodEnd: Date | null
}

export const noneOf = (unit: Metered): number | null => (unit === 'speech' ? null : limitsOf('none')[unit])
export const jsonOf = (value: object | null) => (value ? JSON.stringify(value) : null)

// The plan's period is the subscription's while it runs, else the calendar month of a free account.
const calendarMonth = `date_trunc('month', now() at time zone 'utc') at time zone 'utc'`
// `none` is no subscription: its allowance is the calendar month's, and comes anew with it.
export const stillRuns = `e.tier <> 'none' and (e.period_end is null or e.period_end + interval '${PAST_DUE_GRACE_DAYS} days' > now())`
// An instance of the version before writes no budget: the tier's own stands in for it. The plan's budget is for its units; speech has the tier's own.
export const planColumns = `
  coalesce(e.period_start, ${calendarMonth}) as period_start, e.period_end, coalesce(e.tier, 'none') as tier,
  case when e.user_id is null then $3::int else (e.limits ->> $2)::int end as max,
  coalesce(case when $2 <> 'speech' then e.budget_microusd end, ($4::jsonb ->> coalesce(e.tier, 'none'))::bigint) as budget`
export const planOf = (user: string) =>
  `select ${planColumns} from (select) one left join entitlements e on e.user_id = ${user} and ${stillRuns}`

/** The units and the budget that a user has spent in the current period. */
export async function usageOf(db: Kysely<any>, userId: string, unit: Metered, budgets: ByTier | null = null): Promise<Usage> {
  const [row] = await runStatement<UsageRow>(db, USAGE, [userId, unit, noneOf(unit), jsonOf(budgets)])
  const { used, reserved, max: limit, tier, cost_used, cost_reserved, budget, period_start, period_end, extra, extra_cost } = row!
  return {
    ...{ unit, tier, used, reserved, limit, costMicrousd: cost_used, costReservedMicrousd: cost_reserved, budgetMicrousd: budget },
    ...{ extra, extraMicrousd: extra_cost, topUps: row!.top_ups, topUpsMicrousd: row!.top_ups_cost },
    periodStart: period_start,
    periodEnd: period_end,
  }
}
type UsageRow = {
  used: number
  reserved: number
  max: number | null
  tier: Tier
  cost_used: number
  cost_reserved: number
  budget: number | null
  period_start: Date
  period_end: Date | null
  extra: number
  extra_cost: number
  top_ups: number
  top_ups_cost: number
}

const USAGE: Statement = {
  name: 'meter_usage',
  text: `
    with plan as (${planOf('$1::uuid')})
    select coalesce(c.used, 0) as used, coalesce(c.reserved, 0) as reserved, coalesce(c.cost_used, 0) as cost_used,
      coalesce(c.cost_reserved, 0) as cost_reserved, plan.max, plan.tier, plan.budget, plan.period_start, plan.period_end,
      coalesce(c.extra, 0) as extra, coalesce(c.extra_cost, 0) as extra_cost, t.*
    from plan left join usage_counters c on c.user_id = $1 and c.unit = $2 and c.period_start = plan.period_start
    cross join (
      select coalesce(sum(units - drawn), 0)::int as top_ups, coalesce(sum((units - drawn) * unit_microusd), 0)::bigint as top_ups_cost
      from usage_top_ups where user_id = $1 and unit = $2 and state = 'open') t`,
}
