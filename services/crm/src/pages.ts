import { type RawBuilder, sql } from 'kysely'

/**
 * So many of those that come first are looked through before an index is asked for all that fit: a filter that fits everything must not read
 * everything, and one that fits what comes last must not walk there. What one of a hundred has fills a page of fifty among them.
 */
const FIRST = 5_000

/** The ids of a page of `among`, which has the table, the account and where the page begins, with a filter for which PostgreSQL's estimate may be far off. */
export function idsThatFit(
  { table, alias, among, fits }: { table: string; alias: string; among: RawBuilder<unknown>; fits: RawBuilder<unknown> },
  { by, direction, most }: { by: RawBuilder<unknown>; direction: RawBuilder<unknown>; most: number },
) {
  const [rows, row] = [sql.table(table), sql.table(alias)]
  const id = sql.ref(`${alias}.id`)
  const inOrder = sql`order by ${by} ${direction}, ${id} ${direction}`
  return sql`
    with first as materialized (
      select ${id} from (select ${row}.* from ${rows} ${row} where ${among} ${inOrder} limit ${FIRST}) ${row} where ${fits} ${inOrder} limit ${most}),
    ever as materialized (
      select ${id}, ${by} as by from ${rows} ${row} where (select count(*) from first) < ${most} and ${among} and ${fits})
    select id from first union (select id from ever order by by ${direction}, id ${direction} limit ${most})`
}
