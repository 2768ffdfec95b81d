import { type Kysely, sql } from 'kysely'

/** A product's state and address, and its versions, which never change once they are published. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table items
      add column slug text check (slug ~ '^[a-z0-9][a-z0-9-]{0,79}$'),
      add column status text not null default 'draft' check (status in ('draft', 'active', 'archived')),
      add column kind text not null default 'template' check (kind in ('template', 'file', 'prompt_pack', 'service')),
      add column summary text not null default '', add column licence_terms text not null default '',
      add column image_ids uuid[] not null default '{}', add column current_version_id uuid,
      add column published_at timestamptz, add column updated_at timestamptz not null default now(), add column suspended_at timestamptz`.execute(
    db,
  )
  // The specified reads ask for is_active, and an instance of the version before writes nothing else.
  await sql`
    create function item_status_in_step() returns trigger language plpgsql as $$
    begin
      if tg_op = 'INSERT' then
        if new.is_active then new.status := 'active'; end if;
      elsif new.status = old.status and new.is_active <> old.is_active and new.suspended_at is not distinct from old.suspended_at then
        new.status := case when new.is_active then 'active' else 'draft' end;
      end if;
      new.is_active := new.status = 'active' and new.suspended_at is null;
      return new;
    end $$`.execute(db)
  await sql`create trigger status_in_step before insert or update on items for each row execute function item_status_in_step()`.execute(db)
  await sql`
    create table item_versions (
      id uuid primary key, item_id uuid not null references items on delete cascade, number integer not null check (number > 0),
      notes text not null default '', price_cents integer not null check (price_cents >= 0), currency text not null,
      licence_terms text not null default '', activation_limit integer check (activation_limit > 0), manifest jsonb,
      created_at timestamptz not null default now(), published_at timestamptz, unique (item_id, number)
    )`.execute(db)
  await sql`create unique index item_versions_draft on item_versions (item_id) where published_at is null`.execute(db)
  await sql`
    create table version_files (
      version_id uuid not null references item_versions on delete cascade, file_id uuid not null, name text not null, bytes bigint not null,
      sha256 text not null, type text not null, scan text not null default 'none' check (scan in ('none', 'clean', 'infected')),
      position integer not null, primary key (version_id, file_id)
    )`.execute(db)
  await sql`create index version_files_of_file on version_files (file_id)`.execute(db)
  await sql`
    create function version_is_published() returns trigger language plpgsql as $$
    begin
      raise exception 'version % is published', old.id;
    end $$`.execute(db)
  await sql`
    create trigger no_change before update on item_versions
    for each row when (old.published_at is not null) execute function version_is_published()`.execute(db)
}

export const indexes = { items_slug: 'unique on items (user_id, slug) where slug is not null' }

const PIECE = 1_000

/** Items on sale already have their price and terms as version 1. */
export async function fill(db: Kysely<unknown>): Promise<void> {
  let after: string | undefined = '00000000-0000-0000-0000-000000000000'
  while (after) after = await fillPiece(db, after)
}

async function fillPiece(db: Kysely<unknown>, after: string): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`
    with piece as (select * from items where id > ${after} order by id limit ${PIECE} for update),
    made as (
      insert into item_versions (id, item_id, number, price_cents, currency, published_at)
      select gen_random_uuid(), id, 1, price_cents, currency, created_at from piece where is_active and current_version_id is null
      on conflict do nothing returning id, item_id, published_at
    ),
    told as (
      update items set status = 'active', current_version_id = made.id, published_at = made.published_at
      from made where items.id = made.item_id
    )
    select id from piece order by id desc limit 1`.execute(db)
  return rows[0]?.id
}
