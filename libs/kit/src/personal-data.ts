import type { Erasing } from '@operon/contracts/erasure'
import { exportUser } from '@operon/contracts/personal-data'
import { type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely'
import { userIdOf } from './context.ts'
import { DomainError } from './errors.ts'
import type { Runtime } from './service.ts'

/** A table that holds something of a person, as `t`. */
export type Holding = {
  table: string
  /** The name that the person sees; the table's own when absent. */
  as?: string
  /** Selects the person's rows; those with their `user_id` when absent. */
  of?: (userId: string) => RawBuilder<SqlBool>
  /** A uuid column to go on from that no two rows share, `id` when absent; WHOLE_ROW where there is none; null where a person has a handful of rows. */
  key?: string | typeof WHOLE_ROW | null
  /** Columns that are left out: hashes, secrets, another person's id. */
  without?: readonly string[]
  /** A json object of what belongs to the row and stands elsewhere. */
  plus?: RawBuilder<unknown>
}

/** Goes on by a digest of the row: each piece reads all of the person's rows, so it is for tables of thousands, not of millions. */
export const WHOLE_ROW = Symbol('the whole row')
/** As a uuid of version 8, which is for whatever one makes. */
const DIGEST = sql`overlay(overlay(md5(t::text) placing '8' from 13) placing '8' from 17)::uuid`
const ROWS = 500
/** Fewer pieces, since each reads all. */
const ROWS_BY_DIGEST = 4_000
// Well below what a broker carries; a single row is bounded by what a request may hold.
const BYTES = 512 * 1024

/** Where to read on, and what was read there. */
export type Place = { part: number; after: string | null }
export type HeldPiece = { name: string; rows: Record<string, unknown>[]; next: Place | null }

/** Answers, piece by piece, what these tables hold about a person. */
export function exportsPeople(rt: Runtime<any>, holdings: readonly Holding[]): void {
  rt.answer(exportUser(rt.name as Erasing), async ({ db, actor }, { user_id: userId, from }) => {
    if (actor.kind !== 'service' && userIdOf(actor) !== userId) throw new DomainError('not_found')
    return readHeld(db, holdings, userId, from)
  })
}

/** The next rows of a person from this place on, as many as an answer may carry. */
export async function readHeld(db: Kysely<any>, holdings: readonly Holding[], userId: string, from: Place | null): Promise<HeldPiece> {
  const { part, after } = from ?? { part: 0, after: null }
  const holding = holdings[part]
  if (!holding) return { name: '', rows: [], next: null }
  const piece = await readPiece(db, holding, userId, after)
  const following = part + 1 < holdings.length ? { part: part + 1, after: null } : null
  return { name: holding.as ?? holding.table, rows: piece.rows, next: piece.more ? { part, after: piece.last } : following }
}

async function readPiece(
  db: Kysely<any>,
  { table, of = byUserId, key = 'id', without = [], plus }: Holding,
  userId: string,
  after: string | null,
) {
  const column = key === null ? sql`null::uuid` : key === WHOLE_ROW ? DIGEST : sql.ref(`t.${key}`)
  const limit = key === null ? null : key === WHOLE_ROW ? ROWS_BY_DIGEST : ROWS
  const { rows } = await sql<{ at: string; row: Record<string, unknown> }>`
    select ${column} as at, to_jsonb(t) - ${sql.val(without)}::text[] || ${plus ?? sql`'{}'`}::jsonb as row from ${sql.table(table)} t
    where (${of(userId)}) ${key !== null && after ? sql`and ${column} > ${after}` : sql``} order by 1 limit ${limit}`.execute(db)
  if (key === null) return { rows: rows.map(({ row }) => row), last: null, more: false }
  // The next piece would begin after all that share a key, and leave some out.
  if (new Set(rows.map(({ at }) => at)).size < rows.length) throw new Error(`rows of ${table} share a key, so an export would lose some`)
  const taken = asMuchAsFits(rows)
  return { rows: taken.map(({ row }) => row), last: taken.at(-1)?.at ?? null, more: taken.length < rows.length || rows.length === limit }
}

/** At least one, so that the next piece goes on. */
function asMuchAsFits<R extends { row: unknown }>(rows: R[]): R[] {
  let bytes = 0
  for (const [at, { row }] of rows.entries()) {
    bytes += JSON.stringify(row).length
    if (at > 0 && bytes > BYTES) return rows.slice(0, at)
  }
  return rows
}

const byUserId = (userId: string) => sql<SqlBool>`t.user_id = ${userId}`
