import { type Kysely, sql } from 'kysely'

/** Where vendors tell us that something has changed. An ended connection takes its hooks along, until they are stopped there. */
export async function up(db: Kysely<unknown>) {
  await sql`
    create table app_hooks (
      id uuid primary key, user_id uuid not null, connection_id uuid not null references connections on delete cascade, kind text not null,
      remote text, resource text, until timestamptz, renew_at timestamptz not null default now(),
      told_at timestamptz, again boolean not null default false, created_at timestamptz not null default now(), unique (connection_id, kind)
    )`.execute(db)
  await sql`create index app_hooks_of_user on app_hooks (user_id, id)`.execute(db)
  await sql`create index app_hooks_to_renew on app_hooks (renew_at)`.execute(db)
  await sql`create index app_hooks_again on app_hooks (told_at) where again`.execute(db)
  await sql`alter table revocations add column hooks jsonb, add column hooks_only boolean not null default false`.execute(db)
}
