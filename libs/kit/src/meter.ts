import type { ErrorCode } from '@operon/contracts/messages'
import { type Tier, tiers, type Unit } from '@operon/contracts/plans'
import type { Kysely } from 'kysely'
import { jsonOf, noneOf, planColumns, planOf, stillRuns, usageOf } from './allowance.ts'
import { runStatement, type Statement } from './db.ts'
import { DomainError } from './errors.ts'
import { newId } from './ids.ts'
import { draw, hasTopUp } from './top-ups.ts'
import { inTransaction } from './tx.ts'

// reserve -> run -> settle (`settle.ts`). A reservation is taken before the work and holds its units against the limit and its cost against the budget;
// settling turns it into use, releasing gives it back. One that nobody settles (the process died) settles by itself as `unknown`, at what
// it had reserved.

/** Millionths of a dollar by tier: the plan is known only where the statement runs. */
export type ByTier = Record<Tier, number>
/** More than any budget: what a plan does not allow at all. */
export const NEVER = 2 ** 50

/** Use that no plan counts is metered in money alone, against a budget of its own. */
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
/** `costs`: the most that it can cost. */
export type Ask = { userId: string; unit: Metered; feature: string; amount?: number; holdMs?: number; costs?: ByTier | null }

/** Takes units against the user's plan: two callers can never share the last one. */
export async function reserve(db: Kysely<any>, ask: Ask, budgets: ByTier | null = null): Promise<Reservation> {
  const wanted = wantedOf(ask)
  const taken = (await take(db, ask.unit, [wanted], budgets)).get(wanted.id) ?? (await takeDrawn(db, ask.unit, wanted, budgets))
  if (!taken) throw await refusal(db, ask, budgets)
  return taken
}

/** Covers the units beyond the plan with those of a top-up. The counter is locked until they are taken, so nobody else takes what was drawn. */
export async function takeDrawn(db: Kysely<any>, unit: Metered, wanted: Wanted, budgets: ByTier | null): Promise<Taken | undefined> {
  if (!(await hasTopUp(db, wanted.userId, unit))) return undefined
  return inTransaction(db, async (trx) =>
    (await draw(trx, { ...wanted, unit }, budgets)) ? (await take(trx, unit, [wanted], budgets)).get(wanted.id) : undefined,
  )
}

/** Several of one user and unit, each to be settled by itself: all of them or none. */
export async function reserveMany(db: Kysely<any>, asks: Ask[], budgets: ByTier | null = null): Promise<Reservation[]> {
  const all = asks.map(wantedOf)
  const taken = await inTransaction(db, async (trx) => {
    const { unit } = asks[0]!
    const granted = await take(trx, unit, all, budgets)
    const rest = all.filter(({ id }) => !granted.has(id))
    const lacking = { ...asks[0]!, amount: rest.reduce((sum, { amount }) => sum + amount, 0), costs: costsOf(rest) }
    if (rest.length > 0 && (await draw(trx, lacking, budgets)))
      for (const [id, taken] of await take(trx, unit, rest, budgets)) granted.set(id, taken)
    if (granted.size < all.length) throw new NotAll()
    return [...granted.values()]
  }).catch((error) => {
    if (!(error instanceof NotAll)) throw error
    return null
  })
  if (taken) return taken
  const amount = asks.reduce((sum, { amount = 1 }) => sum + amount, 0)
  throw await refusal(db, { ...asks[0]!, amount, costs: costsOf(asks) }, budgets)
}
class NotAll extends Error {}
const costsOf = (asks: { costs?: ByTier | null }[]) => (asks.every(({ costs }) => costs) ? sumOf(asks.map(({ costs }) => costs!)) : null)

const wantedOf = ({ userId, feature, amount = 1, holdMs = HOLD_MS, costs = null }: Ask): Wanted => ({
  ...{ id: newId(), userId, feature, amount, holdMs, costs },
})
const sumOf = (all: ByTier[]) => Object.fromEntries(tiers.map((tier) => [tier, all.reduce((sum, each) => sum + each[tier], 0)])) as ByTier

export const HOLD_MS = 15 * 60_000

