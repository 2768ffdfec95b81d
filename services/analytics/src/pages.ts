import { DomainError } from '@operon/kit/errors'
import { type RawBuilder, type SqlBool, sql } from 'kysely'

// Pages of rows with `created_at` and `id`, newest first. A cursor is the last row's place, so that new rows move nothing.

export const cursorOf = (row: { created_at: Date; id: string }): string => `${row.created_at.getTime()}_${row.id}`

export function olderThan(cursor: string | null | undefined): RawBuilder<SqlBool> {
  if (!cursor) return sql`true`
  const [, at, id] = /^(\d{1,15})_([0-9a-f-]{36})$/.exec(cursor) ?? []
  if (!at || !id) throw new DomainError('invalid', { message: 'cursor: use the one that the page before came with' })
  return sql`(created_at, id) < (to_timestamp(${Number(at) / 1000}), ${id}::uuid)`
}

/** One more row than the page holds says that there is another page. */
export function pageOf<R extends { created_at: Date; id: string }>(rows: R[], limit: number): { rows: R[]; cursor: string | null } {
  const page = rows.slice(0, limit)
  return { rows: page, cursor: rows.length > limit ? cursorOf(page.at(-1)!) : null }
}
