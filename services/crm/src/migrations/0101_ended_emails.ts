import { type Kysely, sql } from 'kysely'

/** Who ended the single emails of an account by the link in one. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table email_messages add column ended_at timestamptz`.execute(db)
  await sql`create index email_messages_ended on email_messages (user_id, email) where ended_at is not null`.execute(db)
}
