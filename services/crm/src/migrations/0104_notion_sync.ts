import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table notion_syncs (
      id uuid primary key, user_id uuid not null unique, connection_id uuid not null, database_id text not null, title text not null,
      columns jsonb not null, adds boolean not null, since timestamptz, seen_until timestamptz, cursor text, mark integer not null default 0,
      listing boolean not null default false, listed_at timestamptz, skipped integer not null default 0, skipping integer not null default 0,
      lease uuid, leased_until timestamptz, due_at timestamptz not null default now(), synced_at timestamptz, failure text,
      created_at timestamptz not null default now()
    )`.execute(db)
  await sql`create index notion_syncs_by_id on notion_syncs (user_id, id)`.execute(db)
  await sql`create index notion_syncs_due on notion_syncs (due_at)`.execute(db)
  await sql`
    create table notion_links (
      id uuid primary key, user_id uuid not null, sync_id uuid not null references notion_syncs (id) on delete cascade,
      contact_id uuid not null, page_id text not null, version integer not null, here jsonb not null, there jsonb not null,
      conflicts jsonb, gone boolean not null default false, mark integer not null,
      unique (sync_id, page_id), unique (sync_id, contact_id)
    )`.execute(db)
  await sql`create index notion_links_by_id on notion_links (user_id, id)`.execute(db)
  await sql`create index notion_links_in_conflict on notion_links (sync_id, id) where conflicts is not null and not gone`.execute(db)
}
