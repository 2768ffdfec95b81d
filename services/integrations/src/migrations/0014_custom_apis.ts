import { type Kysely, sql } from 'kysely'

/** The operations of an API of the person's own. Its connection has the key, the state and the log, as those of apps. */
export async function up(db: Kysely<unknown>) {
  await sql`
    create table custom_apis (
      id uuid primary key references connections on delete cascade, user_id uuid not null, base text not null, auth text not null,
      operations jsonb not null default '[]', created_at timestamptz not null default now()
    )`.execute(db)
  await sql`create index custom_apis_of_user on custom_apis (user_id, id)`.execute(db)
}
