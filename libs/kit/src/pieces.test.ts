import { sql } from 'kysely'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { deleteInPieces } from './pieces.ts'
import { type TestDatabase, testDatabase } from './testing/database.ts'

const database: TestDatabase = await testDatabase({ name: 'kit-pieces', migrations: {} })
const { db } = database
afterAll(() => database.drop())

const old = sql<boolean>`age > 30`
beforeEach(async () => {
  await sql`drop table if exists notes`.execute(db)
  await sql`create table notes (id int primary key, age int not null, body text not null default repeat('-', 1000)) with (autovacuum_enabled = off)`.execute(
    db,
  )
  await sql`create index on notes (age)`.execute(db)
  await sql`insert into notes select n, case when n <= 3000 then 31 else 1 end from generate_series(1, 6000) n`.execute(db)
  // Where many are old the planner reads the table from its start, as it does after a long outage.
  await sql`analyze notes`.execute(db)
})
const countOf = async (where = sql<boolean>`true`) =>
  Number((await sql<{ n: string }>`select count(*) as n from notes where ${where}`.execute(db)).rows[0]!.n)

test('what is old goes piece by piece, what is young stays, and a run ends after so many pieces', async () => {
  expect(await deleteInPieces(db, 'notes', old, { piece: 100, pieces: 7 })).toBe(700)
  expect(await deleteInPieces(db, 'notes', old, { piece: 100 })).toBe(2300)
  expect([await countOf(old), await countOf()]).toEqual([0, 3000])
})

test('a row that somebody holds is left for the next run, and nobody waits for it', async () => {
  await db.transaction().execute(async (trx) => {
    await sql`select from notes where id = 5 for update`.execute(trx)
    expect(await deleteInPieces(db, 'notes', old, { piece: 100 })).toBe(2999)
  })
  expect(await deleteInPieces(db, 'notes', old)).toBe(1)
})

test('pieces do not pass again and again what the ones before them left dead', async () => {
  const before = await blocks()
  await deleteInPieces(db, 'notes', old, { piece: 10, pieces: 1_000 })
  const read = (await blocks()) - before
  expect(await countOf(old)).toBe(0)
  // Four blocks a row; a look for each piece came to 25.
  expect(read).toBeLessThan(10 * 3000)
})

/** Blocks of the table that were looked at. */
async function blocks(): Promise<number> {
  await sql`select pg_stat_force_next_flush()`.execute(db)
  const { rows } = await sql<{ n: string }>`
    select heap_blks_read + heap_blks_hit as n from pg_statio_user_tables where relname = 'notes'`.execute(db)
  return Number(rows[0]!.n)
}
