import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>) {
  await sql`
    create table pipelines (
      id uuid primary key, user_id uuid not null, name text not null, version integer not null default 1,
      created_at timestamptz not null default now()
    )`.execute(db)
  await sql`create index pipelines_by_id on pipelines (user_id, id)`.execute(db)
  await sql`create unique index pipelines_by_name on pipelines (user_id, lower(name))`.execute(db)
  await sql`
    create table pipeline_stages (
      id uuid primary key, user_id uuid not null, pipeline_id uuid not null references pipelines (id) on delete cascade, name text not null,
      place integer not null
    )`.execute(db)
  await sql`create index pipeline_stages_by_id on pipeline_stages (user_id, id)`.execute(db)
  await sql`create index pipeline_stages_of on pipeline_stages (pipeline_id, place)`.execute(db)
  await sql`
    create table deals (
      id uuid primary key, user_id uuid not null, pipeline_id uuid not null references pipelines (id), stage_id uuid not null,
      contact_id uuid, title text not null, amount_cents bigint not null default 0 check (amount_cents >= 0),
      currency text not null default 'usd' check (currency ~ '^[a-z]{3}$'), expected_close date, owner text,
      state text not null default 'open' check (state in ('open', 'won', 'lost')), lost_reason text,
      stage_since timestamptz not null default now(), created_at timestamptz not null default now(), deleted_at timestamptz,
      version integer not null default 1
    )`.execute(db)
  await sql`create index deals_by_id on deals (user_id, id)`.execute(db)
  await sql`create index deals_by_state on deals (user_id, state, id)`.execute(db)
  await sql`create index deals_closing on deals (user_id, coalesce(expected_close, 'infinity'), id)`.execute(db)
  await sql`create index deals_by_amount on deals (user_id, amount_cents, id)`.execute(db)
  await sql`create index deals_of_contact on deals (user_id, contact_id, id)`.execute(db)
  await sql`create index deals_of_pipeline on deals (pipeline_id)`.execute(db)
  await sql`create index deals_in_stage on deals (user_id, stage_id, stage_since, id) where state = 'open' and deleted_at is null`.execute(
    db,
  )
  await sql`create index deals_deleted on deals (deleted_at) where deleted_at is not null`.execute(db)
  await sql`create index deals_search on deals using gin (user_id, lower(title) gin_trgm_ops)`.execute(db)
  await sql`
    create table deal_stage_history (
      id uuid primary key, user_id uuid not null, deal_id uuid not null references deals (id) on delete cascade, n integer not null,
      stage_id uuid not null, stage text not null, state text not null, reason text, at timestamptz not null default now(),
      unique (deal_id, n)
    )`.execute(db)
  await sql`create index deal_stage_history_by_id on deal_stage_history (user_id, id)`.execute(db)
}
