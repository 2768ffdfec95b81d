import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { openDatabase } from './db.ts'
import { testDatabase } from './testing/database.ts'

test('a connection that breaks between two statements of a transaction fails the transaction and nothing else [R11]', async () => {
  const database = await testDatabase({ name: 'db', migrations: {} })
  const broken: string[] = []
  const { db } = openDatabase(database.url, 2, (error) => broken.push(error.message))
  const transaction = db.transaction().execute(async (trx) => {
    const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(trx)
    await sql`select pg_terminate_backend(${rows[0]!.pid})`.execute(db)
    await expect.poll(() => broken.length).toBeGreaterThan(0)
    await sql`select 1`.execute(trx)
  })
  await expect(transaction).rejects.toThrow()
  expect((await sql<{ one: number }>`select 1 as one`.execute(db)).rows).toEqual([{ one: 1 }])
  await db.destroy()
  await database.drop()
})
