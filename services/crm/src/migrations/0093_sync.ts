import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>) {
  await sql`
    create table synced_calendars (
      id uuid primary key, user_id uuid not null, connection_id uuid not null, app text not null, account text not null, cursor text,
      mark integer not null default 0, listing boolean not null default false, listed_at timestamptz, busy boolean not null default true,
      copies boolean not null default true, told boolean not null default false, synced_at timestamptz, due_at timestamptz not null default now(),
      failure text, created_at timestamptz not null default now(), unique (user_id, connection_id)
    )`.execute(db)
  await sql`create index synced_calendars_by_id on synced_calendars (user_id, id)`.execute(db)
  await sql`create index synced_calendars_due on synced_calendars (due_at)`.execute(db)
  await sql`
    create table external_events (
      id uuid primary key, user_id uuid not null, calendar_id uuid not null references synced_calendars (id) on delete cascade,
      remote_id text not null, title text, starts_at timestamptz not null, ends_at timestamptz not null, all_day boolean not null,
      busy boolean not null, mark integer not null, unique (calendar_id, remote_id)
    )`.execute(db)
  await sql`create index external_events_by_id on external_events (user_id, id)`.execute(db)
  await sql`
    create index external_events_at on external_events using gist (user_id, tstzrange(starts_at, greatest(ends_at, starts_at)))`.execute(db)
  await sql`
    create table event_copies (
      id uuid primary key, user_id uuid not null, calendar_id uuid not null references synced_calendars (id) on delete cascade,
      booking_id uuid not null, remote_id text, version integer not null, unique (calendar_id, booking_id)
    )`.execute(db)
  await sql`create index event_copies_by_id on event_copies (user_id, id)`.execute(db)
  await sql`create index event_copies_of on event_copies (user_id, booking_id)`.execute(db)
}
