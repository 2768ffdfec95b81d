import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>) {
  await sql`
    create table user_integrations (
      id uuid primary key, user_id uuid not null, service_name text not null,
      integration_status text not null check (integration_status in ('connected', 'disconnected')), version integer not null default 1,
      created_at timestamptz not null default now(), updated_at timestamptz not null default now(), unique (user_id, service_name)
    )`.execute(db)
}
