import { job } from '@operon/contracts/contract'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { Bus } from '../bus/bus.ts'
import { connectRedis } from '../cache/redis.ts'
import { newId } from '../ids.ts'
import { createMetrics } from '../metrics.ts'
import { resendLostJobs, startRelay } from '../outbox.ts'
import { createLogger } from '../telemetry.ts'
import { testDatabase } from '../testing/database.ts'
import { insert } from '../testing/rows.ts'
import { spawnRedis, whyAbsent } from '../testing/servers.ts'
import { enqueue, inTransaction } from '../tx.ts'
import { createBullJobs } from './bullmq.ts'
import { openRedisQueue } from './redis.ts'

const log = createLogger('silent')
const absent = await whyAbsent('redis-server')
const chore = job('x.chore', z.object({ n: z.int() }))
const deaf = { progress: async () => {}, tellCancel: async () => {}, onCancel: () => {} }
const noBus = { ready: () => true, lag: async () => ({}) } as unknown as Bus

describe.skipIf(absent)(absent ? `skipped: ${absent}` : 'redis: under faults', () => {
  test('Redis is killed, then emptied: every job that was asked for still runs, and none twice [R9]', { timeout: 40_000 }, async () => {
    const server = await spawnRedis()
    const database = await testDatabase({ name: 'jobs', migrations: {} })
    const store = await openRedisQueue(server.url, log)
    const jobs = createBullJobs({
      service: 'x',
      db: database.db,
      log,
      ...store,
      progress: async () => {},
      tellCancel: async () => {},
      onCancel: () => {},
    })
    const ran: string[] = []
    jobs.handle(chore.name, async ({ id }) => void ran.push(id))
    await jobs.start()
    const relay = startRelay({ db: database.db, bus: noBus, jobs, log, metrics: createMetrics(), service: 'x' })
    const ask = (count: number) =>
      inTransaction(database.db, async (trx) => {
        const ids: string[] = []
        for (let n = 0; n < count; n++) ids.push(await enqueue(trx, chore, { n }))
        return ids
      })
    const unsent = async () => (await database.db.selectFrom('outbox').select('id').where('sent_at', 'is', null).execute()).length

    const first = await ask(20)
    await expect.poll(() => ran.length, { timeout: 10_000 }).toBe(20)
    await server.kill()
    await expect.poll(() => jobs.ready()).toBe(false)
    const away = await ask(20)
    await server.restart()
    await expect.poll(() => ran.length, { timeout: 10_000 }).toBe(40)

    // Handed over while no worker takes them, then forgotten.
    await jobs.drain()
    const forgotten = await ask(10)
    await expect.poll(unsent).toBe(0)
    const redis = await connectRedis(server.url, log, 'cache')
    await redis.flushall()
    redis.disconnect()
    const next = createBullJobs({
      service: 'x',
      db: database.db,
      log,
      ...(await openRedisQueue(server.url, log)),
      progress: async () => {},
      tellCancel: async () => {},
      onCancel: () => {},
    })
    next.handle(chore.name, async ({ id }) => void ran.push(id))
    await next.start()
    expect(await resendLostJobs(database.db, next, 0)).toBe(10)
    await expect.poll(() => ran.length, { timeout: 10_000 }).toBe(50)
    await expect.poll(() => resendLostJobs(database.db, next, 0)).toBe(0)
    expect(ran.sort()).toEqual([...first, ...away, ...forgotten].sort())

    await relay.stop()
    await next.drain()
    await next.close()
    await jobs.close()
    await database.drop()
    await server.stop()
  })
  test('a Redis that is emptied while all runs: lost jobs and schedules are there again within seconds [R9]', {
    timeout: 30_000,
  }, async () => {
    const server = await spawnRedis()
    const database = await testDatabase({ name: 'jobs', migrations: {} })
    const jobs = createBullJobs({ service: 'z', db: database.db, log, ...(await openRedisQueue(server.url, log)), ...deaf })
    const ran: string[] = []
    let ticks = 0
    jobs.handle(chore.name, async ({ id }) => void ran.push(id))
    jobs.handle('z.tick', async () => void ticks++)
    jobs.schedule('z.tick', { everyMs: 300 })
    await jobs.start()
    const relay = startRelay({ db: database.db, bus: noBus, jobs, log, metrics: createMetrics(), service: 'z' })
    await expect.poll(() => ticks, { timeout: 10_000 }).toBeGreaterThan(1)
    const rows = Array.from({ length: 5 }, () => ({ id: newId(), kind: 'job', name: chore.name, payload: '{"n":1}', sent_at: new Date() }))
    const redis = await connectRedis(server.url, log, 'cache')
    await redis.flushall()
    redis.disconnect()
    // Marked as handed over just now, and the queue has none of them.
    await insert(database.db, 'outbox', rows as never)
    const before = ticks
    await expect.poll(() => ran.length).toBe(5)
    await expect.poll(() => ticks).toBeGreaterThan(before + 1)
    await relay.stop()
    await jobs.drain()
    await jobs.close()
    await database.drop()
    await server.stop()
  })
  test('a service whose Redis is away still ends in time', { timeout: 30_000 }, async () => {
    const server = await spawnRedis()
    const database = await testDatabase({ name: 'jobs', migrations: {} })
    const jobs = createBullJobs({ service: 'y', db: database.db, log, ...(await openRedisQueue(server.url, log)), ...deaf })
    jobs.handle(chore.name, async () => {})
    await jobs.start()
    await server.kill()
    await expect.poll(() => jobs.ready()).toBe(false)
    const began = Date.now()
    await jobs.drain()
    await jobs.close()
    expect(Date.now() - began).toBeLessThan(10_000)
    await database.drop()
    await server.stop()
  })
})
