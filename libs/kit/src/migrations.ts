import { type Kysely, sql } from 'kysely'
import type { Migrations } from './migrate.ts'

/** The kit's own tables, in every service's database. */
export const kitMigrations: Migrations = {
  '0000_kit': {
    async up(db: Kysely<unknown>) {
      await sql`
        create table outbox (
          id uuid primary key, kind text not null, name text not null, user_id uuid, payload jsonb not null, trace text,
          created_at timestamptz not null default now(), available_at timestamptz not null default now(),
          attempts integer not null default 0, sent_at timestamptz
        )`.execute(db)
      // Sent rows stay for a day; without the partial index a relay would wade through all of them.
      await sql`create index outbox_unsent on outbox (available_at, id) where sent_at is null`.execute(db)
      await sql`create index outbox_sent on outbox (sent_at) where sent_at is not null`.execute(db)
      await sql`
        create table inbox (
          handler text not null, event_id uuid not null, envelope jsonb, received_at timestamptz not null default now(),
          next_at timestamptz not null default now(), attempts integer not null default 0,
          done_at timestamptz, parked_at timestamptz, error text, primary key (handler, event_id)
        )`.execute(db)
      await sql`create index inbox_pending on inbox (next_at) where done_at is null and parked_at is null`.execute(db)
      await sql`create index inbox_done on inbox (done_at) where done_at is not null`.execute(db)
      await sql`create index inbox_parked on inbox (parked_at) where parked_at is not null`.execute(db)
      await sql`
        create table idempotency_keys (
          scope text not null, key text not null, request_hash text not null, status integer, reply jsonb,
          created_at timestamptz not null default now(), primary key (scope, key)
        )`.execute(db)
      await sql`create index idempotency_keys_age on idempotency_keys (created_at)`.execute(db)
      await sql`
        create table entitlements (
          user_id uuid primary key, tier text not null, status text not null, limits jsonb not null,
          period_start timestamptz not null, period_end timestamptz, version integer not null
        )`.execute(db)
      await sql`
        create table usage_counters (
          user_id uuid not null, unit text not null, period_start timestamptz not null,
          used integer not null default 0 check (used >= 0), reserved integer not null default 0 check (reserved >= 0),
          primary key (user_id, unit, period_start)
        )`.execute(db)
      await sql`
        create table usage_reservations (
          id uuid primary key, user_id uuid not null, unit text not null, period_start timestamptz not null, amount integer not null,
          state text not null default 'reserved', feature text not null, created_at timestamptz not null default now(), expires_at timestamptz not null
        )`.execute(db)
      await sql`create index usage_reservations_open on usage_reservations (expires_at) where state = 'reserved'`.execute(db)
    },
  },
  // Nothing waits for it: an instance of the version before leaves the columns at what they are.
  '0000_kit_costs': {
    async up(db: Kysely<unknown>) {
      await sql`alter table entitlements add column budget_microusd bigint`.execute(db)
      await sql`alter table usage_counters add column cost_used bigint not null default 0, add column cost_reserved bigint not null default 0`.execute(
        db,
      )
      await sql`alter table usage_reservations add column cost_held bigint not null default 0`.execute(db)
    },
  },
  // The version before leaves the columns at their defaults, and still forgets keys after a day by the index of their age.
  '0000_kit_keys': {
    async up(db: Kysely<unknown>) {
      await sql`
        alter table idempotency_keys add column user_id uuid,
          add column expires_at timestamptz not null default now() + interval '90 days'`.execute(db)
      await sql`
        update idempotency_keys set user_id = substring(scope from ':([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})$')::uuid`.execute(
        db,
      )
    },
    indexes: {
      idempotency_keys_expired: 'on idempotency_keys (expires_at)',
      idempotency_keys_of_user: 'on idempotency_keys (user_id) where user_id is not null',
    },
  },
  '0000_kit_pieces': {
    async up(db: Kysely<unknown>) {
      await sql`
        create table erased_pieces (
          user_id uuid not null, kind text not null check (kind in ('deleted', 'anonymised')), name text not null, amount bigint not null,
          primary key (user_id, kind, name)
        )`.execute(db)
    },
    indexes: { usage_reservations_of_user: 'on usage_reservations (user_id, id)' },
  },
  '0000_kit_fleet': {
    async up(db: Kysely<unknown>) {
      await sql`create table fleet_key (one boolean primary key default true check (one), fingerprints text[] not null)`.execute(db)
    },
  },
  // Messages that an operator gave up on, without their content: it may be personal, and an erasure would not find it here.
  '0000_kit_discarded': {
    async up(db: Kysely<unknown>) {
      await sql`
        create table discarded_work (
          id uuid primary key, what text not null, attempts integer not null, reason text not null,
          discarded_by text not null, discarded_at timestamptz not null default now()
        )`.execute(db)
    },
  },
  // An instance of the version before leaves the columns at their defaults, and meters by the plan alone.
  '0000_kit_top_ups': {
    async up(db: Kysely<unknown>) {
      await sql`
        alter table usage_counters add column extra integer not null default 0 check (extra >= 0),
          add column extra_cost bigint not null default 0, add column extra_max integer, add column extra_budget bigint`.execute(db)
      await sql`
        create table usage_top_ups (
          id uuid primary key, user_id uuid not null, unit text not null, units integer not null, unit_microusd bigint not null check (unit_microusd > 0),
          drawn integer not null default 0 check (drawn between 0 and units), draws integer not null default 0,
          state text not null check (state in ('open', 'held', 'closed')), version integer not null, bought_at timestamptz not null
        )`.execute(db)
    },
    indexes: { usage_top_ups_of_user: 'on usage_top_ups (user_id, unit, bought_at, id)' },
  },
  // Lost jobs are looked for among jobs, not among the events of a day.
  '0000_kit_jobs_sent': {
    indexes: { outbox_jobs_sent: "on outbox (sent_at, id) where kind = 'job' and sent_at is not null" },
  },
}
