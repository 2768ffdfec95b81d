import { type Kysely, sql } from 'kysely'

/** The watches that people keep on their connected apps, with how far each has been seen. */
export async function up(db: Kysely<unknown>) {
  await sql`
    create table app_watches (
      id uuid primary key, user_id uuid not null, connection_id uuid not null references connections on delete cascade,
      trigger text not null, input jsonb not null default '{}', seen_until timestamptz not null, seen text[] not null default '{}',
      version integer not null default 1, next_at timestamptz not null, failure text,
      looked_at timestamptz, told_at timestamptz, missed_at timestamptz, created_at timestamptz not null default now()
    )`.execute(db)
  await sql`create unique index app_watches_once on app_watches (connection_id, trigger, md5(input::text))`.execute(db)
  await sql`create index app_watches_of_user on app_watches (user_id, id)`.execute(db)
  await sql`create index app_watches_due on app_watches (next_at)`.execute(db)
}
