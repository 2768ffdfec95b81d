import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>) {
  await sql`create index newsletter_subscribers_unconfirmed on newsletter_subscribers (confirm_expires_at) where status = 'pending'`.execute(
    db,
  )
}
