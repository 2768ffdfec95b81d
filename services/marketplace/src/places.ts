import { type RawBuilder, sql } from 'kysely'

// A page of a list ends at a time, to the microsecond, and an id.

export const microsOf = (at: RawBuilder<unknown>) => sql<string>`(extract(epoch from ${at}) * 1000000)::bigint::text`

export const cursorOf = ({ at, id }: { at: string; id: string }) => Buffer.from(`${at}|${id}`).toString('base64url')

/** Rows that come after the place, newest first. Anything else than what a page said begins at the start: null. */
export function isAfter(cursor: string, at: RawBuilder<unknown>, id: RawBuilder<unknown>): RawBuilder<unknown> | null {
  const said = /^(\d{1,16})\|([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/.exec(Buffer.from(cursor, 'base64url').toString())
  return said && sql`(${at}, ${id}) < ('epoch'::timestamptz + ${said[1]} * interval '1 microsecond', ${said[2]}::uuid)`
}
