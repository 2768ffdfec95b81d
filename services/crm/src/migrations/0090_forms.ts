import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>) {
  await sql`
    create table lead_forms (
      id uuid primary key, user_id uuid not null, title text not null, intro text not null default '',
      phone text not null default 'off' check (phone in ('off', 'optional', 'required')),
      company text not null default 'off' check (company in ('off', 'optional', 'required')),
      questions jsonb not null default '[]', consent_text text not null default '', double_opt_in boolean not null default true,
      button text not null, thanks text not null, active boolean not null default true, sent integer not null default 0,
      last_at timestamptz, version integer not null default 1, created_at timestamptz not null default now()
    )`.execute(db)
  await sql`create index lead_forms_by_id on lead_forms (user_id, id)`.execute(db)
  await sql`
    create table lead_submissions (
      id uuid primary key, user_id uuid not null, form_id uuid references lead_forms (id) on delete set null, contact_id uuid not null,
      title text not null, name text not null, email text not null, phone text, company text, answers jsonb not null default '[]',
      consent text, at timestamptz not null default now()
    )`.execute(db)
  await sql`create index lead_submissions_by_id on lead_submissions (user_id, id)`.execute(db)
  await sql`create index lead_submissions_of_form on lead_submissions (form_id, id)`.execute(db)
  await sql`create index lead_submissions_of_contact on lead_submissions (user_id, contact_id)`.execute(db)
}
