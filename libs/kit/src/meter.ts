import { subscriptionChanged } from '@operon/contracts/billing/events'
import type { Event } from '@operon/contracts/contract'
import type { ErrorCode } from '@operon/contracts/messages'
import { limitsOf, PAST_DUE_GRACE_DAYS, type Tier, type Unit } from '@operon/contracts/plans'
import { type Kysely, sql, type Transaction } from 'kysely'
import { runStatement, runUnsynced, type Statement } from './db.ts'
import { DomainError } from './errors.ts'
import { newId } from './ids.ts'
import type { KitDb } from './schema.ts'
import type { Runtime } from './service.ts'
import { currentTrace } from './telemetry.ts'
import { inTransaction, markPublished } from './tx.ts'

// reserve -> run -> settle. A reservation is taken before the work and holds its units against the limit; settling turns it into use,
// releasing gives it back. One that nobody settles (the process died) settles by itself as `unknown`, at most at what it had reserved.

export type Reservation = {
  id: string
  userId: string
  unit: Unit
  amount: number
  periodStart: Date
  feature: string
  /** Held before the disk had it; see `restore`. */
  unsynced?: boolean
}
export type Usage = { unit: Unit; used: number; reserved: number; limit: number | null; periodStart: Date; periodEnd: Date | null }
export type Ask = { userId: string; unit: Unit; feature: string; amount?: number; holdMs?: number }

/** Takes units against the user's plan: two callers can never share the last one. */
export async function reserve(db: Kysely<any>, { userId, unit, feature, amount = 1, holdMs = HOLD_MS }: Ask): Promise<Reservation> {
  const wanted = { id: newId(), userId, feature, amount, holdMs }
  const taken = (await take(db, unit, [wanted])).get(wanted.id)
  if (!taken) throw overLimit(unit)
  return taken
}

/** Several of one unit, each to be settled by itself: all of them or none. */
export function reserveMany(
  db: Kysely<any>,
  { userId, unit, feature, amount = 1, holdMs = HOLD_MS }: Ask,
  count: number,
): Promise<Reservation[]> {
  return inTransaction(db, async (trx) => {
    const taken = await take(
      trx,
      unit,
      Array.from({ length: count }, () => ({ id: newId(), userId, feature, amount, holdMs })),
    )
    if (taken.size < count) throw overLimit(unit)
    return [...taken.values()]
  })
}

export const HOLD_MS = 15 * 60_000
export const overLimit = (unit: Unit) => new DomainError(`limit_${unit}` as ErrorCode, { details: { unit, upgrade: '/pricing' } })

export type Wanted = Required<Omit<Ask, 'unit'>> & { id: string }
/** `left`: what the plan still allowed afterwards; null without a limit. */
export type Taken = Reservation & { left: number | null }

/** Answers those of the askers who got theirs, in one statement for any number of them; those of one user ask for the same amount. */
export async function take(db: Kysely<any>, unit: Unit, wanted: Wanted[], { unsynced = false } = {}): Promise<Map<string, Taken>> {
  const [statement, values] = wanted.length === 1 ? takingOne(unit, wanted[0]!) : takingAll(unit, wanted)
  const rows = await (unsynced ? runUnsynced : runStatement)<{ id: string; period_start: Date; left: number | null }>(db, statement, values)
  const byId = new Map(wanted.map((each) => [each.id, each]))
  return new Map(
    rows.map(({ id, period_start: periodStart, left }) => {
      const { userId, amount, feature } = byId.get(id)!
      return [id, { id, userId, unit, amount, periodStart, feature, left, unsynced }]
    }),
  )
}

