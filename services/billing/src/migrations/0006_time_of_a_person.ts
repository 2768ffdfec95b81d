import { type Kysely, sql } from 'kysely'

/**
 * The provider's time for one person. The sandbox moves a single account ahead of all others; everywhere else it is 0 for everybody, and
 * `provider_now()`, which the version before asks, is right as it was.
 */
export async function up(db: Kysely<unknown>) {
  await sql`alter table accounts add column provider_ahead_s integer not null default 0`.execute(db)
  await sql`
    create function provider_now(person uuid) returns timestamptz language sql stable as
    $$ select provider_now() + make_interval(secs => coalesce((select provider_ahead_s from accounts where user_id = person), 0)) $$`.execute(
    db,
  )
  // Periods that nobody has reached yet are not read: an index finds the others.
  await sql`
    create function provider_latest() returns timestamptz language sql stable as
    $$ select provider_now() + make_interval(secs => coalesce((select max(provider_ahead_s) from accounts where provider_ahead_s > 0), 0)) $$`.execute(
    db,
  )
  await sql`
    create or replace view subscribers as
    select user_id,
      (status in ('trialing', 'active') or (status = 'past_due' and not lapsed and grace_until > provider_now(user_id)))
        and not (cancel_at_period_end and coalesce(period_end <= provider_now(user_id), false)) as subscribed,
      plan as subscription_tier, period_end as subscription_end, status, updated_at
    from subscriptions`.execute(db)
}

export const indexes = {
  accounts_ahead: 'on accounts (provider_ahead_s) where provider_ahead_s > 0',
}
