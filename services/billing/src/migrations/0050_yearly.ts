import { type Kysely, sql } from 'kysely'

/**
 * A plan that is billed by the year counts its allowances by the month: which month runs stands beside the period. The version before writes
 * neither, and has monthly plans alone, whose month is the period.
 */
export async function up(db: Kysely<unknown>) {
  await sql`
    alter table subscriptions
      add column period text not null default 'month' check (period in ('month', 'year')),
      add column stripe_schedule_id text,
      add column next_plan text,
      add column next_period text check (next_period in ('month', 'year')),
      add column allowance_start timestamptz,
      add column allowance_end timestamptz,
      add column renewal_told_for timestamptz`.execute(db)
  // A part that is not used is credited, and a plan without a limit is used by what its answers cost.
  await sql`
    alter table usage add column cost_used_microusd bigint not null default 0, add column budget_microusd bigint`.execute(db)
}

export const indexes = {
  subscriptions_by_allowance: 'on subscriptions (allowance_end) where allowance_end is not null',
  subscriptions_renewing_yearly: "on subscriptions (period_end) where period = 'year'",
}
