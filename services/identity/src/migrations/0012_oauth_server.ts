import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>) {
  await sql`
    create table oauth_clients (
      id uuid primary key, name text not null, uri text not null default '', redirect_uris text[] not null,
      created_at timestamptz not null default now(), used_at timestamptz
    )`.execute(db)
  await sql`create index oauth_clients_unused on oauth_clients (created_at) where used_at is null`.execute(db)
  await sql`
    create table oauth_grants (
      id uuid primary key, user_id uuid not null references users on delete cascade, client_id uuid not null references oauth_clients,
      scopes text[] not null, resource text not null, refresh_hash text not null, previous_hash text,
      created_at timestamptz not null default now(), refreshed_at timestamptz not null default now(), revoked_at timestamptz
    )`.execute(db)
  await sql`create index oauth_grants_mine on oauth_grants (user_id, created_at desc)`.execute(db)
  await sql`create index oauth_grants_client on oauth_grants (client_id)`.execute(db)
  await sql`create index oauth_grants_revoked on oauth_grants (revoked_at) where revoked_at is not null`.execute(db)
  await sql`create index oauth_grants_refreshed on oauth_grants (refreshed_at)`.execute(db)
  await sql`
    create table oauth_requests (
      id uuid primary key, client_id uuid not null references oauth_clients on delete cascade, user_id uuid references users on delete cascade,
      redirect_uri text not null, scopes text[] not null, state text, resource text not null, code_challenge text not null,
      code_hash text unique, decided_at timestamptz, used_at timestamptz, grant_id uuid, expires_at timestamptz not null
    )`.execute(db)
  await sql`create index oauth_requests_expired on oauth_requests (expires_at)`.execute(db)
  await sql`create index oauth_requests_client on oauth_requests (client_id)`.execute(db)
  await sql`create index oauth_requests_user on oauth_requests (user_id)`.execute(db)
}
