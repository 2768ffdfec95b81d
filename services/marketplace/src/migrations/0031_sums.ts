import type { KitDb } from '@operon/kit/schema'
import { inTransaction } from '@operon/kit/tx'
import { type Kysely, sql } from 'kysely'

/**
 * What each product sold by the day of the order, and what each seller did in all: added up by triggers as orders change, so that a figure
 * does not read them. Those from before are counted again piece by piece, while no order changes.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table item_days (
      item_id uuid not null, day date not null, seller_id uuid not null, sales integer not null default 0, refunds integer not null default 0,
      revenue_cents bigint not null default 0, primary key (item_id, day)
    )`.execute(db)
  await sql`create index item_days_of_seller on item_days (seller_id, item_id, day)`.execute(db)
  await sql`
    create table seller_sales (
      seller_id uuid not null, currency text not null, sales bigint not null default 0, revenue_cents bigint not null default 0,
      primary key (seller_id, currency)
    )`.execute(db)
  await sql`
    create function keep_item_days() returns trigger language plpgsql as $$
    declare
      ended boolean := new.state in ('delivered', 'refunded');
      was boolean := false;
      refunded integer := (new.state = 'refunded')::int;
      line record;
      earned bigint;
    begin
      if tg_op = 'UPDATE' then
        was := old.state in ('delivered', 'refunded');
        refunded := refunded - (old.state = 'refunded')::int;
      end if;
      for line in select item_id, amount_cents::bigint as amount from order_lines where order_id = new.id order by item_id loop
        earned := earned_of(new.state, line.amount, coalesce(new.paid_cents, new.amount_cents), new.refunded_cents);
        if was then earned := earned - earned_of(old.state, line.amount, coalesce(old.paid_cents, old.amount_cents), old.refunded_cents); end if;
        continue when ended = was and refunded = 0 and earned = 0;
        insert into item_days as d (item_id, day, seller_id, sales, refunds, revenue_cents)
        values (line.item_id, (new.created_at at time zone 'UTC')::date, new.seller_id, ended::int - was::int, refunded, earned)
        on conflict (item_id, day) do update set sales = d.sales + excluded.sales, refunds = d.refunds + excluded.refunds,
          revenue_cents = d.revenue_cents + excluded.revenue_cents;
      end loop;
      return null;
    end $$`.execute(db)
  await sql`
    create trigger item_days after insert or update of state, refunded_cents on orders
    for each row execute function keep_item_days()`.execute(db)
  await sql`
    create function keep_seller_sales() returns trigger language plpgsql as $$
    declare
      before integer := case when tg_op = 'UPDATE' then old.sales else 0 end;
      earned bigint := case when tg_op = 'UPDATE' then old.revenue_cents else 0 end;
    begin
      insert into seller_sales as s (seller_id, currency, sales, revenue_cents)
      values (new.seller_id, new.currency, new.sales - before, new.revenue_cents - earned)
      on conflict (seller_id, currency) do update set sales = s.sales + excluded.sales, revenue_cents = s.revenue_cents + excluded.revenue_cents;
      return null;
    end $$`.execute(db)
  await sql`create trigger seller_sales after insert or update on item_sales for each row execute function keep_seller_sales()`.execute(db)
}

const PIECE = 200

export async function fill(db: Kysely<unknown>): Promise<void> {
  for (let after: string | undefined = '00000000-0000-0000-0000-000000000000'; after; ) after = await fillItems(db, after)
  await inTransaction(db as Kysely<KitDb>, async (trx) => {
    await sql`lock table item_sales in share mode`.execute(trx)
    await sql`
      insert into seller_sales (seller_id, currency, sales, revenue_cents)
      select seller_id, currency, sum(sales), sum(revenue_cents) from item_sales group by seller_id, currency
      on conflict (seller_id, currency) do update set sales = excluded.sales, revenue_cents = excluded.revenue_cents`.execute(trx)
  })
}

async function fillItems(db: Kysely<unknown>, after: string): Promise<string | undefined> {
  return inTransaction(db as Kysely<KitDb>, async (trx) => {
    await sql`lock table orders in share mode`.execute(trx)
    const { rows } = await sql<{ item_id: string }>`
      with piece as (select item_id from item_sales where item_id > ${after} order by item_id limit ${PIECE}),
      counted as (
        insert into item_days (item_id, day, seller_id, sales, refunds, revenue_cents)
        select l.item_id, (o.created_at at time zone 'UTC')::date, min(o.seller_id::text)::uuid, count(*), count(*) filter (where o.state = 'refunded'),
          sum(earned_of(o.state, l.amount_cents, coalesce(o.paid_cents, o.amount_cents), o.refunded_cents))
        from order_lines l join orders o on o.id = l.order_id
        where l.item_id in (select item_id from piece) and o.state in ('delivered', 'refunded') group by 1, 2
        on conflict (item_id, day) do update set sales = excluded.sales, refunds = excluded.refunds, revenue_cents = excluded.revenue_cents
      )
      select item_id from piece order by item_id desc limit 1`.execute(trx)
    return rows[0]?.item_id
  })
}
