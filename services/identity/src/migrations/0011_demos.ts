import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>) {
  await sql`alter table users add column demo_ends_at timestamptz`.execute(db)
}

export const indexes = {
  users_demo: 'on users (demo_ends_at) where demo_ends_at is not null',
}
