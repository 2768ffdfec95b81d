import { type Kysely, sql } from 'kysely'

/** The time over which a plan's payment is earned, and the months whose books are closed. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    insert into ledger_accounts (code, kind) values ('deferred_revenue', 'liability') on conflict (code) do nothing`.execute(db)
  await sql`
    create table revenue_periods (
      charge text primary key, currency char(3) not null, net_cents bigint not null, returned_cents bigint not null default 0,
      starts_at timestamptz not null, ends_at timestamptz not null check (ends_at > starts_at)
    )`.execute(db)
  await sql`create index revenue_periods_end on revenue_periods (ends_at)`.execute(db)
  await sql`create table month_closes (month char(7) primary key, closed_at timestamptz not null default now())`.execute(db)
}

export const indexes = {
  sales_held_of_seller: 'on sales (seller_id, hold_until) where held_cents > 0',
  ledger_entries_occurred: 'on ledger_entries (occurred_at)',
  ledger_entries_booked: 'on ledger_entries (booked_at)',
}
