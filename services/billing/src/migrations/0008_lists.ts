import { type Kysely, sql } from 'kysely'

/** A referrer's sums come from the index alone, and the newest credits in its order. */
export async function up(db: Kysely<unknown>) {
  await sql`create index referrals_of_referrer on referrals (referrer_user_id, created_at desc) include (state, credit_cents, paid_at)`.execute(
    db,
  )
  await sql`drop index referrals_referrer`.execute(db)
}
