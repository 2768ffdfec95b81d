import { type Kysely, sql } from 'kysely'

/** An export goes through the rows of a person by their ids, an erasure takes them a piece at a time. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create index facts_by_id on facts (user_id, event_id)`.execute(db)
  await sql`create index activity_logs_by_id on activity_logs (user_id, id)`.execute(db)
  await sql`create index notifications_by_id on notifications (user_id, id)`.execute(db)
}
