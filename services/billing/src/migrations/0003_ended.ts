import { type Kysely, sql } from 'kysely'

/** A cancelled plan closes at its period's end by the date alone, without waiting to be told. */
export async function up(db: Kysely<unknown>) {
  await sql`
    create or replace view subscribers as
    select user_id,
      (status in ('trialing', 'active') or (status = 'past_due' and not lapsed and grace_until > provider_now()))
        and not (cancel_at_period_end and coalesce(period_end <= provider_now(), false)) as subscribed,
      plan as subscription_tier, period_end as subscription_end, status, updated_at
    from subscriptions`.execute(db)
}

export const indexes = {
  subscriptions_ending: 'on subscriptions (period_end) where cancel_at_period_end',
}
