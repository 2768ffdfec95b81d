import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>) {
  await sql`
    create table leads (
      id uuid primary key, user_id uuid not null, name text not null, email text, status text not null default 'cold',
      source text not null default 'manual', created_at timestamptz not null default now()
    )`.execute(db)
  await sql`
    create table appointments (
      id uuid primary key, user_id uuid not null, title text not null, status text not null default 'pending',
      starts_at timestamptz not null, created_at timestamptz not null default now()
    )`.execute(db)
  await sql`
    create table email_campaigns (
      id uuid primary key, user_id uuid not null, name text not null, status text not null default 'draft',
      sent_count integer not null default 0 check (sent_count >= 0), created_at timestamptz not null default now()
    )`.execute(db)
  for (const table of ['leads', 'appointments', 'email_campaigns']) {
    await sql`create index ${sql.raw(`${table}_of_user`)} on ${sql.table(table)} (user_id, created_at desc)`.execute(db)
  }
  await sql`
    create table newsletter_subscribers (
      id uuid primary key, email text not null unique check (email = lower(email)),
      status text not null default 'pending' check (status in ('pending', 'confirmed', 'unsubscribed')),
      confirm_hash text unique, confirm_expires_at timestamptz, unsubscribe_hash text not null unique,
      created_at timestamptz not null default now(), confirmed_at timestamptz, unsubscribed_at timestamptz
    )`.execute(db)
  await sql`
    create table sign_up_records (
      user_id uuid primary key, email text not null, name text not null, referral_code text, signup_date timestamptz not null,
      accept_terms boolean not null, accept_marketing boolean not null
    )`.execute(db)
  await sql`create table erased_people (user_id uuid primary key, at timestamptz not null default now())`.execute(db)
}