/** Why nothing was granted: the units, the budget, or a budget that running work still holds. */
export async function refusal(db: Kysely<any>, { userId, unit, amount = 1, costs }: Omit<Ask, 'feature'>, budgets: ByTier | null) {
  const usage = await usageOf(db, userId, unit, budgets)
  const { tier, used, reserved, limit, costMicrousd, costReservedMicrousd, budgetMicrousd, extra, topUps } = usage
  const details = { unit, tier, upgrade: '/pricing' }
  if (budgetMicrousd === null || (limit !== null && used + reserved + amount > limit + extra + topUps))
    return new DomainError(`limit_${unit}` as ErrorCode, { details })
  const ofBudget = { ...details, budget_microusd: budgetMicrousd, cost_microusd: costMicrousd }
  const isWorthWaiting =
    costReservedMicrousd > 0 && costMicrousd + (costs?.[tier] ?? 0) <= budgetMicrousd + usage.extraMicrousd + usage.topUpsMicrousd
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

const takingOne = (unit: Metered, wanted: Wanted, budgets: ByTier | null): [Statement, unknown[]] => {
  const { id, userId, feature, amount, holdMs, costs } = wanted
  return [TAKE_ONE, [userId, unit, noneOf(unit), jsonOf(budgets), amount, id, feature, holdMs, jsonOf(costs)]]
}
const takingAll = (unit: Metered, wanted: Wanted[], budgets: ByTier | null): [Statement, unknown[]] => {
  const given = wanted.map(({ userId, holdMs, ...each }, n) => ({ ...each, user_id: userId, hold_ms: holdMs, n }))
  return [TAKE, [JSON.stringify(given), unit, noneOf(unit), jsonOf(budgets)]]
}

// Looked up only where the plan alone does not allow it; the counter's own guard decides.
const extraOf = (column: 'extra' | 'extra_cost', of: string, user = `${of}.user_id`) =>
  `select ${column} from usage_counters where user_id = ${user} and unit = $2 and period_start = ${of}.period_start`

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
      where (max is null or turn * amount <= max or turn * amount <= max + (${extraOf('extra', 'turns')}))
        and (budget is null or so_far <= budget or so_far <= budget + (${extraOf('extra_cost', 'turns')})) group by user_id, period_start order by user_id
      on conflict (user_id, unit, period_start) do update set (reserved, cost_reserved) = (
        select c.reserved + coalesce(sum(t.amount), 0), c.cost_reserved + coalesce(sum(t.cost), 0) from turns t
        where t.user_id = c.user_id and (t.max is null or t.turn * t.amount <= t.max + c.extra - c.used - c.reserved)
          and (t.budget is null or t.so_far <= t.budget + c.extra_cost - c.cost_used - c.cost_reserved))
      returning c.user_id, c.period_start, c.extra, c.extra_cost, new.reserved - coalesce(old.reserved, 0) as granted, new.used + new.reserved as taken,
        new.cost_used + new.cost_reserved as cost_taken
    ),
    granted as (
      select t.id, t.user_id, t.feature, t.amount, t.hold_ms, t.tier, t.cost, c.period_start, t.max + c.extra - c.taken as "left",
        t.budget + c.extra_cost - c.cost_taken as cost_left
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
      select $1::uuid, $2, period_start, $5::int, cost from plan
      where (max is null or max >= $5 or max + (${extraOf('extra', 'plan', '$1::uuid')}) >= $5)
        and (budget is null or budget >= cost or budget + (${extraOf('extra_cost', 'plan', '$1::uuid')}) >= cost)
      on conflict (user_id, unit, period_start) do update
        set reserved = c.reserved + excluded.reserved, cost_reserved = c.cost_reserved + excluded.cost_reserved
        where (select (max is null or c.used + c.reserved + $5 <= max + c.extra)
          and (budget is null or c.cost_used + c.cost_reserved + cost <= budget + c.extra_cost) from plan)
      returning c.period_start, c.used + c.reserved - c.extra as taken, c.cost_used + c.cost_reserved - c.extra_cost as cost_taken
    ),
    stored as (
      insert into usage_reservations (id, user_id, unit, period_start, amount, feature, cost_held, expires_at)
      select $6::uuid, $1, $2, c.period_start, $5, $7::text, plan.cost, now() + $8::int * interval '1 millisecond' from counted c, plan
    )
    select $6::uuid as id, c.period_start, plan.max - c.taken as "left", plan.tier, plan.cost, plan.budget - c.cost_taken as cost_left
    from counted c, plan`,
}

/** Holds more of the budget for work that turns out dearer, a fallback for instance. False when neither the budget nor a top-up allows it. */
export async function extend(db: Kysely<any>, reservation: Reservation, moreMicrousd: number, budgets: ByTier | null): Promise<boolean> {
  if (await raise(db, reservation, moreMicrousd, budgets)) return true
  const { userId, unit, tier } = reservation
  const costs = { [tier]: moreMicrousd } as ByTier
  if (!(await hasTopUp(db, userId, unit))) return false
  return inTransaction(
    db,
    async (trx) => (await draw(trx, { userId, unit, amount: 0, costs }, budgets)) && raise(trx, reservation, moreMicrousd, budgets),
  )
}

async function raise(db: Kysely<any>, reservation: Reservation, moreMicrousd: number, budgets: ByTier | null): Promise<boolean> {
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
        and (plan.budget is null or c.cost_used + c.cost_reserved + $6 <= plan.budget + c.extra_cost)
      returning open.id
    )
    update usage_reservations r set cost_held = r.cost_held + $6 from counted where r.id = counted.id returning r.cost_held`,
}
