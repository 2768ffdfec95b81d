import { laneTables } from '@operon/kit/lanes'
import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>) {
  await laneTables.up(db)
  await sql`
    create table webhook_endpoints (
      id uuid primary key, user_id uuid not null, url text not null, name text not null, events text[] not null,
      state text not null default 'active' check (state in ('active', 'paused', 'failing')),
      sealed_secret text not null, sealed_old_secret text, old_secret_until timestamptz, failing_since timestamptz,
      created_at timestamptz not null default now()
    )`.execute(db)
  await sql`create index webhook_endpoints_of_user on webhook_endpoints (user_id, created_at)`.execute(db)
  await sql`
    create table webhook_deliveries (
      id uuid primary key, user_id uuid not null, endpoint_id uuid not null references webhook_endpoints on delete cascade,
      message_id text not null, type text not null, body text not null,
      state text not null default 'waiting' check (state in ('waiting', 'delivered', 'failed')),
      attempts integer not null default 0, status integer, error text, duration_ms integer, request_id text, answer text,
      next_at timestamptz, created_at timestamptz not null default now(), unique (endpoint_id, message_id)
    )`.execute(db)
  await sql`create index webhook_deliveries_of_endpoint on webhook_deliveries (endpoint_id, id desc)`.execute(db)
  await sql`create index webhook_deliveries_by_state on webhook_deliveries (endpoint_id, state, id desc)`.execute(db)
  await sql`create index webhook_deliveries_of_user on webhook_deliveries (user_id, id)`.execute(db)
}
