import { type Kysely, sql } from 'kysely'

/** Data of the public pages: the words of a product, its place among the newest, and former addresses. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function item_words(title text, summary text, description text, category text, item_type text) returns tsvector
    language sql immutable parallel safe
    return to_tsvector('simple', title || ' ' || summary || ' ' || category || ' ' || item_type || ' ' || left(description, 4000))`.execute(
    db,
  )
  // Kept with the row: a search that has to look at many products would otherwise take each description apart.
  await sql`
    alter table items add column words tsvector
    generated always as (item_words(title, summary, description, category, item_type)) stored`.execute(db)
  await sql`
    create table left_slugs (slug text primary key, user_id uuid not null, left_at timestamptz not null default now())`.execute(db)
  await sql`create index left_slugs_of_user on left_slugs (user_id, slug)`.execute(db)
  await sql`
    create table left_item_slugs (
      user_id uuid not null, slug text not null, item_id uuid not null references items on delete cascade,
      left_at timestamptz not null default now(), primary key (user_id, slug)
    )`.execute(db)
  await sql`create index left_item_slugs_of_item on left_item_slugs (item_id)`.execute(db)
  // A trigger, so that every way to another slug keeps the old one.
  await sql`
    create function keep_left_slug() returns trigger language plpgsql as $$
    begin
      if new.deleted_at is null then
        insert into left_slugs (slug, user_id) values (old.marketplace_slug, old.user_id)
        on conflict (slug) do update set user_id = excluded.user_id, left_at = now();
      end if;
      return new;
    end $$`.execute(db)
  await sql`
    create trigger left_slug after update of marketplace_slug on profiles for each row
    when (old.marketplace_slug is not null and old.marketplace_slug is distinct from new.marketplace_slug)
    execute function keep_left_slug()`.execute(db)
  await sql`
    create function keep_left_item_slug() returns trigger language plpgsql as $$
    begin
      insert into left_item_slugs (user_id, slug, item_id) values (old.user_id, old.slug, old.id)
      on conflict (user_id, slug) do update set item_id = excluded.item_id, left_at = now();
      return new;
    end $$`.execute(db)
  await sql`
    create trigger left_item_slug after update of slug on items for each row
    when (old.slug is not null and old.slug is distinct from new.slug)
    execute function keep_left_item_slug()`.execute(db)
}

export const indexes = {
  items_listed: 'on items (coalesce(published_at, created_at) desc, id desc) where is_active',
  items_listed_of_user: 'on items (user_id, coalesce(published_at, created_at) desc, id desc) where is_active',
  items_listed_of_category: 'on items (category, coalesce(published_at, created_at) desc, id desc) where is_active',
  items_words: 'on items using gin (words) where is_active',
}
