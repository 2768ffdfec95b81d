import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>) {
  await sql`
    create table contact_views (
      id uuid primary key, user_id uuid not null, name text not null, query text not null, created_at timestamptz not null default now()
    )`.execute(db)
  await sql`create index contact_views_by_id on contact_views (user_id, id)`.execute(db)
  await sql`create unique index contact_views_by_name on contact_views (user_id, lower(name))`.execute(db)
}
