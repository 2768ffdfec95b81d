import { type Kysely, sql } from 'kysely'

/** The page of the app that a line opens. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table activity_logs add column link text`.execute(db)
}
