import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table pictures (
      id uuid primary key, user_id uuid not null, batch_id uuid not null, request_key text,
      state text not null default 'queued' check (state in ('queued', 'running', 'done', 'failed', 'cancelled')),
      prompt text not null, style text, model text not null, used_model text not null, answered_by text,
      size text not null, width integer not null, height integer not null, seed integer, from_id uuid,
      may_fall_back boolean not null, sandbox boolean not null default false, percent integer not null default 0,
      reservation_id uuid not null, cost_microusd bigint not null default 0,
      fence integer not null default 0, asked_at timestamptz, asked_times integer not null default 0, provider_ref text,
      problem text, sha256 text, type text, bytes bigint, thumbhash text, saved boolean not null default false,
      created_at timestamptz not null default now(), started_at timestamptz, finished_at timestamptz, deleted_at timestamptz,
      words tsvector generated always as (to_tsvector('simple', prompt)) stored
    )`.execute(db)
  await sql`create unique index pictures_of_request on pictures (user_id, request_key) where request_key is not null`.execute(db)
  await sql`create index pictures_of_user on pictures (user_id, id)`.execute(db)
  await sql`create index pictures_shown on pictures (user_id, id desc) where state = 'done' and deleted_at is null`.execute(db)
  await sql`create index pictures_saved on pictures (user_id, id desc) where state = 'done' and deleted_at is null and saved`.execute(db)
  await sql`create index pictures_open on pictures (user_id, id) where state in ('queued', 'running')`.execute(db)
  await sql`create index pictures_deleted on pictures (deleted_at) where deleted_at is not null`.execute(db)
  await sql`create index pictures_ended on pictures (finished_at) where state in ('failed', 'cancelled')`.execute(db)
  await sql`
    create table picture_shares (
      id uuid primary key, picture_id uuid not null references pictures on delete cascade, user_id uuid not null,
      created_at timestamptz not null default now(), revoked_at timestamptz, views bigint not null default 0
    )`.execute(db)
  await sql`create unique index picture_shares_open on picture_shares (picture_id) where revoked_at is null`.execute(db)
  await sql`create index picture_shares_of_picture on picture_shares (picture_id)`.execute(db)
  await sql`create index picture_shares_of_user on picture_shares (user_id, id)`.execute(db)
}
