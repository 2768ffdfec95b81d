import { type Kysely, sql } from 'kysely'

/** An export goes through the rows of a person by their ids, an erasure takes them a piece at a time. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create index ledger_entries_by_id on ledger_entries (user_id, id)`.execute(db)
  await sql`create index provider_calls_by_id on provider_calls (user_id, id)`.execute(db)
  await sql`create index staff_actions_by_id on staff_actions (user_id, id)`.execute(db)
}
