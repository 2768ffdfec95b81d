import { sql } from 'kysely'
import pg from 'pg'
import { expect, test, vi } from 'vitest'
import { newId } from '../ids.ts'
import { createLogger } from '../telemetry.ts'
import { testDatabase } from '../testing/database.ts'
import { createBullJobs } from './bullmq.ts'
import { jobsSuite } from './jobs.suite.ts'
import { openPostgresQueue } from './postgres.ts'

const log = createLogger('silent')

jobsSuite('postgres:', async () => ({ store: (databaseUrl) => openPostgresQueue(databaseUrl, log), close: async () => {} }))

test('when its connections break, the one that listens among them, the queue goes on by itself [R11]', { timeout: 30_000 }, async () => {
  const database = await testDatabase({ name: 'jobs', migrations: {} })
  const jobs = createBullJobs({
    service: 'x',
    db: database.db,
    log,
    ...openPostgresQueue(database.url, log),
    progress: async () => {},
    tellCancel: async () => {},
    onCancel: () => {},
  })
  const ran: string[] = []
  jobs.handle('x.work', async ({ id }) => void ran.push(id))
  await jobs.start()
  const add = async () => {
    const id = newId()
    await jobs.add([{ id, name: 'x.work', user_id: null, payload: {}, trace: null }])
    return id
  }
  const first = await add()
  await expect.poll(() => ran).toEqual([first])
  const { rows } = await sql<{
    n: number
  }>`select count(pg_terminate_backend(pid)) as n from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`.execute(
    database.db,
  )
  expect(rows[0]!.n).toBeGreaterThan(1)
  await expect.poll(() => add().catch(() => null)).not.toBeNull()
  await expect.poll(() => ran.length, { timeout: 10_000 }).toBeGreaterThan(1)
  const began = Date.now()
  for (let n = 0; n < 4; n++) {
    const next = await add()
    await expect.poll(() => ran).toContain(next)
  }
  // It is told again, not only polled for: that is every five seconds, and each would have waited for its turn.
  expect(Date.now() - began).toBeLessThan(5_000)
  await jobs.drain()
  await jobs.close()
  await database.drop()
})

test('workers that begin together send their statements one after another over the connection that they share', async () => {
  const database = await testDatabase({ name: 'jobs', migrations: {} })
  const queue = openPostgresQueue(database.url, log)
  const ears = await Promise.all([1, 2, 3, 4].map(() => queue.connection.connect()))
  // pg tells of a statement that is sent while others wait only once a process, so the line itself is looked at.
  const waiting: number[] = []
  const query = pg.Client.prototype.query
  vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (this: pg.Client, ...args: unknown[]) {
    waiting.push((this as unknown as { _queryQueue: unknown[] })._queryQueue.length)
    return query.apply(this, args as never) as never
  })
  await Promise.all(ears.map((ear) => ear.query('select 1')))
  expect(waiting).toEqual([0, 0, 0, 0])
  await expect(ears[0]!.query('select nothing')).rejects.toThrow('nothing')
  expect((await ears[1]!.query('select 2 as n')).rows).toEqual([{ n: 2 }])
  await queue.close()
  await database.drop()
})
