import { type Kysely, sql } from 'kysely'

/** Sellers, what they sold, and their payouts. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    insert into ledger_accounts (code, kind) values ('sales_tax_payable', 'liability') on conflict (code) do nothing`.execute(db)
  await sql`alter table ledger_entries add column sale_id uuid, add column payout_id uuid`.execute(db)
  await sql`
    create table seller_accounts (
      user_id uuid primary key, account text unique, country text not null default 'US',
      state text not null default 'none' check (state in ('none', 'started', 'checking', 'ready', 'needs_details', 'stopped')),
      requirements jsonb not null default '[]', deadline timestamptz, disabled_reason text, bank_last4 text, looked_at timestamptz,
      version integer not null default 0, looks integer not null default 0,
      held_at timestamptz, held_because text, books_differ boolean not null default false, created_at timestamptz not null default now()
    )`.execute(db)
  // The row that is locked before a seller's money moves. The sums are those of the ledger, which the nightly comparison checks.
  await sql`
    create table seller_balances (
      seller_id uuid not null, currency char(3) not null,
      held_cents bigint not null default 0 check (held_cents >= 0), due_cents bigint not null default 0 check (due_cents >= 0),
      reserved_cents bigint not null default 0 check (reserved_cents >= 0), paying_cents bigint not null default 0 check (paying_cents >= 0),
      owed_cents bigint not null default 0 check (owed_cents >= 0), connected_cents bigint not null default 0 check (connected_cents >= 0),
      friday char(10) not null, primary key (seller_id, currency)
    )`.execute(db)
  await sql`
    create table sale_checkouts (
      id uuid primary key, kind text not null, reference uuid not null, seller_id uuid not null, buyer_id uuid, email text,
      currency char(3) not null, amount_cents bigint not null check (amount_cents > 0), lines jsonb not null,
      request jsonb not null, session text unique, url text,
      state text not null default 'open' check (state in ('open', 'settled', 'expired')),
      looked_at timestamptz not null default now(), created_at timestamptz not null default now(), unique (kind, reference)
    )`.execute(db)
  await sql`create index sale_checkouts_open on sale_checkouts (looked_at) where state = 'open'`.execute(db)
  await sql`
    create table sales (
      id uuid primary key references sale_checkouts, kind text not null, reference uuid not null, seller_id uuid not null, buyer_id uuid,
      email text, customer text, title text not null, charge text not null unique, method text not null, currency char(3) not null,
      gross_cents bigint not null, tax_cents bigint not null, share_cents bigint not null,
      status text not null check (status in ('completed', 'pending', 'failed')),
      refunded_cents bigint not null default 0, held_cents bigint not null default 0, reserved_cents bigint not null default 0,
      dispute text check (dispute in ('asked', 'open', 'won', 'lost')), paid_at timestamptz not null, delivered_at timestamptz,
      hold_until timestamptz, version integer not null default 1, created_at timestamptz not null default now()
    )`.execute(db)
  await sql`create index sales_of_seller on sales (seller_id, paid_at desc, id desc)`.execute(db)
  await sql`create index sales_of_seller_by_id on sales (seller_id, id)`.execute(db)
  await sql`create index sales_of_buyer on sales (buyer_id, id) where buyer_id is not null`.execute(db)
  await sql`create index sales_reference on sales (kind, reference)`.execute(db)
  await sql`
    create index sales_held on sales (hold_until) where held_cents > 0 and hold_until is not null and (dispute is null or dispute in ('won', 'lost'))`.execute(
    db,
  )
  await sql`
    create table sale_refunds (
      id text primary key, sale_id uuid not null references sales, amount_cents bigint not null,
      state text not null check (state in ('sent', 'failed')), reason text, at timestamptz not null
    )`.execute(db)
  await sql`create index sale_refunds_of_sale on sale_refunds (sale_id, at)`.execute(db)
  await sql`alter table disputes add column sale_id uuid, add column evidence text, add column evidence_sent_at timestamptz`.execute(db)
  await sql`
    create table payouts (
      id uuid primary key, friday char(10) not null, seller_id uuid not null, currency char(3) not null, account text not null,
      amount_cents bigint not null check (amount_cents > 0),
      state text not null default 'planned' check (state in ('planned', 'transferred', 'sent', 'paid', 'reversing', 'returned')),
      transfer text unique, payout text unique, call_key uuid not null, called_at timestamptz,
      next_at timestamptz, tries integer not null default 0, waits_for text,
      returned_because text, arrives_at timestamptz, paid_at timestamptz, bank_last4 text, created_at timestamptz not null default now(),
      unique (friday, seller_id, currency)
    )`.execute(db)
  await sql`create index payouts_of_seller on payouts (seller_id, friday desc, id desc)`.execute(db)
  await sql`create index payouts_next on payouts (next_at) where next_at is not null`.execute(db)
  // A movement that was due is paid out once.
  await sql`
    create table payout_lines (
      entry_id uuid not null, line smallint not null, payout_id uuid not null references payouts, amount_cents bigint not null,
      primary key (entry_id, line)
    )`.execute(db)
  await sql`create index payout_lines_of_payout on payout_lines (payout_id, entry_id)`.execute(db)
  // The Friday that a moment belongs to: the last one that has begun.
  await sql`
    create function friday_of(moment timestamptz) returns text language sql stable as
    $$ select (moment at time zone 'utc')::date - ((extract(isodow from moment at time zone 'utc')::int + 2) % 7) $$`.execute(db)
}

export const indexes = {
  disputes_of_sale: 'on disputes (sale_id) where sale_id is not null',
  ledger_postings_newest: 'on ledger_postings (account, currency, entry_id desc) include (amount_cents)',
}

export const dropped = ['ledger_postings_account']
