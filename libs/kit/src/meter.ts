import { subscriptionChanged } from '@operon/contracts/billing/events'
import type { Event } from '@operon/contracts/contract'
import type { ErrorCode } from '@operon/contracts/messages'
import { limitsOf, PAST_DUE_GRACE_DAYS, type Tier, tiers, type Unit } from '@operon/contracts/plans'
import { type Kysely, sql, type Transaction } from 'kysely'
import { runStatement, type Statement } from './db.ts'
import { DomainError } from './errors.ts'
import { newId } from './ids.ts'
import type { KitDb } from './schema.ts'
import type { Runtime } from './service.ts'
import { currentTrace } from './telemetry.ts'
import { inTransaction, markPublished } from './tx.ts'

// reserve -> run -> settle. A reservation is taken before the work and holds its units against the limit and its cost against the budget;
// settling turns it into use, releasing gives it back. One that nobody settles (the process died) settles by itself as `unknown`, at what
// it had reserved.

/** Millionths of a dollar by tier: the plan is known only where the statement runs. */
export type ByTier = Record<Tier, number>
/** More than any budget: what a plan does not allow at all. */
export const NEVER = 2 ** 50

export type Reservation = {
  id: string
  userId: string
  unit: Unit
  amount: number
  periodStart: Date
  feature: string
  /** The plan that it was granted by. */
  tier: Tier
  /** Its share of the budget; `extend` raises it. */
  costMicrousd: number
}
export type Usage = {
  unit: Unit
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
export type Ask = { userId: string; unit: Unit; feature: string; amount?: number; holdMs?: number; costs?: ByTier | null }

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
export async function take(db: Kysely<any>, unit: Unit, wanted: Wanted[], budgets: ByTier | null = null): Promise<Map<string, Taken>> {
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

const jsonOf = (value: object | null) => (value ? JSON.stringify(value) : null)
const takingOne = (unit: Unit, wanted: Wanted, budgets: ByTier | null): [Statement, unknown[]] => {
  const { id, userId, feature, amount, holdMs, costs } = wanted
  return [TAKE_ONE, [userId, unit, limitsOf('none')[unit], jsonOf(budgets), amount, id, feature, holdMs, jsonOf(costs)]]
}
const takingAll = (unit: Unit, wanted: Wanted[], budgets: ByTier | null): [Statement, unknown[]] => {
  const given = wanted.map(({ userId, holdMs, ...each }, n) => ({ ...each, user_id: userId, hold_ms: holdMs, n }))
  return [TAKE, [JSON.stringify(given), unit, limitsOf('none')[unit], jsonOf(budgets)]]
}

// The plan's period is the subscription's while it runs, else the calendar month of a free account.
const calendarMonth = `date_trunc('month', now() at time zone 'utc') at time zone 'utc'`
// `none` is no subscription: its allowance is the calendar month's, and comes anew with it.
const stillRuns = `e.tier <> 'none' and (e.period_end is null or e.period_end + interval '${PAST_DUE_GRACE_DAYS} days' > now())`
// An instance of the version before writes no budget: the tier's own stands in for it.
const planColumns = `
  coalesce(e.period_start, ${calendarMonth}) as period_start, e.period_end, coalesce(e.tier, 'none') as tier,
  case when e.user_id is null then $3::int else (e.limits ->> $2)::int end as max,
  coalesce(e.budget_microusd, ($4::jsonb ->> coalesce(e.tier, 'none'))::bigint) as budget`
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
  const values = [userId, unit, limitsOf('none')[unit], jsonOf(budgets), id, moreMicrousd]
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

export type Settlement = { id: string; amount?: number; costMicrousd?: number }
/** `row` is for the writes of the caller. */
export type Booking = { hold: Pick<Reservation, 'id'>; amount?: number | undefined; costMicrousd: number; row: Record<string, unknown> }

/**
 * Turns reservations into use, each once, and tells billing: counters and events in one statement, however many there are.
 * Less than was reserved gives the rest back, more is counted too. Returns the ids that were still open.
 */
export async function settle<DB extends KitDb>(
  trx: Transaction<DB>,
  usageRecorded: Event,
  settlements: Settlement[],
  budgets: ByTier | null = null,
): Promise<string[]> {
  return close(trx, SETTLE, settlementsOf(usageRecorded, settlements, 'settled', budgets))
}

/** For a hot path: settles and writes what stands beside it as one statement, which is its own transaction; see `settlingWith`. */
export async function settleWith(
  db: Kysely<any>,
  statement: Statement,
  usageRecorded: Event,
  bookings: Booking[],
  budgets: ByTier | null = null,
): Promise<void> {
  const settlements = bookings.map(({ hold: { id }, amount, costMicrousd, row }) => ({
    ...{ id, costMicrousd, row },
    ...(amount !== undefined && { amount }),
  }))
  await close(db, statement, settlementsOf(usageRecorded, settlements, 'settled', budgets))
}

/** Gives everything back: the work failed and nothing was spent. */
export async function release(db: Kysely<any>, reservation: Pick<Reservation, 'id'>): Promise<void> {
  await sql`
    with freed as (
      update usage_reservations set state = 'released' where id = ${reservation.id} and state = 'reserved'
      returning user_id, unit, period_start, amount, cost_held
    )
    update usage_counters c set reserved = c.reserved - freed.amount, cost_reserved = c.cost_reserved - freed.cost_held from freed
    where c.user_id = freed.user_id and c.unit = freed.unit and c.period_start = freed.period_start`.execute(db)
}

async function close(db: Kysely<any>, statement: Statement, values: unknown[]): Promise<string[]> {
  const rows = await runStatement<{ id: string }>(db, statement, values)
  if (rows.length) markPublished(db)
  return rows.map((row) => row.id)
}

const settlementsOf = (
  usageRecorded: Event,
  settlements: (Settlement & { row?: unknown })[],
  state: 'settled' | 'unknown',
  budgets: ByTier | null,
) => [
  JSON.stringify(
    Object.fromEntries(
      settlements.map(({ id, amount, costMicrousd, row }) => [id, { amount, cost: costMicrousd, event_id: newId(), row }]),
    ),
  ),
  state,
  usageRecorded.name,
  JSON.stringify(limitsOf('none')),
  currentTrace() ?? null,
  settlements.map(({ id }) => id),
  jsonOf(budgets),
]

/** The statement that settles, with further writes of the caller's: these may read `closed`, the reservations that were open, each with its `row`. */
export const settlingWith = (name: string, writes: string): Statement => ({ name, text: settling(TOGETHER, `, ${writes}`) })

/** One row a batch: it costs the outbox as much as one event by itself. */
const TOGETHER = `
    insert into outbox (id, kind, name, payload, trace)
    select (array_agg(event_id))[1], 'event', $3,
      jsonb_agg(jsonb_build_object('id', event_id, 'name', $3::text, 'user_id', user_id, 'payload', payload)), $5
    from told having count(*) > 0`
const ONE_BY_ONE = `
    insert into outbox (id, kind, name, user_id, payload, trace) select event_id, 'event', $3, user_id, payload, $5 from told`

// `state` is compared so that the index of the open ones, which is full of dead entries, cannot be used: the primary key finds each at once.
// What is given is looked up by the id, since joining two lists of a batch compares each with each.
// The counters are locked in one order, so that two batches never wait for each other in a circle.
const settling = (tell: string, writes = '') => `
  with closed as (
    update usage_reservations r set state = $2 where r.id = any($6) and r.state is not distinct from 'reserved'
    returning r.id, r.user_id, r.unit, r.period_start, r.amount as held, r.cost_held, r.feature,
      coalesce(($1::jsonb -> r.id::text ->> 'amount')::int, r.amount) as spent,
      coalesce(($1::jsonb -> r.id::text ->> 'cost')::bigint, r.cost_held) as cost, ($1::jsonb -> r.id::text ->> 'event_id')::uuid as event_id,
      $1::jsonb -> r.id::text -> 'row' as row
  ),
  sums as (
    select user_id, unit, period_start, sum(held)::int as held, sum(spent)::int as spent, sum(cost_held)::bigint as cost_held, sum(cost)::bigint as cost
    from closed group by 1, 2, 3
  ),
  locked as (
    select c.user_id, c.unit, c.period_start, sums.held, sums.spent, sums.cost_held, sums.cost from usage_counters c join sums using (user_id, unit, period_start)
    order by c.user_id for update of c
  ),
  counted as (
    update usage_counters c set reserved = c.reserved - s.held, used = c.used + s.spent,
      cost_reserved = c.cost_reserved - s.cost_held, cost_used = c.cost_used + s.cost
    from locked s
    where c.user_id = s.user_id and c.unit = s.unit and c.period_start = s.period_start
    returning c.user_id, c.unit, c.period_start, c.used, c.cost_used
  ),
  told as (
    select closed.event_id, closed.user_id, jsonb_build_object(
        'unit', closed.unit, 'used', counted.used, 'amount', closed.spent, 'feature', closed.feature, 'cost_microusd', closed.cost,
        'limit', case when e.user_id is null then ($4::jsonb -> closed.unit) else e.limits -> closed.unit end,
        'cost_used_microusd', counted.cost_used,
        'budget_microusd', coalesce(e.budget_microusd, ($7::jsonb ->> coalesce(e.tier, 'none'))::bigint),
        'period_start', to_char(closed.period_start at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
      ) as payload
    from closed join counted using (user_id, unit, period_start) left join entitlements e on e.user_id = closed.user_id
  ),
  published as (${tell})${writes}
  select id from closed`
const SETTLE: Statement = { name: 'meter_settle', text: settling(ONE_BY_ONE) }

/** The units and the budget that a user has spent in the current period. */
export async function usageOf(db: Kysely<any>, userId: string, unit: Unit, budgets: ByTier | null = null): Promise<Usage> {
  const [row] = await runStatement<UsageRow>(db, USAGE, [userId, unit, limitsOf('none')[unit], jsonOf(budgets)])
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

/** Settles what a dead process left behind, at its estimate. Run on a schedule by each service that meters. */
export async function settleAbandoned(
  db: Kysely<KitDb>,
  usageRecorded: Event,
  { budgets = null, batch = 100 }: { budgets?: ByTier | null; batch?: number } = {},
): Promise<number> {
  const stale = await db
    .selectFrom('usage_reservations')
    .select('id')
    .where('state', '=', 'reserved')
    .where('expires_at', '<', sql<Date>`now()`)
    .limit(batch)
    .execute()
  return (await close(db, SETTLE, settlementsOf(usageRecorded, stale, 'unknown', budgets))).length
}

/** Every service keeps each user's plan, so that no request waits on billing. The newest version wins, whatever order they come in. */
export function projectEntitlements(rt: Runtime) {
  rt.on(subscriptionChanged, 'project-entitlements', async (trx, { user_id, payload }) => {
    if (!user_id) return
    const row = {
      tier: payload.tier satisfies Tier,
      status: payload.status,
      limits: JSON.stringify(payload.limits),
      budget_microusd: payload.budgets_microusd?.[rt.name] ?? null,
      period_start: new Date(payload.period_start),
      period_end: payload.period_end ? new Date(payload.period_end) : null,
      version: payload.version,
    }
    await trx
      .insertInto('entitlements')
      .values({ user_id, ...row })
      .onConflict((conflict) => conflict.column('user_id').doUpdateSet(row).where('entitlements.version', '<', payload.version))
      .execute()
  })
}
