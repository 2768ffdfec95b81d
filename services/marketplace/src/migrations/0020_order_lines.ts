import { type Kysely, sql } from 'kysely'

/** Several products in one order, what was paid for it, and whose verified address it was bought under. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table orders add column sale_id uuid, add column paid_cents integer, add column tax_cents integer not null default 0,
      add column discount_cents integer not null default 0, add column coupon_id uuid, add column claimed_at timestamptz`.execute(db)
  await sql`
    create table order_lines (
      order_id uuid not null references orders on delete cascade, item_id uuid not null, position integer not null,
      version_id uuid, kept_version_id uuid, title text not null, list_cents integer not null, amount_cents integer not null,
      downloaded_at timestamptz, primary key (order_id, item_id)
    )`.execute(db)
  await sql`create index order_lines_of_item on order_lines (item_id, order_id)`.execute(db)
  await sql`create index order_lines_of_version on order_lines (version_id) where version_id is not null`.execute(db)
  await sql`create index order_lines_of_kept on order_lines (kept_version_id) where kept_version_id is not null`.execute(db)
  // An instance of the version before writes orders of one product, without lines.
  await sql`
    create function order_has_line() returns trigger language plpgsql as $$
    begin
      insert into order_lines (order_id, item_id, position, version_id, kept_version_id, title, list_cents, amount_cents)
      values (new.id, new.item_id, 0, new.version_id, new.version_id, new.title, new.amount_cents, new.amount_cents);
      return null;
    end $$`.execute(db)
  await sql`create trigger has_line after insert on orders for each row execute function order_has_line()`.execute(db)
  /** The address of the account, once its owner has proven it; in lower case. */
  await sql`alter table profiles add column email text`.execute(db)
}

export const indexes = {
  orders_with_coupon: "on orders (created_at) where state = 'open' and coupon_id is not null",
  orders_unclaimed: 'on orders (lower(email), id) where buyer_id is null and email is not null',
  profiles_email: 'on profiles (email) where email is not null',
}

/** Orders from before. */
export async function fill(db: Kysely<unknown>): Promise<void> {
  let after: string | undefined = '00000000-0000-0000-0000-000000000000'
  while (after) {
    const filled: { rows: { id: string }[] } = await sql<{ id: string }>`
      with piece as (select * from orders where id > ${after} order by id limit 1000),
      made as (
        insert into order_lines (order_id, item_id, position, version_id, kept_version_id, title, list_cents, amount_cents)
        select id, item_id, 0, version_id, version_id, title, amount_cents, amount_cents from piece on conflict do nothing
      )
      select id from piece order by id desc limit 1`.execute(db)
    after = filled.rows[0]?.id
  }
}
