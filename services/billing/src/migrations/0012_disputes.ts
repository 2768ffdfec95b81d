import { type Kysely, sql } from 'kysely'

/** How each dispute stands and by when evidence is due. A plan whose payment is disputed is paused. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table disputes (
      id text primary key, user_id uuid, charge text not null, subscription text, amount_cents bigint not null, currency char(3) not null,
      reason text not null, state text not null check (state in ('asked', 'open', 'won', 'lost')), evidence_due_at timestamptz,
      opened_at timestamptz not null, closed_at timestamptz
    )`.execute(db)
  await sql`create index disputes_of_subscription on disputes (subscription) where state in ('open', 'lost')`.execute(db)
  await sql`create index disputes_undecided on disputes (evidence_due_at) where state in ('asked', 'open')`.execute(db)
  await sql`create index disputes_user on disputes (user_id)`.execute(db)
  await sql`alter table subscriptions add column disputed boolean not null default false`.execute(db)
  await sql`
    create or replace view subscribers as
    select user_id,
      not disputed
        and (status in ('trialing', 'active') or (status = 'past_due' and not lapsed and grace_until > provider_now(user_id)))
        and not (cancel_at_period_end and coalesce(period_end <= provider_now(user_id), false)) as subscribed,
      plan as subscription_tier, period_end as subscription_end, status, updated_at
    from subscriptions`.execute(db)
}

export const indexes = {
  referrals_revoked: "on referrals (referred_user_id) where state = 'revoked'",
}
