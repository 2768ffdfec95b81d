import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>) {
  await sql`
    create table accounts (
      user_id uuid primary key, email text, name text, person_version integer not null default 0,
      stripe_customer_id text unique, referral_code text not null unique, trial_used_at timestamptz,
      created_at timestamptz not null default now(), closed_at timestamptz
    )`.execute(db)
  await sql`create index accounts_email on accounts (lower(email))`.execute(db)
  await sql`
    create table subscriptions (
      user_id uuid primary key references accounts, stripe_subscription_id text unique, stripe_item_id text, plan text,
      tier text not null default 'none', status text not null default 'none',
      period_start timestamptz not null, period_end timestamptz, trial_end timestamptz, cancel_at_period_end boolean not null default false,
      grace_until timestamptz, lapsed boolean not null default false, reminded_at timestamptz,
      version integer not null default 1, looks integer not null default 0, updated_at timestamptz not null default now()
    )`.execute(db)
  await sql`create index subscriptions_past_due on subscriptions (grace_until) where status = 'past_due' and not lapsed`.execute(db)
  await sql`create index subscriptions_trialing on subscriptions (trial_end) where status = 'trialing' and reminded_at is null`.execute(db)
  await sql`
    create table provider_calls (
      id uuid primary key, user_id uuid not null, kind text not null, request_hash text not null, request jsonb not null,
      state text not null default 'open', reply jsonb, created_at timestamptz not null default now()
    )`.execute(db)
  // One open call for one intention: who asks again meanwhile, or after a crash, continues it.
  await sql`create unique index provider_calls_open on provider_calls (user_id, kind) where state = 'open'`.execute(db)
  await sql`
    create table provider_events (
      id text primary key, type text not null, created_at timestamptz not null, status text not null, attempts integer not null default 1,
      error text, payload jsonb, handled_at timestamptz not null default now()
    )`.execute(db)
  await sql`create index provider_events_failed on provider_events (created_at) where status = 'failed'`.execute(db)
  await sql`create index provider_events_time on provider_events (created_at)`.execute(db)
  await sql`create table provider_settings (key text primary key, value jsonb not null)`.execute(db)
  await sql`create table trial_cards (fingerprint text primary key, user_id uuid not null, created_at timestamptz not null default now())`.execute(
    db,
  )
  await sql`
    create table referrals (
      referred_user_id uuid primary key, referrer_user_id uuid not null, state text not null default 'signed_up',
      payment text, paid_at timestamptz, credit_cents integer, currency text not null default 'usd', credited_at timestamptz,
      created_at timestamptz not null default now(), check (referred_user_id <> referrer_user_id)
    )`.execute(db)
  await sql`create index referrals_referrer on referrals (referrer_user_id)`.execute(db)
  await sql`create index referrals_payment on referrals (payment) where payment is not null`.execute(db)
  await sql`create index referrals_due on referrals (paid_at) where state = 'paid'`.execute(db)
  await sql`
    create table usage (
      user_id uuid not null, unit text not null, period_start timestamptz not null, used integer not null, max integer,
      at timestamptz not null, warned integer not null default 0, primary key (user_id, unit, period_start)
    )`.execute(db)
  await sql`
    create table staff_actions (
      id uuid primary key, staff_user_id uuid, action text not null, user_id uuid, reason text not null, detail jsonb not null,
      at timestamptz not null default now()
    )`.execute(db)
  await sql`create index staff_actions_user on staff_actions (user_id, at)`.execute(db)
  // The provider's clock: signed events tell it. It is the real time, except where a test moves it ahead.
  await sql`
    create function provider_now() returns timestamptz language sql stable as
    $$ select greatest(now(), (select max(created_at) from provider_events)) $$`.execute(db)
  await sql`
    create view subscribers as
    select user_id,
      status in ('trialing', 'active') or (status = 'past_due' and not lapsed and grace_until > provider_now()) as subscribed,
      plan as subscription_tier, period_end as subscription_end, status, updated_at
    from subscriptions`.execute(db)
}
