import { HISTORY_GRACE_DAYS, historyDaysOf, tiers } from '@operon/contracts/plans'
import { type Kysely, type RawBuilder, sql } from 'kysely'
import { DAY_MS, now as timeNow } from './clock.ts'
import { firstIdOf } from './ids.ts'
import type { KitDb } from './schema.ts'

const KEPT_MS = 40 * DAY_MS

/** Reservations that ended over a month ago: the counters hold what they came to. Their ids rise with time, so the primary key finds them. */
export async function forgetReservations(db: Kysely<KitDb>, batch = 1000, now = timeNow()): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from usage_reservations where id in (
      select id from usage_reservations where id < ${firstIdOf(now - KEPT_MS)} and state <> 'reserved' order by id limit ${batch} for update skip locked)`.execute(
    db,
  )
  return Number(numAffectedRows ?? 0)
}

/** Keys that nobody can come back with. One whose call still runs was used a moment ago, so it is not among them. */
export async function forgetKeys(db: Kysely<KitDb>, batch = 1000): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from idempotency_keys where (scope, key) in (
      select scope, key from idempotency_keys where expires_at < now() order by expires_at limit ${batch} for update skip locked)`.execute(
    db,
  )
  return Number(numAffectedRows ?? 0)
}

export type History = {
  /** Has `user_id` and `id`, and an index of `user_id` and the column that tells the age. */
  table: string
  column: string
  /** The column's value of that many days ago. */
  ago(days: number): RawBuilder<unknown>
}
type Bounds = { signal?: AbortSignal; people?: number; piece?: number }
const NOBODY = '00000000-0000-0000-0000-000000000000'

/**
 * Takes what is older than each person's plan keeps. One look into the index a person, so that rows which a long plan keeps are not walked
 * through again each night; a few people and a piece of rows a statement, so that nobody waits.
 */
export async function forgetByPlan(
  db: Kysely<any>,
  { table, column, ago }: History,
  { signal, people = 500, piece = 1_000 }: Bounds = {},
): Promise<number> {
  const [from, at] = [sql.table(table), sql.ref(`t.${column}`)]
  const longest = ago(Math.max(...tiers.map(historyDaysOf)))
  const byTier = sql.join(
    tiers.map((tier) => sql`when ${tier} then ${ago(historyDaysOf(tier))}`),
    sql` `,
  )
  let after: string | null = NOBODY
  let gone = 0
  while (after && !signal?.aborted) {
    const found: { rows: { user_id: string }[] } = await sql<{ user_id: string }>`
      with recursive owners as (
        (select user_id from ${from} where user_id > ${after} order by user_id limit 1)
        union all
        select (select t.user_id from ${from} t where t.user_id > owners.user_id order by t.user_id limit 1) from owners where owners.user_id is not null)
      select user_id from owners where user_id is not null limit ${people}`.execute(db)
    const ids = found.rows.map(({ user_id }) => user_id)
    for (let more = ids.length > 0; more && !signal?.aborted; ) {
      const { numAffectedRows } = await sql`
        delete from ${from} where id = any(array(
          select old.id from unnest(${ids}::uuid[]) as person (id) left join entitlements e on e.user_id = person.id
          cross join lateral (select case
            when e.tier in ('none', 'trial') and greatest(e.period_start, e.period_end) > now() - ${HISTORY_GRACE_DAYS} * interval '1 day' then ${longest}
            else case coalesce(e.tier, 'none') ${byTier} else ${longest} end end as time) kept
          cross join lateral (
            select t.id from ${from} t where t.user_id = person.id and ${at} < kept.time order by ${at} limit ${piece}) old
          limit ${piece}))`.execute(db)
      gone += Number(numAffectedRows ?? 0)
      more = Number(numAffectedRows ?? 0) === piece
    }
    after = ids.length === people ? ids.at(-1)! : null
  }
  return gone
}

/** For a column of times. */
export const daysAgo = (days: number) => sql`now() - ${days} * interval '1 day'`
/** For ids, which rise with time. */
export const idDaysAgo = (days: number) => sql`${firstIdOf(timeNow() - days * DAY_MS)}::uuid`
