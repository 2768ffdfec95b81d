import { type Kysely, sql } from 'kysely'

/** An answer keeps the rows that its figures come from. */
export async function up(db: Kysely<unknown>) {
  await sql`alter table ai_messages add column evidence jsonb`.execute(db)
}
