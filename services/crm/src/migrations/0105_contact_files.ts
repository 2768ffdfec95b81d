import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<any>): Promise<void> {
  await sql`
    create table contact_files (
      id uuid primary key, user_id uuid not null, contact_id uuid not null, file_id uuid not null, name text not null,
      added_at timestamptz not null default now(), unique (user_id, contact_id, file_id)
    )`.execute(db)
  await sql`create index contact_files_of on contact_files (user_id, contact_id, id)`.execute(db)
  await sql`create index contact_files_by_id on contact_files (user_id, id)`.execute(db)
}
