import { type Kysely, sql } from 'kysely'
import { fill as fillVersions } from './0003_products.ts'

/** The version that an order bought, the parts of a version that never change, and a version for all that is on sale. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table profiles add column slug_version integer not null default 0`.execute(db)
  await sql`alter table orders add column version_id uuid`.execute(db)
  // The result of a scan comes after the publication. A version that is deleted takes its files along, and is gone when they go.
  await sql`
    create function version_files_are_published() returns trigger language plpgsql as $$
    declare
      version uuid := case when tg_op = 'INSERT' then new.version_id else old.version_id end;
      published timestamptz;
    begin
      select published_at into published from item_versions where id = version for share;
      if published is not null then raise exception 'version % is published', version; end if;
      if tg_op <> 'DELETE' then
        perform from files where id = new.file_id for key share;
        if not found then raise exception 'file % is not there', new.file_id; end if;
        return new;
      end if;
      return old;
    end $$`.execute(db)
  await sql`
    create trigger no_change before insert or delete or update of version_id, file_id, name, bytes, sha256, type, position on version_files
    for each row execute function version_files_are_published()`.execute(db)
  // An instance of the version before puts products on sale by is_active alone.
  await sql`
    create function item_has_version() returns trigger language plpgsql as $$
    declare made uuid;
    begin
      insert into item_versions (id, item_id, number, price_cents, currency, licence_terms, published_at)
      select gen_random_uuid(), new.id, coalesce(max(number), 0) + 1, new.price_cents, new.currency, new.licence_terms, now()
      from item_versions where item_id = new.id returning id into made;
      update items set current_version_id = made, published_at = coalesce(published_at, now()) where id = new.id;
      return null;
    end $$`.execute(db)
  await sql`
    create trigger has_version after insert or update on items for each row
    when (new.is_active and new.current_version_id is null) execute function item_has_version()`.execute(db)
}

export const indexes = { orders_of_version: 'on orders (version_id) where version_id is not null' }

/** Products that such an instance put on sale after the first fill. */
export const fill = fillVersions
