import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { z } from 'zod'
import { notUnderstood } from './errors.ts'
import type { Order, Query } from './query.ts'
import { type Columns, literal, present } from './values.ts'

/** The columns that a page goes on from: those of its order and the id, all in one direction, none of them ever null. */
export type Keyset = { columns: string[]; descending: boolean }

const Place = z.array(z.string().max(4_000)).max(11)

/** Null where the order cannot be continued from a row: pages go by offset then. */
export function keysetOf(order: Order[], columns: Columns, required: ReadonlySet<string>): Keyset | null {
  const [first] = order
  if (!first || !required.has('id')) return null
  const names = [...new Set([...order.map(({ column }) => column), 'id'])]
  const isSteady = names.every((column) => required.has(column) && columns[column] !== 'json')
  return isSteady && order.every(({ descending }) => descending === first.descending)
    ? { columns: names, descending: first.descending }
    : null
}

export const cursorOf = (keyset: Keyset, columns: Columns, row: Record<string, unknown>): string =>
  Buffer.from(JSON.stringify(keyset.columns.map((column) => String(present(columns[column]!, row[column]))))).toString('base64url')

/** Rows behind the place that a cursor names. */
export function behind(keyset: Keyset | null, columns: Columns, { cursor }: Query): RawBuilder<SqlBool> {
  if (cursor === null) return sql<SqlBool>`true`
  if (!keyset) throw notUnderstood('A cursor needs an order by columns that are never null, in one direction.')
  const place = readPlace(cursor)
  if (place?.length !== keyset.columns.length) throw notUnderstood('The cursor does not fit this order: use the one of the page before.')
  const names = keyset.columns.map((column) => sql.ref(`row.${column}`))
  const values = place.map((value, at) => sql`${literal(columns[keyset.columns[at]!]!, value)}`)
  return sql<SqlBool>`(${sql.join(names)}) ${keyset.descending ? sql`<` : sql`>`} (${sql.join(values)})`
}

function readPlace(cursor: string): string[] | null {
  try {
    return Place.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString()))
  } catch {
    return null
  }
}
