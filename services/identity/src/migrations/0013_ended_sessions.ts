import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>) {
  await sql`
    create table ended_sessions (user_id uuid primary key references users on delete cascade, up_to uuid not null, kept uuid, at timestamptz not null)`.execute(
    db,
  )
  await sql`create index ended_sessions_at on ended_sessions (at)`.execute(db)
}
