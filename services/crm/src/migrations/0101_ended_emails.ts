import { type Kysely, sql } from 'kysely'

/** When a recipient ended an account's single emails by the link in one. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table email_messages add column ended_at timestamptz`.execute(db)
}

export const indexes = {
  email_messages_ended: 'on email_messages (user_id, email) where ended_at is not null',
}
