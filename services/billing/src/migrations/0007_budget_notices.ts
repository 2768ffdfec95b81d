import { type Kysely, sql } from 'kysely'

/** The share of the model budget that was last told of in a period. */
export async function up(db: Kysely<unknown>) {
  await sql`alter table usage add column cost_warned smallint not null default 0`.execute(db)
}
