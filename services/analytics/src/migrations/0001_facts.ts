import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>) {
  await sql`create table facts (event_id uuid primary key, name text not null, user_id uuid, at timestamptz not null, payload jsonb not null)`.execute(
    db,
  )
  await sql`create index facts_of_user on facts (user_id, name, at) where user_id is not null`.execute(db)
  await sql`create index facts_by_name on facts (name, at)`.execute(db)
  await sql`
    create table activity_logs (
      id uuid primary key, user_id uuid not null, event_id uuid not null unique, command text not null,
      status text not null default 'completed', created_at timestamptz not null
    )`.execute(db)
  await sql`create index activity_logs_of_user on activity_logs (user_id, created_at desc)`.execute(db)
  await sql`
    create table notifications (
      id uuid primary key, user_id uuid not null, kind text not null, about text not null, title text not null, body text not null, link text,
      created_at timestamptz not null, read_at timestamptz, unique (user_id, about)
    )`.execute(db)
  await sql`create index notifications_of_user on notifications (user_id, created_at desc)`.execute(db)
  await sql`create index notifications_unread on notifications (user_id) where read_at is null`.execute(db)
  await sql`create table plans (user_id uuid primary key, tier text not null, status text not null, version integer not null)`.execute(db)
  await sql`create table erased_people (user_id uuid primary key, at timestamptz not null default now())`.execute(db)
}
