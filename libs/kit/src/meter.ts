import type { ErrorCode } from '@operon/contracts/messages'
import { limitsOf, PAST_DUE_GRACE_DAYS, type Tier, tiers, type Unit } from '@operon/contracts/plans'
import type { Kysely } from 'kysely'
import { runStatement, type Statement } from './db.ts'
import { DomainError } from './errors.ts'
import { newId } from './ids.ts'
import { inTransaction } from './tx.ts'

// reserve -> run -> settle (`settle.ts`). A reservation is taken before the work and holds its units against the limit and its cost against the budget;
// settling turns it into use, releasing gives it back. One that nobody settles (the process died) settles by itself as `unknown`, at what
// it had reserved.

/** Millionths of a dollar by tier: the plan is known only where the statement runs. */
export type ByTier = Record<Tier, number>
/** More than any budget: what a plan does not allow at all. */
export const NEVER = 2 ** 50

/** What no plan counts is metered in money alone, against a budget of its own. */
export type Metered = Unit | 'speech'

export type Reservation = {
  id: string
  userId: string
  unit: Metered
  amount: number
  periodStart: Date
  feature: string
  /** The plan that it was granted by. */
  tier: Tier
  /** Its share of the budget; `extend` raises it. */
  costMicrousd: number
}
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
  periodStart: Date
  periodEnd: Date | null
}
/** `costs`: the most that it can cost. */
export type Ask = { userId: string; unit: Metered; feature: string; amount?: number; holdMs?: number; costs?: ByTier | null }

/** Takes units against the user's plan: two callers can never share the last one. */
export async function reserve(db: Kysely<any>, ask: Ask, budgets: ByTier | null = null): Promise<Reservation> {
  const wanted = wantedOf(ask)
  const taken = (await take(db, ask.unit, [wanted], budgets)).get(wanted.id)
  if (!taken) throw await refusal(db, ask, budgets)
  return taken
}

/** Several of one user and unit, each to be settled by itself: all of them or none. */
export async function reserveMany(db: Kysely<any>, asks: Ask[], budgets: ByTier | null = null): Promise<Reservation[]> {
  const all = asks.map(wantedOf)
  const taken = await inTransaction(db, async (trx) => {
    const granted = await take(trx, asks[0]!.unit, all, budgets)
    if (granted.size < all.length) throw new NotAll()
    return [...granted.values()]
  }).catch((error) => {
    if (!(error instanceof NotAll)) throw error
    return null
  })
  if (taken) return taken
  const costs = asks.every((ask) => ask.costs) ? sumOf(asks.map((ask) => ask.costs!)) : null
  throw await refusal(db, { ...asks[0]!, amount: asks.reduce((sum, { amount = 1 }) => sum + amount, 0), costs }, budgets)
}
class NotAll extends Error {}

const wantedOf = ({ userId, feature, amount = 1, holdMs = HOLD_MS, costs = null }: Ask): Wanted => ({
  ...{ id: newId(), userId, feature, amount, holdMs, costs },
})
const sumOf = (all: ByTier[]) => Object.fromEntries(tiers.map((tier) => [tier, all.reduce((sum, each) => sum + each[tier], 0)])) as ByTier

export const HOLD_MS = 15 * 60_000

/** Why nothing was granted: the units, the budget, or a budget that running work still holds. */
export async function refusal(db: Kysely<any>, { userId, unit, amount = 1, costs }: Omit<Ask, 'feature'>, budgets: ByTier | null) {
  const usage = await usageOf(db, userId, unit, budgets)
  const { tier, used, reserved, limit, costMicrousd, costReservedMicrousd, budgetMicrousd } = usage
  const details = { unit, tier, upgrade: '/pricing' }
  if (budgetMicrousd === null || (limit !== null && used + reserved + amount > limit))
    return new DomainError(`limit_${unit}` as ErrorCode, { details })
  const ofBudget = { ...details, budget_microusd: budgetMicrousd, cost_microusd: costMicrousd }
  const isWorthWaiting = costReservedMicrousd > 0 && costMicrousd + (costs?.[tier] ?? 0) <= budgetMicrousd
  return new DomainError(isWorthWaiting ? 'budget_held' : 'limit_budget', { details: ofBudget })
}

export type Wanted = Required<Omit<Ask, 'unit'>> & { id: string }
/** The units left in the plan afterwards; null without a limit. */
export type Taken = Reservation & { left: number | null; costLeft: number | null }

