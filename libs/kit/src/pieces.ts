import { type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely'

type Pieces = { signal?: AbortSignal; piece?: number; pieces?: number }

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
  let gone = 0
  for (let n = 0; n < pieces && !signal?.aborted; n++) {
    const { numAffectedRows } = await sql`
      delete from ${sql.table(table)} where ctid = any(array(
        select ctid from ${sql.table(table)} where ${where} limit ${piece} for update skip locked))`.execute(db)
    gone += Number(numAffectedRows ?? 0)
    if (Number(numAffectedRows ?? 0) < piece) break
  }
  return gone
}
