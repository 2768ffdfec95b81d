import { type SqlBool, sql } from 'kysely'

/** Files of the products' versions: what is on sale or was sold must not go with an upload. */
export const inVersion = sql<SqlBool>`exists (select from version_files v where v.file_id = files.id)`

// A checkout that is open may still be paid for a day.
const sold = sql`(o.state = 'delivered' or o.state = 'open' and o.created_at > now() - interval '2 days')`

/** Items that buyers keep, even when the seller is gone. */
export const soldVersion = sql<SqlBool>`(
  exists (select from order_lines l join orders o on o.id = l.order_id where l.version_id = item_versions.id and ${sold})
  or exists (select from order_lines l join orders o on o.id = l.order_id where l.kept_version_id = item_versions.id and ${sold}))`
export const soldItem = sql<SqlBool>`exists (
  select from order_lines l join orders o on o.id = l.order_id where l.item_id = items.id and ${sold})`
export const soldFile = sql<SqlBool>`exists (
  select from version_files v join item_versions on item_versions.id = v.version_id where v.file_id = files.id and ${soldVersion})`
