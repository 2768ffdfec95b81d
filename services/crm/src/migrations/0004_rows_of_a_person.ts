import { type Kysely, sql } from 'kysely'

/** An export goes through the rows of a person by their ids, an erasure takes them a piece at a time. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create index leads_by_id on leads (user_id, id)`.execute(db)
  await sql`create index appointments_by_id on appointments (user_id, id)`.execute(db)
  await sql`create index email_campaigns_by_id on email_campaigns (user_id, id)`.execute(db)
}
