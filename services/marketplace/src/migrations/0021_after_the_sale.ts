import { type Kysely, sql } from 'kysely'

/** Everything after a sale: conversations, reviews, refund requests, wishlists and saved searches. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table threads (
      id uuid primary key, seller_id uuid not null, order_id uuid unique, item_id uuid, buyer_id uuid, email text, subject text not null,
      preview text not null default '', last_from text not null default 'buyer' check (last_from in ('buyer', 'seller')),
      last_at timestamptz not null default now(), seller_unread integer not null default 0, buyer_unread integer not null default 0,
      created_at timestamptz not null default now(), answered_at timestamptz
    )`.execute(db)
  await sql`create index threads_of_seller on threads (seller_id, last_at desc, id desc)`.execute(db)
  await sql`create index threads_of_buyer on threads (buyer_id, last_at desc, id desc) where buyer_id is not null`.execute(db)
  await sql`create index threads_unread_by_seller on threads (seller_id, last_at desc, id desc) where seller_unread > 0`.execute(db)
  await sql`create index threads_unread_by_buyer on threads (buyer_id, last_at desc, id desc) where buyer_unread > 0`.execute(db)
  await sql`create index threads_answered on threads (seller_id, answered_at desc) where answered_at is not null`.execute(db)
  await sql`create unique index threads_question on threads (buyer_id, item_id) where order_id is null`.execute(db)
  await sql`
    create table thread_messages (
      id uuid primary key, thread_id uuid not null references threads on delete cascade, side text not null check (side in ('buyer', 'seller')),
      text text not null, via text not null default 'app' check (via in ('app', 'mail')), mail_id text unique,
      created_at timestamptz not null default now()
    )`.execute(db)
  await sql`create index thread_messages_of on thread_messages (thread_id, id desc)`.execute(db)
  await sql`
    create table message_files (
      message_id uuid not null references thread_messages on delete cascade, file_id uuid not null, name text not null, bytes bigint not null,
      type text not null, position integer not null, primary key (message_id, file_id)
    )`.execute(db)
  await sql`create index message_files_of_file on message_files (file_id)`.execute(db)
  await sql`
    create table reviews (
      id uuid primary key, order_id uuid not null, item_id uuid not null, seller_id uuid not null, buyer_id uuid, title text not null,
      name text not null, rating integer not null check (rating between 1 and 5), text text not null default '', photo_ids uuid[] not null default '{}',
      answer text, answered_at timestamptz, refunded boolean not null default false, hidden_at timestamptz,
      created_at timestamptz not null default now(), unique (order_id, item_id)
    )`.execute(db)
  await sql`create index reviews_of_item on reviews (item_id, id desc) where hidden_at is null`.execute(db)
  await sql`create index reviews_of_buyer on reviews (buyer_id, id desc) where buyer_id is not null`.execute(db)
  await sql`create index reviews_of_seller on reviews (seller_id, id desc)`.execute(db)
  await sql`create index reviews_unanswered on reviews (seller_id, id desc) where answer is null`.execute(db)
  await sql`create index reviews_photos on reviews using gin (photo_ids) where photo_ids <> '{}'`.execute(db)
  await sql`alter table items add column if not exists rating_sum integer not null default 0,
      add column if not exists rating_count integer not null default 0`.execute(db)
  await sql`
    create table refund_requests (
      id uuid primary key, order_id uuid not null unique, seller_id uuid not null, buyer_id uuid, reason text not null, text text not null,
      state text not null default 'open' check (state in ('open', 'accepted', 'refunded', 'declined')), answer text,
      decided_by text check (decided_by in ('seller', 'rule')), decided_at timestamptz, due_at timestamptz not null,
      created_at timestamptz not null default now()
    )`.execute(db)
  await sql`create index refund_requests_of_seller on refund_requests (seller_id, id desc)`.execute(db)
  await sql`create index refund_requests_open on refund_requests (seller_id, id desc) where state = 'open'`.execute(db)
  await sql`create index refund_requests_of_buyer on refund_requests (buyer_id, id) where buyer_id is not null`.execute(db)
  await sql`create index refund_requests_due on refund_requests (due_at) where state = 'open'`.execute(db)
  await sql`
    create table wishlist (
      user_id uuid not null, item_id uuid not null references items on delete cascade, created_at timestamptz not null default now(),
      primary key (user_id, item_id)
    )`.execute(db)
  await sql`create index wishlist_newest on wishlist (user_id, created_at desc, item_id desc)`.execute(db)
  await sql`create index wishlist_of_item on wishlist (item_id)`.execute(db)
  await sql`
    create table saved_searches (
      id uuid primary key, user_id uuid not null, q text not null, category text not null, mails boolean not null default true,
      seen_at timestamptz not null default now(), looked_at timestamptz not null default now(), created_at timestamptz not null default now(),
      unique (user_id, q, category)
    )`.execute(db)
  await sql`create index saved_searches_due on saved_searches (looked_at) where mails`.execute(db)
}
