import { type Kysely, sql } from 'kysely'

/** A product's address, and what buyers ordered. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table orders (
      id uuid primary key, item_id uuid not null, seller_id uuid not null, buyer_id uuid, email text,
      title text not null, amount_cents integer not null, currency text not null, token_hash bytea not null unique,
      state text not null default 'open' check (state in ('open', 'delivered', 'refunded')),
      refunded_cents integer not null default 0, sale_version integer not null default 0,
      delivered_at timestamptz, created_at timestamptz not null default now()
    )`.execute(db)
  await sql`create index orders_of_seller on orders (seller_id, id)`.execute(db)
  await sql`create index orders_of_buyer on orders (buyer_id, id) where buyer_id is not null`.execute(db)
}
