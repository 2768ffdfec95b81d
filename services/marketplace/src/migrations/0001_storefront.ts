import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>) {
  await sql`
    create table profiles (
      user_id uuid primary key, display_name text, marketplace_slug text unique check (marketplace_slug ~ '^[a-z0-9][a-z0-9-]{1,62}$'),
      version integer not null, deleted_at timestamptz
    )`.execute(db)
  await sql`
    create table items (
      id uuid primary key, user_id uuid not null, title text not null, description text not null default '', category text not null,
      price_cents integer not null check (price_cents >= 0), currency text not null default 'usd', item_type text not null,
      is_active boolean not null default false, created_at timestamptz not null default now()
    )`.execute(db)
  await sql`create index items_of_user on items (user_id, created_at)`.execute(db)
  await sql`create index items_active on items (created_at) where is_active`.execute(db)
  await sql`create view marketplace_items as select *, price_cents / 100.0 as price from items`.execute(db)
}
