import { type Kysely, sql } from 'kysely'

/** A word of a prompt is found in the index, however many pictures an account has. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create extension if not exists btree_gin`.execute(db)
}

export const indexes = { pictures_found: "on pictures using gin (user_id, words) where state = 'done' and deleted_at is null" }
