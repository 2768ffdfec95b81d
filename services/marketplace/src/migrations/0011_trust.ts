import { type Kysely, sql } from 'kysely'

/** Reports about products and sellers, and what staff decided about them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table reports (
      id uuid primary key, item_id uuid, seller_id uuid not null, reason text not null, text text not null default '', reporter_id uuid,
      created_at timestamptz not null default now(), closed_at timestamptz
    )`.execute(db)
  await sql`create index reports_open on reports (id) where closed_at is null`.execute(db)
  await sql`create index reports_open_of on reports (seller_id, item_id, id) where closed_at is null`.execute(db)
  await sql`create index reports_of_seller on reports (seller_id, id)`.execute(db)
  await sql`create index reports_of_reporter on reports (reporter_id, id) where reporter_id is not null`.execute(db)
  await sql`
    create table moderation_actions (
      id uuid primary key, staff_id uuid not null, item_id uuid, seller_id uuid not null, title text not null, decision text not null,
      reason text not null, created_at timestamptz not null default now()
    )`.execute(db)
  await sql`create index moderation_actions_of_seller on moderation_actions (seller_id, id)`.execute(db)
}
