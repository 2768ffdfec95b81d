import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>) {
  await sql`alter table sessions add column echo smallint not null default 0, add column echoes smallint not null default 0`.execute(db)
  await sql`
    create table factor_recoveries (
      id uuid primary key, user_id uuid not null references users on delete cascade, session_id uuid not null, stop_hash text not null unique,
      due_at timestamptz not null, closed_at timestamptz, outcome text, ip text not null default '', user_agent text not null default '',
      created_at timestamptz not null default now()
    )`.execute(db)
  await sql`create unique index factor_recoveries_open on factor_recoveries (user_id) where closed_at is null`.execute(db)
  await sql`create index factor_recoveries_user on factor_recoveries (user_id, created_at desc)`.execute(db)
  await sql`create index factor_recoveries_due on factor_recoveries (due_at) where closed_at is null`.execute(db)
}
