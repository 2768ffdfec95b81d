import { type Kysely, sql } from 'kysely'

/** Sellers to whom the provider refuses to send anything, until their account changes or staff release it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table seller_accounts add column refused_because text`.execute(db)
}

export const indexes = {
  sales_disputed: "on sales (seller_id, id) where dispute = 'open'",
}
