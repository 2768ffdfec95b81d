import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>) {
  await sql`
    create table email_templates (
      id uuid primary key, user_id uuid not null, name text not null, subject text not null default '', document jsonb not null,
      changed_at timestamptz not null default now()
    )`.execute(db)
  await sql`create index email_templates_by_id on email_templates (user_id, id)`.execute(db)
}
