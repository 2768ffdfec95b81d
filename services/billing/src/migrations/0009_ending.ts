import { type Kysely, sql } from 'kysely'

/** What the hourly look for ended periods asks for. */
export async function up(db: Kysely<unknown>) {
  await sql`create index subscriptions_running on subscriptions (period_end) where status in ('trialing', 'active', 'past_due')`.execute(db)
}
