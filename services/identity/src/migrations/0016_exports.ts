import { type Kysely, sql } from 'kysely'

/** Files of everything that is held about a person: how far each is, and until when it is kept. */
export async function up(db: Kysely<unknown>) {
  await sql`
    create table exports (
      id uuid primary key,
      user_id uuid not null,
      state text not null default 'working' check (state in ('working', 'ready', 'failed', 'dropped')),
      place jsonb not null,
      run uuid,
      files text[] not null default '{}',
      rows bigint not null default 0,
      bytes bigint not null default 0,
      waiting_for text,
      waiting_since timestamptz,
      created_at timestamptz not null default now(),
      finished_at timestamptz,
      kept_until timestamptz)`.execute(db)
  await sql`create unique index exports_working on exports (user_id) where state = 'working'`.execute(db)
  await sql`create index exports_of_user on exports (user_id, id desc)`.execute(db)
  await sql`create index exports_over on exports (kept_until) where kept_until is not null`.execute(db)
}
