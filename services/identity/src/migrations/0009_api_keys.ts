import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>) {
  await sql`
    create table ai_keys (
      id uuid primary key, user_id uuid not null references users on delete cascade, name text not null, prefix text not null,
      hash text not null unique, scopes text[] not null, monthly_prompts integer, created_at timestamptz not null default now(),
      last_used_at timestamptz, expires_at timestamptz, revoked_at timestamptz
    )`.execute(db)
  await sql`create index ai_keys_mine on ai_keys (user_id, created_at desc)`.execute(db)
}
