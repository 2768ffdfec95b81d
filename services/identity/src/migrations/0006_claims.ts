import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>) {
  await sql`alter table one_time_tokens add column claim jsonb`.execute(db)
}
