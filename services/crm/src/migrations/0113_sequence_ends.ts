import { type Kysely, sql } from 'kysely'

/** Kinds of the timeline that take a person out of a sequence. */
export async function up(db: Kysely<any>): Promise<void> {
  await sql`alter table email_sequences add column ends_on text[] not null default '{}'`.execute(db)
}
