import { type Kysely, sql } from 'kysely'
import { now as timeNow } from './clock.ts'
import { firstIdOf } from './ids.ts'
import type { KitDb } from './schema.ts'

const KEPT_MS = 40 * 86_400_000

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
