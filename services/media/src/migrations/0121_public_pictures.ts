import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table public_pictures (
      id uuid primary key references files on delete cascade, user_id uuid not null, source_id uuid not null,
      width integer not null, height integer not null, created_at timestamptz not null default now()
    )`.execute(db)
  await sql`create unique index public_pictures_of_source on public_pictures (user_id, source_id)`.execute(db)
}
