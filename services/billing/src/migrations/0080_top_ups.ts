import { type Kysely, sql } from 'kysely'

/** Units bought beside a plan. An instance of the version before books a payment of one as of unknown purpose, and this one cannot be bought by it. */
export async function up(db: Kysely<unknown>) {
  await sql`
    create table top_ups (
      id uuid primary key, user_id uuid not null, unit text not null, units integer not null check (units > 0), unit_microusd bigint not null,
      price_cents integer not null, currency text not null,
      state text not null default 'open' check (state in ('open', 'expired', 'paid', 'held', 'refunding', 'closed')),
      session text, url text, looked_at timestamptz not null default now(),
      charge text unique, gross_cents integer, tax_cents integer, returned_cents integer not null default 0, paid_at timestamptz,
      drawn integer not null default 0, draws integer not null default 0, refund_units integer, earned boolean not null default false,
      version integer not null default 0, created_at timestamptz not null default now()
    )`.execute(db)
  await sql`create unique index top_ups_one_open on top_ups (user_id, unit) where state = 'open'`.execute(db)
  await sql`
    create table top_up_months (
      top_up_id uuid not null references top_ups (id), month text not null, drawn integer not null, primary key (top_up_id, month)
    )`.execute(db)
  await sql`
    insert into ledger_accounts (code, kind, owner) values ('top_up_revenue', 'income', null), ('deferred_top_ups', 'liability', null)
    on conflict (code) do nothing`.execute(db)
}

export const indexes = {
  top_ups_of_user: 'on top_ups (user_id, paid_at, id) where paid_at is not null',
  top_ups_by_person: 'on top_ups (user_id, id)',
  top_ups_not_earned: "on top_ups (paid_at) where state in ('paid', 'held', 'refunding') and not earned",
  top_ups_refunding: "on top_ups (looked_at) where state = 'refunding'",
  top_ups_unsettled: "on top_ups (looked_at) where state = 'open' and session is not null",
}