const takingOne = (unit: Unit, { id, userId, feature, amount, holdMs }: Wanted): [Statement, unknown[]] => [
  TAKE_ONE,
  [userId, unit, limitsOf('none')[unit], amount, id, feature, holdMs],
]
const takingAll = (unit: Unit, wanted: Wanted[]): [Statement, unknown[]] => {
  const given = wanted.map(({ id, userId, feature, amount, holdMs }, n) => ({ id, user_id: userId, feature, amount, hold: holdMs, n }))
  return [TAKE, [JSON.stringify(given), unit, limitsOf('none')[unit]]]
}

// The plan's period is the subscription's while it runs, else the calendar month of a free account.
const calendarMonth = `date_trunc('month', now() at time zone 'utc') at time zone 'utc'`
// `none` is no subscription: its allowance is the calendar month's, and comes anew with it.
const stillRuns = `e.tier <> 'none' and (e.period_end is null or e.period_end + interval '${PAST_DUE_GRACE_DAYS} days' > now())`
const planOf = (user: string) => `
  select ${user} as user_id, coalesce(e.period_start, ${calendarMonth}) as period_start, e.period_end,
    case when e.user_id is null then $3::int else (e.limits ->> $2)::int end as max`

// Each counter is raised once, by as many of its user's askers as still fit, in the order they came: what the row was before (`old`) and
// is after (`new`) tells how many that is.
const TAKE: Statement = {
  name: 'meter_take',
  text: `
    with asked as (
      select *, row_number() over (partition by user_id order by n) as turn
      from jsonb_to_recordset($1::jsonb) as a (id uuid, user_id uuid, feature text, amount int, hold int, n int)
    ),
    plan as (
      ${planOf('p.user_id')}, p.askers, p.amount
      from (select user_id, count(*)::int as askers, max(amount) as amount from asked group by user_id) p
      left join entitlements e on e.user_id = p.user_id and ${stillRuns}
    ),
    counted as (
      insert into usage_counters as c (user_id, unit, period_start, reserved)
      select user_id, $2, period_start, amount * coalesce(least(askers, max / amount), askers) from plan where max is null or max >= amount order by user_id
      on conflict (user_id, unit, period_start) do update set reserved = c.reserved + (
        select amount * greatest(0, coalesce(least(askers, (max - c.used - c.reserved) / amount), askers)) from plan where plan.user_id = c.user_id)
      returning c.user_id, c.period_start, new.reserved - coalesce(old.reserved, 0) as granted, new.used + new.reserved as taken
    ),
    granted as (
      select a.id, a.user_id, a.feature, a.amount, a.hold, c.period_start, plan.max - c.taken as "left"
      from asked a join counted c using (user_id) join plan using (user_id) where a.turn * a.amount <= c.granted
    ),
    stored as (
      insert into usage_reservations (id, user_id, unit, period_start, amount, feature, expires_at)
      select id, user_id, $2, period_start, amount, feature, now() + hold * interval '1 millisecond' from granted
    )
    select id, period_start, "left" from granted`,
}

// Who asks alone needs no lists: half of what the other costs. A guard that does not hold changes no row, so nothing is returned.
const TAKE_ONE: Statement = {
  name: 'meter_take_one',
  text: `
    with plan as (${planOf('$1::uuid')} from (select) one left join entitlements e on e.user_id = $1 and ${stillRuns}),
    counted as (
      insert into usage_counters as c (user_id, unit, period_start, reserved)
      select user_id, $2, period_start, $4::int from plan where max is null or max >= $4
      on conflict (user_id, unit, period_start) do update set reserved = c.reserved + excluded.reserved
        where (select max is null or c.used + c.reserved + $4 <= max from plan)
      returning c.period_start, c.used + c.reserved as taken
    ),
    stored as (
      insert into usage_reservations (id, user_id, unit, period_start, amount, feature, expires_at)
      select $5::uuid, $1, $2, period_start, $4, $6::text, now() + $7::int * interval '1 millisecond' from counted
    )
    select $5::uuid as id, period_start, (select max from plan) - taken as "left" from counted`,
}

