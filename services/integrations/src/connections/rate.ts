import { type Kysely, sql } from 'kysely'
import type { IntegrationsDb } from '../schema.ts'

/** How many calls may come at once before they are spaced out. */
const BURST = 5

/**
 * Takes the next free moment of a connection (GCRA), in one statement however many ask at once. Answers in how many milliseconds it is;
 * one further away than `patienceMs` is not taken, and `taken` is false.
 */
export async function takeTurn(
  db: Kysely<IntegrationsDb>,
  connectionId: string,
  perMinute: number,
  patienceMs: number,
): Promise<{ taken: boolean; waitMs: number }> {
  const spacing = sql`${60_000 / perMinute}::float8 * interval '1 millisecond'`
  const slack = sql`(${BURST - 1} * ${spacing})`
  const { rows } = await sql<{ taken: boolean; wait_ms: number }>`
    with took as (
      insert into rate_buckets as b (connection_id, next_at) values (${connectionId}, clock_timestamp() + ${spacing})
      on conflict (connection_id) do update set next_at = greatest(b.next_at, clock_timestamp()) + ${spacing}
        where b.next_at - ${slack} - clock_timestamp() <= ${patienceMs} * interval '1 millisecond'
      returning next_at - ${spacing} as mine
    )
    select exists (select from took) as taken,
      greatest(0, 1000 * extract(epoch from coalesce((select mine from took), (select next_at from rate_buckets where connection_id = ${connectionId})) - ${slack} - clock_timestamp()))::float8 as wait_ms`.execute(
    db,
  )
  return { taken: rows[0]!.taken, waitMs: Math.ceil(rows[0]!.wait_ms) }
}

/** The app itself said when it can be asked again. */
export async function holdUntil(db: Kysely<IntegrationsDb>, connectionId: string, perMinute: number, afterMs: number): Promise<void> {
  const at = sql`clock_timestamp() + ${afterMs + (BURST - 1) * (60_000 / perMinute)}::float8 * interval '1 millisecond'`
  await sql`
    insert into rate_buckets as b (connection_id, next_at) values (${connectionId}, ${at})
    on conflict (connection_id) do update set next_at = greatest(b.next_at, excluded.next_at)`.execute(db)
}
