import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>) {
  await sql`alter table synced_calendars add column follows boolean not null default true`.execute(db)
  // When it was last changed over there, by the clock over there, as far as we know.
  await sql`alter table event_copies add column updated_at timestamptz`.execute(db)
}

export const indexes = {
  event_copies_by_remote: 'on event_copies (calendar_id, remote_id)',
}
