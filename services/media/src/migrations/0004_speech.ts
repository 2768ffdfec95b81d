import { type Kysely, sql } from 'kysely'

/** Recordings that may be asked for again. No text is kept: the key is a hash of it with its voice, model and settings. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table recordings (
      id uuid primary key, user_id uuid not null, text_key text not null, model text not null, answered_by text not null,
      type text not null, ending text not null, bytes bigint not null, characters integer not null, sandbox boolean not null,
      created_at timestamptz not null default now(), used_at timestamptz not null default now()
    )`.execute(db)
  await sql`create unique index recordings_of_text on recordings (user_id, text_key)`.execute(db)
  await sql`create index recordings_of_user on recordings (user_id, id)`.execute(db)
  await sql`create index recordings_age on recordings (used_at)`.execute(db)
}