/** Returns the requests that were granted, in one statement for any number of them; those of one user ask for the same amount. */
export async function take(db: Kysely<any>, unit: Metered, wanted: Wanted[], budgets: ByTier | null = null): Promise<Map<string, Taken>> {
  const [statement, values] = wanted.length === 1 ? takingOne(unit, wanted[0]!, budgets) : takingAll(unit, wanted, budgets)
  const rows = await runStatement<Granted>(db, statement, values)
  const byId = new Map(wanted.map((each) => [each.id, each]))
  return new Map(
    rows.map(({ id, period_start: periodStart, left, tier, cost: costMicrousd, cost_left: costLeft }) => {
      const { userId, amount, feature } = byId.get(id)!
      return [id, { id, userId, unit, amount, periodStart, feature, tier, costMicrousd, left, costLeft }]
    }),
  )
}
type Granted = { id: string; period_start: Date; left: number | null; tier: Tier; cost: number; cost_left: number | null }

const noneOf = (unit: Metered): number | null => (unit === 'speech' ? null : limitsOf('none')[unit])
export const jsonOf = (value: object | null) => (value ? JSON.stringify(value) : null)
const takingOne = (unit: Metered, wanted: Wanted, budgets: ByTier | null): [Statement, unknown[]] => {
  const { id, userId, feature, amount, holdMs, costs } = wanted
  return [TAKE_ONE, [userId, unit, noneOf(unit), jsonOf(budgets), amount, id, feature, holdMs, jsonOf(costs)]]
}
const takingAll = (unit: Metered, wanted: Wanted[], budgets: ByTier | null): [Statement, unknown[]] => {
  const given = wanted.map(({ userId, holdMs, ...each }, n) => ({ ...each, user_id: userId, hold_ms: holdMs, n }))
  return [TAKE, [JSON.stringify(given), unit, noneOf(unit), jsonOf(budgets)]]
}

// The plan's period is the subscription's while it runs, else the calendar month of a free account.
const calendarMonth = `date_trunc('month', now() at time zone 'utc') at time zone 'utc'`
// `none` is no subscription: its allowance is the calendar month's, and comes anew with it.
const stillRuns = `e.tier <> 'none' and (e.period_end is null or e.period_end + interval '${PAST_DUE_GRACE_DAYS} days' > now())`
// An instance of the version before writes no budget: the tier's own stands in for it. The plan's budget is for its units; speech has the tier's own.
const planColumns = `
  coalesce(e.period_start, ${calendarMonth}) as period_start, e.period_end, coalesce(e.tier, 'none') as tier,
  case when e.user_id is null then $3::int else (e.limits ->> $2)::int end as max,
  coalesce(case when $2 <> 'speech' then e.budget_microusd end, ($4::jsonb ->> coalesce(e.tier, 'none'))::bigint) as budget`
const planOf = (user: string) => `select ${planColumns} from (select) one left join entitlements e on e.user_id = ${user} and ${stillRuns}`

// Each counter is raised once, by as many of its user's askers as still fit, in the order they came: what the row was before (`old`) and
// is after (`new`) tells how many that is. Costs only add up, so those that fit are the first ones here too.
const TAKE: Statement = {
  name: 'meter_take',
  text: `
    with asked as (
      select a.id, a.user_id, a.feature, a.amount, a.hold_ms, a.n, ${planColumns}, coalesce((a.costs ->> coalesce(e.tier, 'none'))::bigint, 0) as cost
      from jsonb_to_recordset($1::jsonb) as a (id uuid, user_id uuid, feature text, amount int, hold_ms int, costs jsonb, n int)
      left join entitlements e on e.user_id = a.user_id and ${stillRuns}
    ),
    turns as (
      select *, row_number() over mine as turn, (sum(cost) over mine)::bigint as so_far from asked
      window mine as (partition by user_id order by n)
    ),
    counted as (
      insert into usage_counters as c (user_id, unit, period_start, reserved, cost_reserved)
      select user_id, $2, period_start, sum(amount), sum(cost) from turns
      where (max is null or turn * amount <= max) and (budget is null or so_far <= budget) group by user_id, period_start order by user_id
      on conflict (user_id, unit, period_start) do update set (reserved, cost_reserved) = (
        select c.reserved + coalesce(sum(t.amount), 0), c.cost_reserved + coalesce(sum(t.cost), 0) from turns t
        where t.user_id = c.user_id and (t.max is null or t.turn * t.amount <= t.max - c.used - c.reserved)
          and (t.budget is null or t.so_far <= t.budget - c.cost_used - c.cost_reserved))
      returning c.user_id, c.period_start, new.reserved - coalesce(old.reserved, 0) as granted, new.used + new.reserved as taken,
        new.cost_used + new.cost_reserved as cost_taken
    ),
    granted as (
      select t.id, t.user_id, t.feature, t.amount, t.hold_ms, t.tier, t.cost, c.period_start, t.max - c.taken as "left",
        t.budget - c.cost_taken as cost_left
      from turns t join counted c using (user_id) where t.turn * t.amount <= c.granted
    ),
    stored as (
      insert into usage_reservations (id, user_id, unit, period_start, amount, feature, cost_held, expires_at)
      select id, user_id, $2, period_start, amount, feature, cost, now() + hold_ms * interval '1 millisecond' from granted
    )
    select id, period_start, "left", tier, cost, cost_left from granted`,
}

