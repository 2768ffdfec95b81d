import type { Event } from '@operon/contracts/contract'
import { limitsOf } from '@operon/contracts/plans'
import { type Kysely, sql, type Transaction } from 'kysely'
import { jsonOf } from './allowance.ts'
import { runStatement, type Statement } from './db.ts'
import { newId } from './ids.ts'
import type { ByTier, Metered, Reservation } from './meter.ts'
import type { KitDb } from './schema.ts'
import { currentTrace } from './telemetry.ts'
import { markPublished } from './tx.ts'

// The end of a reservation: it is settled as use, given back, or closed for a process that died.

type Settlement = { id: string; amount?: number; costMicrousd?: number }
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
// Given amounts are looked up by id, since joining two lists of a batch compares each with each.
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
        'budget_microusd', coalesce(case when closed.unit <> 'speech' then e.budget_microusd end, ($7::jsonb ->> coalesce(e.tier, 'none'))::bigint),
        'period_start', to_char(closed.period_start at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
      ) as payload
    from closed join counted using (user_id, unit, period_start) left join entitlements e on e.user_id = closed.user_id
  ),
  published as (${tell})${writes}
  select id from closed`
const SETTLE: Statement = { name: 'meter_settle', text: settling(ONE_BY_ONE) }

/** Settles what a dead process left behind, at its estimate. Run on a schedule by each service that meters. */
export async function settleAbandoned(
  db: Kysely<KitDb>,
  usageRecorded: Event,
  { budgets = null, batch = 100, unit }: { budgets?: ByTier | null; batch?: number; unit?: Metered } = {},
): Promise<number> {
  const stale = await db
    .selectFrom('usage_reservations')
    .select('id')
    .where('state', '=', 'reserved')
    .where('expires_at', '<', sql<Date>`now()`)
    .$if(unit !== undefined, (query) => query.where('unit', '=', unit!))
    .limit(batch)
    .execute()
  return (await close(db, SETTLE, settlementsOf(usageRecorded, stale, 'unknown', budgets))).length
}
