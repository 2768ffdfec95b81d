import { type Kysely, sql } from 'kysely'
import { assignPage } from '../companies/assign.ts'

export async function up(db: Kysely<unknown>) {
  await sql`
    create table companies (
      id uuid primary key, user_id uuid not null, name text not null, domain text check (domain = lower(domain)), phone text,
      notes text not null default '', import_id uuid, version integer not null default 1, created_at timestamptz not null default now(),
      deleted_at timestamptz
    )`.execute(db)
  await sql`create index companies_by_id on companies (user_id, id)`.execute(db)
  await sql`create unique index companies_by_name on companies (user_id, lower(name)) where deleted_at is null`.execute(db)
  await sql`create unique index companies_by_domain on companies (user_id, domain) where deleted_at is null`.execute(db)
  await sql`create index companies_search on companies using gin (user_id, lower(name || ' ' || coalesce(domain, '')) gin_trgm_ops)`.execute(
    db,
  )
  await sql`create index companies_deleted on companies (deleted_at) where deleted_at is not null`.execute(db)
  await sql`create index companies_of_import on companies (import_id) where import_id is not null`.execute(db)
  await sql`alter table leads add column company_id uuid`.execute(db)
}

export const indexes = { leads_of_company: 'on leads (user_id, company_id, id) where company_id is not null' }

/** Contacts from before, a page at a time, however many accounts a page touches. */
export async function fill(db: Kysely<any>) {
  for (let after: string | null = '00000000-0000-0000-0000-000000000000'; after; ) after = await assignPage(db, after)
}
