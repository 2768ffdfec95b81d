import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>) {
  await sql`
    create table ai_conversations (
      id uuid primary key, user_id uuid not null, title text not null, feature text not null, model text not null,
      created_at timestamptz not null default now(), updated_at timestamptz not null default now()
    )`.execute(db)
  await sql`create index ai_conversations_mine on ai_conversations (user_id, updated_at desc)`.execute(db)
  await sql`
    create table ai_messages (
      id uuid primary key, conversation_id uuid not null references ai_conversations on delete cascade, user_id uuid not null,
      role text not null, content text not null, state text not null, model text, answered_by text, citations text[] not null default '{}',
      prompt_tokens integer, completion_tokens integer, cost_microusd integer,
      created_at timestamptz not null default now(), updated_at timestamptz not null default now()
    )`.execute(db)
  await sql`create index ai_messages_of on ai_messages (conversation_id, id)`.execute(db)
  await sql`create index ai_messages_mine on ai_messages (user_id)`.execute(db)
  await sql`create index ai_messages_streaming on ai_messages (updated_at) where state = 'streaming'`.execute(db)
  await sql`
    create table ai_usage (
      id uuid primary key, user_id uuid not null, key_id uuid, feature text not null, model text not null, answered_by text not null, status text not null,
      prompt_tokens integer not null, completion_tokens integer not null, counted boolean not null, cost_microusd integer not null, duration_ms integer not null,
      created_at timestamptz not null default now()
    )`.execute(db)
  await sql`create index ai_usage_mine on ai_usage (user_id, created_at)`.execute(db)
  await sql`
    create table ai_keys (
      id uuid primary key, user_id uuid not null, name text not null, prefix text not null, hash text not null unique, scopes text[] not null,
      monthly_prompts integer, month timestamptz, month_prompts integer not null default 0,
      created_at timestamptz not null default now(), last_used_at timestamptz, expires_at timestamptz, revoked_at timestamptz
    )`.execute(db)
  await sql`create index ai_keys_mine on ai_keys (user_id)`.execute(db)
  await sql`
    create table ai_comparisons (
      id uuid primary key, user_id uuid not null, prompt text not null, lanes jsonb not null, vote integer, created_at timestamptz not null default now()
    )`.execute(db)
  await sql`create index ai_comparisons_mine on ai_comparisons (user_id, created_at desc)`.execute(db)
  await sql`
    create table ai_prompts (
      id uuid primary key, user_id uuid not null, title text not null, body text not null,
      created_at timestamptz not null default now(), updated_at timestamptz not null default now()
    )`.execute(db)
  await sql`create index ai_prompts_mine on ai_prompts (user_id, updated_at desc)`.execute(db)
  await sql`
    create table ai_actions (
      id uuid primary key, user_id uuid not null, kind text not null, title text not null, description text not null, input jsonb not null,
      state text not null default 'proposed', result text, link text, created_at timestamptz not null default now()
    )`.execute(db)
  await sql`create index ai_actions_mine on ai_actions (user_id)`.execute(db)
}
