import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>) {
  await sql`
    create table import_runs (
      id uuid primary key, user_id uuid not null, file_name text not null, columns text[] not null, mapping jsonb, on_match text,
      state text not null default 'uploading' check (state in ('uploading', 'running', 'done', 'undoing', 'undone', 'failed')),
      added integer not null default 0, changed integer not null default 0, undone jsonb, at timestamptz not null default now()
    )`.execute(db)
  await sql`create index import_runs_by_id on import_runs (user_id, id)`.execute(db)
  await sql`create index import_runs_old on import_runs (at)`.execute(db)
  await sql`
    create table import_rows (
      id uuid primary key default uuidv7(), import_id uuid not null, user_id uuid not null, n integer not null, cells text[] not null,
      fields jsonb, action text check (action in ('new', 'changed', 'same', 'refused')), reason text, contact_id uuid, before jsonb,
      unique (import_id, n)
    )`.execute(db)
  await sql`create index import_rows_by_id on import_rows (user_id, id)`.execute(db)
}