export type Settlement = { id: string; amount?: number; costMicrousd?: number }
/** `hold` may have been lost (see `restore`); `row` is for the writes of the caller. */
export type Booking = { hold: Reservation; costMicrousd: number; row: Record<string, unknown> }

/**
 * Turns reservations into use, each once, and tells billing: counters and events in one statement, however many there are.
 * Less than was reserved gives the rest back. Answers the ids that were still open.
 */
export async function settle<DB extends KitDb>(trx: Transaction<DB>, usageRecorded: Event, settlements: Settlement[]): Promise<string[]> {
  return close(trx, SETTLE, settlementsOf(usageRecorded, settlements, 'settled'))
}

/** For a hot path: settles and writes what stands beside it as one statement, which is its own transaction; see `settlingWith`. */
export async function settleWith(db: Kysely<any>, statement: Statement, usageRecorded: Event, bookings: Booking[]): Promise<void> {
  const run = (some: Booking[]) =>
    close(
      db,
      statement,
      settlementsOf(
        usageRecorded,
        some.map(({ hold: { id }, costMicrousd, row }) => ({ id, costMicrousd, row })),
        'settled',
      ),
    )
  const closed = new Set(await run(bookings))
  const open = bookings.filter(({ hold }) => hold.unsynced && !closed.has(hold.id))
  if (!open.length) return
  const restored = new Set(await restore(db, open))
  if (restored.size) await run(open.filter(({ hold }) => restored.has(hold.id)))
}

/**
 * Holds again what was held before the disk had it and is gone since PostgreSQL crashed: its answer was given, so it counts. What is there,
 * settled or not, stays as it is. Answers the ids that were gone.
 */
async function restore(db: Kysely<any>, bookings: Booking[]): Promise<string[]> {
  const given = bookings.map(({ hold: { id, userId, unit, periodStart, amount, feature } }) => ({
    id,
    user_id: userId,
    unit,
    period_start: periodStart,
    amount,
    feature,
  }))
  return (await runStatement<{ id: string }>(db, RESTORE, [JSON.stringify(given)])).map(({ id }) => id)
}

const RESTORE: Statement = {
  name: 'meter_restore',
  text: `
    with gone as (
      insert into usage_reservations (id, user_id, unit, period_start, amount, feature, expires_at)
      select id, user_id, unit, period_start, amount, feature, now() + interval '1 minute'
      from jsonb_to_recordset($1::jsonb) as g (id uuid, user_id uuid, unit text, period_start timestamptz, amount int, feature text)
      on conflict (id) do nothing
      returning id, user_id, unit, period_start, amount
    ),
    counted as (
      insert into usage_counters as c (user_id, unit, period_start, reserved)
      select user_id, unit, period_start, sum(amount) from gone group by 1, 2, 3 order by 1
      on conflict (user_id, unit, period_start) do update set reserved = c.reserved + excluded.reserved
    )
    select id from gone`,
}

/** Gives everything back: the work failed and nothing was spent. */
export async function release(db: Kysely<any>, reservation: Pick<Reservation, 'id'>): Promise<void> {
  await sql`
    with freed as (update usage_reservations set state = 'released' where id = ${reservation.id} and state = 'reserved' returning user_id, unit, period_start, amount)
    update usage_counters c set reserved = c.reserved - freed.amount from freed
    where c.user_id = freed.user_id and c.unit = freed.unit and c.period_start = freed.period_start`.execute(db)
}

async function close(db: Kysely<any>, statement: Statement, values: unknown[]): Promise<string[]> {
  const rows = await runStatement<{ id: string }>(db, statement, values)
  if (rows.length) markPublished(db)
  return rows.map((row) => row.id)
}

