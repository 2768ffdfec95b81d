import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table voice_settings (
      user_id uuid primary key, voice text not null, speaks boolean not null, updated_at timestamptz not null default now()
    )`.execute(db)
  await sql`
    create table voice_commands (
      id uuid primary key, user_id uuid not null, command text not null, response text not null, confidence real,
      created_at timestamptz not null default now()
    )`.execute(db)
  await sql`create index voice_commands_of_user on voice_commands (user_id, id desc)`.execute(db)
}
