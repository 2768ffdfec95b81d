import { type Kysely, sql } from 'kysely'

/** Proposals of several steps, and which apps a person has connected. */
export async function up(db: Kysely<unknown>) {
  await sql`
    create table ai_approvals (
      id uuid primary key, user_id uuid not null, message_id uuid references ai_messages on delete set null, title text not null, steps jsonb not null,
      hash text not null, state text not null default 'proposed', origin text not null, asked_key text, prompts integer not null,
      created_at timestamptz not null default now(), expires_at timestamptz not null, beat_at timestamptz, ended_at timestamptz
    )`.execute(db)
  await sql`create index ai_approvals_mine on ai_approvals (user_id, id desc)`.execute(db)
  await sql`create index ai_approvals_of on ai_approvals (message_id) where message_id is not null`.execute(db)
  await sql`create index ai_approvals_running on ai_approvals (beat_at) where state = 'running'`.execute(db)
  await sql`create index ai_approvals_old on ai_approvals (expires_at)`.execute(db)
  await sql`create unique index ai_approvals_asked on ai_approvals (user_id, asked_key) where asked_key is not null and state in ('proposed', 'running')`.execute(
    db,
  )
  await sql`create table ai_connections (user_id uuid not null, app text not null, version integer not null, connected boolean not null, primary key (user_id, app))`.execute(
    db,
  )
}
