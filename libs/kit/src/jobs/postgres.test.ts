import { sql } from 'kysely'
import { expect, test } from 'vitest'
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
