import { type Kysely, sql } from 'kysely'

/** When a seller was told last that a product sells to few of its visitors. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table items add column conversion_told_at timestamptz`.execute(db)
}
