import type { KitDb } from '@operon/kit/schema'
import { inTransaction } from '@operon/kit/tx'
import { type Kysely, sql } from 'kysely'

/** Data of the seller's own pages: where an archived product came from, the business profile, coupons, licence keys and views. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table items
      add column archived_from text check (archived_from in ('draft', 'active')), add column suspended_because text,
      add column if not exists rating_sum integer not null default 0, add column if not exists rating_count integer not null default 0,
      add constraint items_rated check (rating_sum between rating_count and rating_count * 5)`.execute(db)
  await sql`
    alter table profiles
      add column business_name text not null default '', add column contact_email text not null default '',
      add column phone text not null default '', add column website text not null default '', add column location text not null default '',
      add column business_category text not null default '', add column business_description text not null default '',
      add column accent text not null default 'lime', add column picture_id uuid,
      add column suspended_at timestamptz, add column suspended_because text`.execute(db)
  // Nothing of a seller whom staff stopped is on sale, whatever is published.
  await sql`
    create or replace function item_status_in_step() returns trigger language plpgsql as $$
    begin
      if tg_op = 'INSERT' then
        if new.is_active then new.status := 'active'; end if;
      elsif new.status = old.status and new.is_active <> old.is_active and new.suspended_at is not distinct from old.suspended_at then
        new.status := case when new.is_active then 'active' else 'draft' end;
      end if;
      new.is_active := new.status = 'active' and new.suspended_at is null
        and not exists (select from profiles p where p.user_id = new.user_id and p.suspended_at is not null);
      return new;
    end $$`.execute(db)
  await sql`
    create table coupons (
      id uuid primary key, seller_id uuid not null, code text not null check (code ~ '^[A-Z0-9][A-Z0-9-]{2,29}$'),
      percent_off integer check (percent_off between 1 and 90), amount_off_cents integer check (amount_off_cents > 0),
      item_ids uuid[], max_uses integer check (max_uses > 0), used integer not null default 0 check (used >= 0),
      starts_at timestamptz, ends_at timestamptz, ended_at timestamptz, created_at timestamptz not null default now(),
      check ((percent_off is null) <> (amount_off_cents is null)), check (max_uses is null or used <= max_uses)
    )`.execute(db)
  await sql`create unique index coupons_code on coupons (seller_id, code) where ended_at is null`.execute(db)
  await sql`create index coupons_of_seller on coupons (seller_id, id)`.execute(db)
  await sql`
    create table license_keys (
      id uuid primary key, order_id uuid not null, item_id uuid not null, seller_id uuid not null, key_hash bytea not null unique,
      sealed text not null, activation_limit integer not null, created_at timestamptz not null default now(), unique (order_id, item_id)
    )`.execute(db)
  await sql`create index license_keys_of_seller on license_keys (seller_id, id)`.execute(db)
  await sql`
    create table activations (
      key_id uuid not null references license_keys on delete cascade, machine_hash bytea not null, at timestamptz not null default now(),
      primary key (key_id, machine_hash)
    )`.execute(db)
  await sql`
    create table item_views (
      item_id uuid not null references items on delete cascade, day date not null, referrer text not null, views integer not null default 1,
      primary key (item_id, day, referrer)
    )`.execute(db)
  // Kept beside the orders, in their transactions: a seller of a million orders sees the totals at once.
  await sql`
    create table item_sales (
      item_id uuid primary key, seller_id uuid not null, currency text not null, sales integer not null default 0,
      refunds integer not null default 0, revenue_cents bigint not null default 0
    )`.execute(db)
  await sql`create index item_sales_of_seller on item_sales (seller_id, sales desc, item_id)`.execute(db)
  // By the lines of an order once orders have them, in proportion to what was given back.
  await sql`
    create function earned_of(state text, amount bigint, paid bigint, refunded bigint) returns bigint language sql immutable
    return case when state not in ('delivered', 'refunded') or paid = 0 then 0 else amount - amount * least(refunded, paid) / paid end`.execute(
    db,
  )
  await sql`
    create function keep_item_sales() returns trigger language plpgsql as $$
    declare
      sold integer := (new.state = 'delivered')::int;
      refunded integer := (new.state = 'refunded')::int;
      paid bigint := coalesce((to_jsonb(new) ->> 'paid_cents')::bigint, new.amount_cents);
      paid_before bigint;
      line record;
      earned bigint;
    begin
      if tg_op = 'UPDATE' then
        sold := sold - (old.state = 'delivered')::int;
        refunded := refunded - (old.state = 'refunded')::int;
        paid_before := coalesce((to_jsonb(old) ->> 'paid_cents')::bigint, old.amount_cents);
      end if;
      for line in execute case when to_regclass('order_lines') is null then 'select $2 as item_id, $3::bigint as amount'
          else 'select item_id, amount_cents::bigint as amount from order_lines where order_id = $1 order by item_id' end
          using new.id, new.item_id, new.amount_cents loop
        earned := earned_of(new.state, line.amount, paid, new.refunded_cents);
        if tg_op = 'UPDATE' then earned := earned - earned_of(old.state, line.amount, paid_before, old.refunded_cents); end if;
        continue when sold = 0 and refunded = 0 and earned = 0;
        insert into item_sales as known (item_id, seller_id, currency, sales, refunds, revenue_cents)
        values (line.item_id, new.seller_id, new.currency, sold, refunded, earned)
        on conflict (item_id) do update set sales = known.sales + excluded.sales, refunds = known.refunds + excluded.refunds,
          revenue_cents = known.revenue_cents + excluded.revenue_cents;
      end loop;
      return null;
    end $$`.execute(db)
  await sql`
    create trigger item_sales after insert or update of state, refunded_cents on orders
    for each row execute function keep_item_sales()`.execute(db)
}

export const indexes = {
  items_of_seller: 'on items (user_id, updated_at desc, id desc)',
  items_active_of_seller: 'on items (user_id) where is_active',
  orders_of_item: 'on orders (item_id, created_at)',
}

const PIECE = 500

/** Earlier sales. No order changes while a piece is counted. */
export async function fill(db: Kysely<unknown>): Promise<void> {
  let after: string | undefined = '00000000-0000-0000-0000-000000000000'
  while (after) after = await fillPiece(db, after)
}

async function fillPiece(db: Kysely<unknown>, after: string): Promise<string | undefined> {
  return inTransaction(db as Kysely<KitDb>, async (trx) => {
    await sql`lock table orders in share mode`.execute(trx)
    const { rows } = await sql<{ id: string }>`
      with piece as (select id from items where id > ${after} order by id limit ${PIECE}),
      counted as (
        insert into item_sales (item_id, seller_id, currency, sales, refunds, revenue_cents)
        select o.item_id, min(o.seller_id::text)::uuid, min(o.currency), count(*) filter (where o.state = 'delivered'),
          count(*) filter (where o.state = 'refunded'), sum(o.amount_cents - o.refunded_cents)
        from orders o where o.item_id in (select id from piece) and o.state in ('delivered', 'refunded') group by o.item_id
        on conflict (item_id) do update set sales = excluded.sales, refunds = excluded.refunds, revenue_cents = excluded.revenue_cents
      )
      select id from piece order by id desc limit 1`.execute(trx)
    return rows[0]?.id
  })
}
