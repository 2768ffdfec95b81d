import { type Kysely, sql } from 'kysely'

/** Where a calendar is read file by file, a date of a series knows its file. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table external_events add column series text`.execute(db)
}

export const indexes = { external_events_of_series: 'on external_events (calendar_id, series) where series is not null' }
