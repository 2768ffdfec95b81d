import { type Kysely, sql } from 'kysely'

/** Apps that people miss; one row for a person and an app, however it was written. */
export async function up(db: Kysely<unknown>) {
  await sql`
    create table app_requests (
      id uuid primary key, user_id uuid not null, name text not null, app_key text not null, wanted text not null default '',
      created_at timestamptz not null default now(), unique (user_id, app_key)
    )`.execute(db)
  await sql`create index app_requests_of_user on app_requests (user_id, id)`.execute(db)
}
