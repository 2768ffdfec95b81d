import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>) {
  await sql`
    create table contact_merges (
      id uuid primary key, user_id uuid not null, kept_id uuid not null, gone_id uuid not null, gone jsonb not null, before jsonb not null,
      after jsonb not null, moved jsonb not null, at timestamptz not null default now()
    )`.execute(db)
  await sql`create index contact_merges_by_id on contact_merges (user_id, id)`.execute(db)
  await sql`create index contact_merges_of on contact_merges (user_id, kept_id, id)`.execute(db)
}

export const indexes = { contact_phones_by_phone: 'on contact_phones (user_id, phone)' }
