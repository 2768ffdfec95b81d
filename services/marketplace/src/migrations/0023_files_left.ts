import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table thread_messages add column files_left integer not null default 0`.execute(db)
}
