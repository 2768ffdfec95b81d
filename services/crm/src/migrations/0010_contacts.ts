import { type Kysely, sql } from 'kysely'

/** A lead is a contact: one row a person, so that what the specification reads is never a copy that lags. */
export async function up(db: Kysely<unknown>) {
  await sql`create extension if not exists pg_trgm`.execute(db)
  await sql`create extension if not exists btree_gin`.execute(db)
  await sql`
    alter table leads
      add column phone text, add column company text, add column job_title text, add column tags text[] not null default '{}',
      add column hot_until timestamptz not null default 'epoch', add column last_activity_at timestamptz not null default now(),
      add column version integer not null default 1,
      add column search text generated always as (
        lower(name || ' ' || coalesce(email, '') || ' ' || coalesce(company, '') || ' ' || coalesce(phone, ''))) stored`.execute(db)
  await sql`
    create table contact_emails (
      id uuid primary key, user_id uuid not null, email text not null check (email = lower(email)), contact_id uuid not null,
      created_at timestamptz not null default now(), unique (user_id, email)
    )`.execute(db)
  await sql`
    create table contact_phones (
      id uuid primary key, user_id uuid not null, phone text not null, contact_id uuid not null,
      created_at timestamptz not null default now(), unique (user_id, contact_id, phone)
    )`.execute(db)
  await sql`
    create table consents (
      id uuid primary key, user_id uuid not null, channel text not null check (channel in ('email', 'sms', 'call', 'ads')),
      address text not null, state text not null check (state in ('given', 'withdrawn', 'bounced', 'complained')),
      evidence text not null, at timestamptz not null default now(), unique (user_id, channel, address)
    )`.execute(db)
  await sql`
    create table activities (
      id uuid primary key, user_id uuid not null, contact_id uuid not null, kind text not null, text text not null,
      points real not null default 0, event_id uuid, at timestamptz not null default now()
    )`.execute(db)
  await sql`create unique index activities_once on activities (event_id, contact_id) where event_id is not null`.execute(db)
  await sql`create index activities_of_contact on activities (user_id, contact_id, at desc, id desc)`.execute(db)
  await sql`create index activities_by_id on activities (user_id, id)`.execute(db)
  await sql`
    create table tasks (
      id uuid primary key, user_id uuid not null, contact_id uuid, title text not null, due_at timestamptz, done_at timestamptz,
      told_at timestamptz, created_at timestamptz not null default now()
    )`.execute(db)
  await sql`create index tasks_open on tasks (user_id, due_at, id) where done_at is null`.execute(db)
  await sql`create index tasks_due on tasks (due_at) where done_at is null and told_at is null and due_at is not null`.execute(db)
  await sql`create index tasks_of_contact on tasks (user_id, contact_id, id)`.execute(db)
  await sql`create index tasks_by_id on tasks (user_id, id)`.execute(db)
  await sql`
    create table contact_images (
      id uuid primary key, user_id uuid not null, contact_id uuid not null, image jsonb not null, at timestamptz not null default now()
    )`.execute(db)
  await sql`create index contact_images_of on contact_images (user_id, id)`.execute(db)
  await sql`create index contact_images_old on contact_images (at)`.execute(db)
  for (const table of ['contact_emails', 'contact_phones', 'consents'])
    await sql`create index ${sql.raw(`${table}_by_id`)} on ${sql.table(table)} (user_id, id)`.execute(db)
  await sql`create index contact_emails_of on contact_emails (user_id, contact_id)`.execute(db)
  // Points halve every 14 days, so their order among contacts never changes by itself, and one moment says it all: until when a contact is
  // hot, at 30 points. More points move that moment on. Nothing has to be swept, and an index sorts by it.
  await sql`
    create function warmed(hot_until timestamptz, points double precision, at timestamptz) returns timestamptz language sql immutable as
    $$ select at + interval '14 days' * ln(power(2::double precision, greatest(-60, extract(epoch from (hot_until - at))::double precision / 1209600)) + points / 30) / ln(2::double precision) $$`.execute(
    db,
  )
}

export const indexes = {
  leads_by_name: 'on leads (user_id, lower(name), id)',
  leads_by_heat: 'on leads (user_id, hot_until desc, id desc)',
  leads_by_activity: 'on leads (user_id, last_activity_at desc, id desc)',
  leads_search: 'on leads using gin (user_id, search gin_trgm_ops)',
  leads_tags: 'on leads using gin (user_id, tags)',
}

/** Those who were leads before have their address as contacts do; where two share one, the first has it. */
export async function fill(db: Kysely<any>) {
  for (let after = '00000000-0000-0000-0000-000000000000'; ; ) {
    const { rows } = await sql<{ last: string | null }>`
      with page as (select id, user_id, email from leads where id > ${after}::uuid order by id limit 2000), kept as (
        insert into contact_emails (id, user_id, email, contact_id)
        select uuidv7(), user_id, lower(trim(email)), id from page where email like '%@%' order by id on conflict (user_id, email) do nothing
      ) select max(id::text) as last from page`.execute(db)
    const last = rows[0]?.last
    if (!last) return
    after = last
  }
}
