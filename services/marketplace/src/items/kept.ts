import { type SqlBool, sql } from 'kysely'

/** Files of the products' versions: what is on sale or was sold must not go with an upload. */
export const inVersion = sql<SqlBool>`exists (select from version_files v where v.file_id = files.id)`

// A checkout that is open may still be paid for a day.
const sold = sql`(o.state = 'delivered' or o.state = 'open' and o.created_at > now() - interval '2 days')`

/** Items that buyers keep, even when the seller is gone. */
export const soldVersion = sql<SqlBool>`exists (select from orders o where o.version_id = item_versions.id and ${sold})`
export const soldItem = sql<SqlBool>`exists (
  select from item_versions v join orders o on o.version_id = v.id where v.item_id = items.id and ${sold})`
export const soldFile = sql<SqlBool>`exists (
  select from version_files v join orders o on o.version_id = v.version_id where v.file_id = files.id and ${sold})`
