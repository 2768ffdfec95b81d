import { type Kysely, sql } from 'kysely'

/** A part of a buyer's name, address or product is found by its trigrams, and an amount by itself, however many payments a seller has. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create extension if not exists pg_trgm`.execute(db)
  await sql`create extension if not exists btree_gin`.execute(db)
}

export const indexes = {
  sales_found: "on sales using gin (seller_id, lower(coalesce(customer, '') || ' ' || coalesce(email, '') || ' ' || title) gin_trgm_ops)",
  sales_of_amount: 'on sales (seller_id, gross_cents, paid_at desc, id desc)',
  // In the order of a statement, so that a piece of it reads no more than its own.
  ledger_entries_of_user: 'on ledger_entries (user_id, occurred_at, id)',
}
export const dropped = ['ledger_entries_user']
