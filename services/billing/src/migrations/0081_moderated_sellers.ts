import { type Kysely, sql } from 'kysely'

/** Sellers whose sales the marketplace has ended for now: nothing is paid out to them meanwhile. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table seller_accounts add column moderated_at timestamptz, add column suspended_because text`.execute(db)
}
