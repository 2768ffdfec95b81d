import { type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely'

type Pieces = { signal?: AbortSignal; piece?: number; pieces?: number }

/** Rows found by one look: each look passes the dead ones that the pieces before it left, so that few looks read little. */
const FOUND = 20_000

/**
 * Deletes what a condition finds by an index, in short transactions that hold up nobody, and not for ever: what is left goes with the next run.
 * Says how many rows went.
 */
export async function deleteInPieces(
  db: Kysely<any>,
  table: string,
  where: RawBuilder<SqlBool>,
  { signal, piece = 1_000, pieces = 200 }: Pieces = {},
): Promise<number> {
  const name = sql.table(table)
  let gone = 0
  for (let left = piece * pieces; left > 0 && !signal?.aborted; ) {
    const limit = Math.min(left, FOUND)
    const { rows } = await sql<{ at: string }>`select ctid::text as at from ${name} where ${where} limit ${limit}`.execute(db)
    for (let n = 0; n < rows.length && !signal?.aborted; n += piece) {
      const places = rows.slice(n, n + piece).map(({ at }) => at)
      // The condition once more: a row may have moved since, and another may stand in its place.
      const { numAffectedRows } = await sql`
        delete from ${name} where ctid = any(array(
          select ctid from ${name} where ctid = any(${places}::text[]::tid[]) and (${where}) for update skip locked))`.execute(db)
      gone += Number(numAffectedRows ?? 0)
    }
    if (rows.length < limit) break
    left -= limit
  }
  return gone
}