const settlementsOf = (usageRecorded: Event, settlements: (Settlement & { row?: unknown })[], state: 'settled' | 'unknown') => [
  JSON.stringify(
    Object.fromEntries(
      settlements.map(({ id, amount, costMicrousd = 0, row }) => [id, { amount, cost: costMicrousd, event_id: newId(), row }]),
    ),
  ),
  state,
  usageRecorded.name,
  JSON.stringify(limitsOf('none')),
  currentTrace() ?? null,
  settlements.map(({ id }) => id),
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
    returning r.id, r.user_id, r.unit, r.period_start, r.amount as held, r.feature,
      least(coalesce(($1::jsonb -> r.id::text ->> 'amount')::int, r.amount), r.amount) as spent,
      ($1::jsonb -> r.id::text ->> 'cost')::int as cost, ($1::jsonb -> r.id::text ->> 'event_id')::uuid as event_id,
      $1::jsonb -> r.id::text -> 'row' as row
  ),
  sums as (select user_id, unit, period_start, sum(held)::int as held, sum(spent)::int as spent from closed group by 1, 2, 3),
  locked as (
    select c.user_id, c.unit, c.period_start, sums.held, sums.spent from usage_counters c join sums using (user_id, unit, period_start)
    order by c.user_id for update of c
  ),
  counted as (
    update usage_counters c set reserved = c.reserved - s.held, used = c.used + s.spent
    from locked s
    where c.user_id = s.user_id and c.unit = s.unit and c.period_start = s.period_start
    returning c.user_id, c.unit, c.period_start, c.used
  ),
  told as (
    select closed.event_id, closed.user_id, jsonb_build_object(
        'unit', closed.unit, 'used', counted.used, 'amount', closed.spent, 'feature', closed.feature, 'cost_microusd', closed.cost,
        'limit', case when e.user_id is null then ($4::jsonb -> closed.unit) else e.limits -> closed.unit end,
        'period_start', to_char(closed.period_start at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
      ) as payload
    from closed join counted using (user_id, unit, period_start) left join entitlements e on e.user_id = closed.user_id
  ),
  published as (${tell})${writes}
  select id from closed`
const SETTLE: Statement = { name: 'meter_settle', text: settling(ONE_BY_ONE) }

/** What a user has spent of a unit in the running period. */
export async function usageOf(db: Kysely<any>, userId: string, unit: Unit): Promise<Usage> {
  const rows = await runStatement<{ used: number; reserved: number; max: number | null; period_start: Date; period_end: Date | null }>(
    db,
    USAGE,
    [userId, unit, limitsOf('none')[unit]],
  )
  const row = rows[0]!
  return { unit, used: row.used, reserved: row.reserved, limit: row.max, periodStart: row.period_start, periodEnd: row.period_end }
}

const USAGE: Statement = {
  name: 'meter_usage',
  text: `
    with plan as (${planOf('$1::uuid')} from (select) one left join entitlements e on e.user_id = $1 and ${stillRuns})
    select coalesce(c.used, 0) as used, coalesce(c.reserved, 0) as reserved, plan.max, plan.period_start, plan.period_end
    from plan left join usage_counters c on c.user_id = $1 and c.unit = $2 and c.period_start = plan.period_start`,
}

/** Settles what a dead process left behind, at its estimate. Run on a schedule by each service that meters. */
export async function settleAbandoned(db: Kysely<KitDb>, usageRecorded: Event, batch = 100): Promise<number> {
  const stale = await db
    .selectFrom('usage_reservations')
    .select('id')
    .where('state', '=', 'reserved')
    .where('expires_at', '<', sql<Date>`now()`)
    .limit(batch)
    .execute()
  return (await close(db, SETTLE, settlementsOf(usageRecorded, stale, 'unknown'))).length
}

/** Every service keeps each user's plan, so that no request waits on billing. The newest version wins, whatever order they come in. */
export function projectEntitlements(rt: Runtime) {
  rt.on(subscriptionChanged, 'project-entitlements', async (trx, { user_id, payload }) => {
    if (!user_id) return
    const row = {
      tier: payload.tier satisfies Tier,
      status: payload.status,
      limits: JSON.stringify(payload.limits),
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
