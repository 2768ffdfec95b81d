import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table boards (
      id uuid primary key, user_id uuid not null, name text not null, created_at timestamptz not null default now(), deleted_at timestamptz
    )`.execute(db)
  await sql`create unique index boards_of_user on boards (user_id, lower(name)) where deleted_at is null`.execute(db)
  await sql`create index boards_of_person on boards (user_id, id)`.execute(db)
  await sql`create index boards_deleted on boards (deleted_at) where deleted_at is not null`.execute(db)
  await sql`
    create table board_pictures (
      board_id uuid not null references boards on delete cascade, picture_id uuid not null references pictures on delete cascade,
      user_id uuid not null, added_at timestamptz not null default now(), primary key (board_id, picture_id)
    )`.execute(db)
  await sql`create index board_pictures_of_picture on board_pictures (picture_id)`.execute(db)
  await sql`create index board_pictures_of_user on board_pictures (user_id)`.execute(db)
}
