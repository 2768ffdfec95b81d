import { type Kysely, sql } from 'kysely'

/** Figures of ads as they were fetched, a row a list, and the rules that pause campaigns. */
export async function up(db: Kysely<unknown>) {
  await sql`
    create table ad_lists (
      id uuid primary key, connection_id uuid not null references connections on delete cascade, user_id uuid not null,
      list text not null, rows jsonb not null, fetched_at timestamptz not null default now(), unique (connection_id, list)
    )`.execute(db)
  await sql`create index ad_lists_of_user on ad_lists (user_id)`.execute(db)
  await sql`
    create table ad_rules (
      id uuid primary key, user_id uuid not null, connection_id uuid not null references connections on delete cascade,
      campaign_id text not null, campaign text not null, currency text not null, most_cents integer not null,
      state text not null default 'watching' check (state in ('watching', 'applied')),
      last_cents double precision, checked_at timestamptz, applied_at timestamptz, created_at timestamptz not null default now()
    )`.execute(db)
  await sql`create index ad_rules_of_user on ad_rules (user_id, created_at)`.execute(db)
  await sql`create index ad_rules_of_connection on ad_rules (connection_id)`.execute(db)
  await sql`create index ad_rules_to_check on ad_rules (checked_at nulls first) where state = 'watching'`.execute(db)
}
