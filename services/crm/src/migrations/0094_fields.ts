import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>) {
  await sql`
    create table contact_fields (
      id uuid primary key, user_id uuid not null, name text not null, kind text not null check (kind in ('text', 'number', 'date', 'choice', 'yes_no')),
      options text[] not null default '{}', created_at timestamptz not null default now()
    )`.execute(db)
  await sql`create index contact_fields_by_id on contact_fields (user_id, id)`.execute(db)
  await sql`create unique index contact_fields_by_name on contact_fields (user_id, lower(name))`.execute(db)
  await sql`alter table leads add column fields jsonb not null default '{}'`.execute(db)
}

export const indexes = { leads_fields: 'on leads using gin (user_id, fields jsonb_path_ops)' }
