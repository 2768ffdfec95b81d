import { type Kysely, sql } from 'kysely'

/**
 * Figures and searches that would otherwise read all that an account has: how many products it has in each state, added up by triggers as they
 * change, so that an instance of the version before counts too; which orders hold a product that it bought; and parts of words, by their trigrams.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create extension if not exists pg_trgm`.execute(db)
  await sql`create extension if not exists btree_gin`.execute(db)
  await sql`
    create table item_counts (
      user_id uuid primary key, draft integer not null, active integer not null, archived integer not null, on_sale integer not null
    )`.execute(db)
  await sql`
    create function count_items(of_user uuid, drafts integer, actives integer, archiveds integer, on_sales integer) returns void language plpgsql as
    $$ begin
      update item_counts set draft = draft + drafts, active = active + actives, archived = archived + archiveds, on_sale = on_sale + on_sales
      where user_id = of_user;
      if not found then
        insert into item_counts as c (user_id, draft, active, archived, on_sale)
        select of_user, count(*) filter (where status = 'draft'), count(*) filter (where status = 'active'),
          count(*) filter (where status = 'archived'), count(*) filter (where is_active)
        from items where user_id = of_user
        on conflict (user_id) do update set draft = c.draft + drafts, active = c.active + actives, archived = c.archived + archiveds,
          on_sale = c.on_sale + on_sales;
      end if;
    end $$`.execute(db)
  // A statement's rows at once, and people in order, since two statements that meet the same people in different orders would wait for each other.
  for (const [what, changed] of [
    ['insert', 'select user_id, status, is_active, 1 as more from added'],
    ['delete', 'select user_id, status, is_active, -1 as more from gone'],
    ['update', 'select user_id, status, is_active, 1 as more from added union all select user_id, status, is_active, -1 from gone'],
  ] as const) {
    const named = sql.raw(`items_counted_at_${what}`)
    await sql`
      create function ${named}() returns trigger language plpgsql as
      $$ begin
        perform count_items(user_id, drafts, actives, archiveds, on_sales) from (
          select user_id, coalesce(sum(more) filter (where status = 'draft'), 0)::integer as drafts,
            coalesce(sum(more) filter (where status = 'active'), 0)::integer as actives,
            coalesce(sum(more) filter (where status = 'archived'), 0)::integer as archiveds,
            coalesce(sum(more) filter (where is_active), 0)::integer as on_sales
          from (${sql.raw(changed)}) rows group by user_id order by user_id) sums
        where (drafts, actives, archiveds, on_sales) <> (0, 0, 0, 0);
        return null;
      end $$`.execute(db)
    const rows = [what !== 'delete' && 'new table as added', what !== 'insert' && 'old table as gone'].filter(Boolean).join(' ')
    await sql`
      create trigger ${named} after ${sql.raw(what)} on items referencing ${sql.raw(rows)} for each statement execute function ${named}()`.execute(
      db,
    )
  }
  await sql`alter table order_lines add column buyer_id uuid`.execute(db)
  await sql`
    create function line_has_buyer() returns trigger language plpgsql as
    $$ begin
      new.buyer_id := (select buyer_id from orders where id = new.order_id);
      return new;
    end $$`.execute(db)
  await sql`create trigger has_buyer before insert on order_lines for each row execute function line_has_buyer()`.execute(db)
  await sql`
    create function lines_have_buyer() returns trigger language plpgsql as
    $$ begin
      update order_lines set buyer_id = new.buyer_id where order_id = new.id;
      return null;
    end $$`.execute(db)
  await sql`
    create trigger lines_have_buyer after update of buyer_id on orders for each row
    when (old.buyer_id is distinct from new.buyer_id) execute function lines_have_buyer()`.execute(db)
}

export const indexes = {
  items_found: 'on items using gin (user_id, lower(title) gin_trgm_ops)',
  items_of_seller_by_status: 'on items (user_id, status, updated_at desc, id desc)',
  orders_found: "on orders using gin (seller_id, lower(coalesce(email, '') || ' ' || title) gin_trgm_ops)",
  order_lines_of_buyer: 'on order_lines (buyer_id, item_id, order_id desc) where buyer_id is not null',
}
export const dropped = ['items_active_of_seller']

const FIRST = '00000000-0000-0000-0000-000000000000'
const PIECE = 200

export async function fill(db: Kysely<unknown>): Promise<void> {
  for (let after: string | undefined = FIRST; after; ) after = await fillLines(db, after)
  for (let after: string | undefined = FIRST; after; ) after = await fillCounts(db, after)
}

/** Orders are held meanwhile, so that one whose buyer is being erased is filled before that or not at all. */
async function fillLines(db: Kysely<unknown>, after: string): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`
    with piece as (select id, buyer_id from orders where id > ${after}::uuid order by id limit ${PIECE * 5} for share),
    filled as (
      update order_lines l set buyer_id = p.buyer_id from piece p where l.order_id = p.id and p.buyer_id is not null and l.buyer_id is null
    )
    select id from piece order by id desc limit 1`.execute(db)
  return rows[0]?.id
}

/** Sellers from before, some at a time: one who has a row is counted. */
async function fillCounts(db: Kysely<unknown>, after: string): Promise<string | undefined> {
  const { rows } = await sql<{ last: string | null }>`
    with recursive people(user_id, n) as (
      (select user_id, 1 from items where user_id > ${after}::uuid order by user_id limit 1)
      union all
      select (select i.user_id from items i where i.user_id > p.user_id order by i.user_id limit 1), n + 1
      from people p where p.user_id is not null and n < ${PIECE}
    ), counted as (
      select count_items(user_id, 0, 0, 0, 0) from people where user_id is not null order by user_id
    )
    select max(user_id::text) as last, (select count(*) from counted) from people`.execute(db)
  return rows[0]?.last ?? undefined
}
