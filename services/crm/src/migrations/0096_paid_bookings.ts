import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>) {
  await sql`alter table event_types add column price_cents integer not null default 0, add column refund_hours integer not null default 24`.execute(
    db,
  )
  await sql`alter table bookings add column hold_until timestamptz`.execute(db)
  // One for a booking, under its id.
  await sql`
    create table booking_payments (
      id uuid primary key, user_id uuid not null, amount_cents integer not null, currency text not null,
      state text not null default 'open' check (state in ('open', 'ended', 'paid', 'refunding', 'refunded', 'kept')),
      refund_until timestamptz not null, kept_at timestamptz, sale_id uuid, sale_version integer not null default 0,
      paid_cents integer not null default 0, refunded_cents integer not null default 0, created_at timestamptz not null default now()
    )`.execute(db)
  await sql`create index booking_payments_by_id on booking_payments (user_id, id)`.execute(db)
  await sql`create index booking_payments_to_keep on booking_payments (kept_at) where kept_at is not null`.execute(db)
}

export const indexes = {
  bookings_held: 'on bookings (hold_until) where hold_until is not null',
}