// A single request skips the lists: half of what the other costs. A guard that does not hold changes no row, so nothing is returned.
const TAKE_ONE: Statement = {
  name: 'meter_take_one',
  text: `
    with found as (${planOf('$1::uuid')}),
    plan as (select *, coalesce(($9::jsonb ->> tier)::bigint, 0) as cost from found),
    counted as (
      insert into usage_counters as c (user_id, unit, period_start, reserved, cost_reserved)
      select $1::uuid, $2, period_start, $5::int, cost from plan where (max is null or max >= $5) and (budget is null or budget >= cost)
      on conflict (user_id, unit, period_start) do update
        set reserved = c.reserved + excluded.reserved, cost_reserved = c.cost_reserved + excluded.cost_reserved
        where (select (max is null or c.used + c.reserved + $5 <= max) and (budget is null or c.cost_used + c.cost_reserved + cost <= budget)
          from plan)
      returning c.period_start, c.used + c.reserved as taken, c.cost_used + c.cost_reserved as cost_taken
    ),
    stored as (
      insert into usage_reservations (id, user_id, unit, period_start, amount, feature, cost_held, expires_at)
      select $6::uuid, $1, $2, c.period_start, $5, $7::text, plan.cost, now() + $8::int * interval '1 millisecond' from counted c, plan
    )
    select $6::uuid as id, c.period_start, plan.max - c.taken as "left", plan.tier, plan.cost, plan.budget - c.cost_taken as cost_left
    from counted c, plan`,
}

/** Holds more of the budget for work that turns out dearer, a fallback for instance. False when the budget does not allow it. */
export async function extend(db: Kysely<any>, reservation: Reservation, moreMicrousd: number, budgets: ByTier | null): Promise<boolean> {
  const { id, userId, unit } = reservation
  const values = [userId, unit, noneOf(unit), jsonOf(budgets), id, moreMicrousd]
  const [held] = await runStatement<{ cost_held: number }>(db, EXTEND, values)
  if (held) reservation.costMicrousd = held.cost_held
  return Boolean(held)
}

// The counter's guard decides under its lock; a reservation that was settled meanwhile is not raised.
const EXTEND: Statement = {
  name: 'meter_extend',
  text: `
    with plan as (${planOf('$1::uuid')}),
    open as (select id, user_id, unit, period_start from usage_reservations where id = $5::uuid and state is not distinct from 'reserved' for update),
    counted as (
      update usage_counters c set cost_reserved = c.cost_reserved + $6::bigint from open, plan
      where c.user_id = open.user_id and c.unit = open.unit and c.period_start = open.period_start
        and (plan.budget is null or c.cost_used + c.cost_reserved + $6 <= plan.budget)
      returning open.id
    )
    update usage_reservations r set cost_held = r.cost_held + $6 from counted where r.id = counted.id returning r.cost_held`,
}

/** The units and the budget that a user has spent in the current period. */
export async function usageOf(db: Kysely<any>, userId: string, unit: Metered, budgets: ByTier | null = null): Promise<Usage> {
  const [row] = await runStatement<UsageRow>(db, USAGE, [userId, unit, noneOf(unit), jsonOf(budgets)])
  const { used, reserved, max: limit, tier, cost_used, cost_reserved, budget, period_start, period_end } = row!
  return {
    ...{ unit, tier, used, reserved, limit, costMicrousd: cost_used, costReservedMicrousd: cost_reserved, budgetMicrousd: budget },
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
}

const USAGE: Statement = {
  name: 'meter_usage',
  text: `
    with plan as (${planOf('$1::uuid')})
    select coalesce(c.used, 0) as used, coalesce(c.reserved, 0) as reserved, coalesce(c.cost_used, 0) as cost_used,
      coalesce(c.cost_reserved, 0) as cost_reserved, plan.max, plan.tier, plan.budget, plan.period_start, plan.period_end
    from plan left join usage_counters c on c.user_id = $1 and c.unit = $2 and c.period_start = plan.period_start`,
}
