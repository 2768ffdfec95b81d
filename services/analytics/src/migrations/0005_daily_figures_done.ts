import { type Kysely, sql } from 'kysely'

/** Every fact is counted: nothing needs to tell them apart any more. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`drop trigger if exists add_uncounted on facts`.execute(db)
  await sql`drop function if exists add_uncounted_to_fact_days`.execute(db)
  await sql`alter table facts drop column if exists counted`.execute(db)
}
