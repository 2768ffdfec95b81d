import { type Kysely, sql } from 'kysely'

/** Connections with their sealed tokens; `user_integrations` stays what the specification reads and is written beside them. */
export async function up(db: Kysely<unknown>) {
  await sql`
    create table connections (
      id uuid primary key, user_id uuid not null, app text not null, account_id text not null, account text not null,
      state text not null default 'connected' check (state in ('connected', 'degraded', 'broken', 'disconnected')),
      failure text, scopes text[] not null default '{}', sealed text, sandbox boolean not null default false,
      generation integer not null default 1, lease_id uuid, lease_until timestamptz,
      expires_at timestamptz, refresh_at timestamptz, last_call_at timestamptz, checked_at timestamptz,
      created_at timestamptz not null default now(), updated_at timestamptz not null default now(), unique (user_id, app, account_id)
    )`.execute(db)
  await sql`create index connections_of_user on connections (user_id, created_at) where state <> 'disconnected'`.execute(db)
  await sql`create index connections_to_refresh on connections (refresh_at) where state in ('connected', 'degraded') and refresh_at is not null`.execute(
    db,
  )
  await sql`create index connections_to_check on connections (checked_at) where state in ('connected', 'degraded')`.execute(db)
  await sql`
    create table oauth_attempts (
      state_hash text primary key, user_id uuid not null, app text not null, sealed_verifier text, sandbox boolean not null,
      return_to text, expires_at timestamptz not null, created_at timestamptz not null default now()
    )`.execute(db)
  await sql`create index oauth_attempts_by_end on oauth_attempts (expires_at)`.execute(db)
  await sql`create index oauth_attempts_of_user on oauth_attempts (user_id)`.execute(db)
  await sql`
    create unlogged table rate_buckets (
      connection_id uuid primary key references connections on delete cascade, next_at timestamptz not null
    )`.execute(db)
  await sql`
    create table connection_calls (
      id uuid primary key, connection_id uuid not null references connections on delete cascade, user_id uuid not null,
      action text not null, outcome text not null, duration_ms integer not null, created_at timestamptz not null default now()
    )`.execute(db)
  await sql`create index connection_calls_of on connection_calls (connection_id, id desc)`.execute(db)
  await sql`create index connection_calls_of_user on connection_calls (user_id, id)`.execute(db)
  // Calls of apps under a caller's key: one whose answer was lost is not made again.
  await sql`
    create table app_effects (
      id uuid primary key, user_id uuid not null, key text not null, connection_id uuid not null, action text not null, reply jsonb,
      created_at timestamptz not null default now(), unique (user_id, key)
    )`.execute(db)
  await sql`create index app_effects_of_user on app_effects (user_id, id)`.execute(db)
  // Tokens of ended connections, until the app has been told. The id is the connection's, which the seal is bound to.
  await sql`
    create table revocations (
      id uuid not null, generation integer not null, user_id uuid not null, app text not null, sealed text not null, sandbox boolean not null,
      tries integer not null default 0, created_at timestamptz not null default now(), primary key (id, generation)
    )`.execute(db)
  await sql`create index revocations_of_user on revocations (user_id)`.execute(db)
}
