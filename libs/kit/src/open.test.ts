import { text } from 'node:stream/consumers'
import { event, job } from '@operon/contracts/contract'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { newId } from './ids.ts'
import type { ServiceDefinition } from './service.ts'
import { insert, update } from './testing/rows.ts'
import { spawnNats, spawnRedis, startS3, whyAbsent } from './testing/servers.ts'
import { startTestPlatform, type TestPlatform } from './testing/service.ts'
import { enqueue, inTransaction, publish } from './tx.ts'

const orderPaid = event('crm.probe_paid', z.object({ cents: z.int() }))
const delivery = job('sandbox.probe_deliver', z.object({ order: z.uuid() }))
const broken = job('sandbox.probe_break', z.object({}), { attempts: 2 })
const tick = job('sandbox.probe_tick', z.object({}))
const table = (name: string) => ({
  '0001_probe': {
    up: (db: any) =>
      sql
        .raw(`create table ${name} (id uuid, cents int)`)
        .execute(db)
        .then(() => {}),
  },
})

type World = { platform: TestPlatform; ticks: number; mended: boolean; told: any[] }

const shop: ServiceDefinition = { name: 'crm', config: z.object({}), migrations: table('shop_probe'), setup() {} }
const depot = (world: World): ServiceDefinition => ({
  name: 'sandbox',
  config: z.object({}),
  migrations: table('depot_probe'),
  setup(rt) {
    rt.on(orderPaid, 'deliver', async (trx, { id, user_id, payload }) => {
      await insert(trx, 'depot_probe', { id, cents: payload.cents })
      await enqueue(trx, delivery, { order: id }, { userId: user_id })
    })
    rt.job(delivery, async (_ctx, { payload, progress }) => {
      await progress(50, 'packing')
      await update(rt.db, 'depot_probe', { id: payload.order }, { cents: -1 })
    })
    rt.job(broken, async () => {
      if (!world.mended) throw new Error('no van')
    })
    rt.job(tick, async () => void world.ticks++, { everyMs: 200 })
    rt.onBroadcast(event('sandbox.job_progress', z.any() as never, { delivery: 'broadcast' }), (payload) => world.told.push(payload))
  },
})

/** The same services, whatever carries their events, jobs and files. */
function platformSuite(title: string, backing: () => Promise<{ env: Record<string, string>; stop(): Promise<unknown> }>) {
  describe(title, () => {
    const world: World = { platform: null as never, ticks: 0, mended: false, told: [] }
    let stop: () => Promise<unknown>

    beforeAll(async () => {
      const { env, stop: stopBacking } = await backing()
      stop = stopBacking
      world.platform = await startTestPlatform([shop, depot(world)], env)
    })
    afterAll(async () => {
      await world.platform.close()
      await stop()
    })

    test('an event of one service becomes an effect and a job in another, whose progress its user is told', async () => {
      const { crm, sandbox } = world.platform.services
      const user = newId()
      const id = await inTransaction(crm!.rt.db, (trx) => publish(trx, orderPaid, user, { cents: 500 }))
      await expect
        .poll(() => sandbox!.rt.db.selectFrom('depot_probe').selectAll().where('id', '=', id).execute(), { timeout: 8000 })
        .toEqual([{ id, cents: -1 }])
      const told = () => world.told.filter(({ user_id }) => user_id === user)
      await expect
        .poll(told)
        .toEqual([{ user_id: user, job: expect.any(String), name: 'sandbox.probe_deliver', percent: 50, state: 'packing' }])
      await expect.poll(async () => (await sandbox!.rt.jobs.status(told()[0].job))?.state).toBe('completed')
      expect((await sandbox!.ready()).failing).toEqual([])
    })

    test('an event that its transaction took back is never sent', async () => {
      const { crm } = world.platform.services
      await expect(
        inTransaction(crm!.rt.db, async (trx) => {
          await publish(trx, orderPaid, null, { cents: 700 })
          throw new Error('changed my mind')
        }),
      ).rejects.toThrow('changed my mind')
      expect(await crm!.rt.db.selectFrom('outbox').select('id').where(sql<boolean>`payload->>'cents' = '700'`).execute()).toEqual([])
    })

    test('a job that keeps failing is parked and can be replayed; a schedule runs', { timeout: 20_000 }, async () => {
      const { rt } = world.platform.services.sandbox!
      world.mended = false
      const id = await inTransaction(rt.db, (trx) => enqueue(trx, broken, {}))
      await expect
        .poll(async () => (await rt.jobs.parked()).map(({ id, error, attempts }) => ({ id, error, attempts })), { timeout: 12_000 })
        .toContainEqual({ id, error: 'no van', attempts: 2 })
      world.mended = true
      expect(await rt.jobs.replay(id)).toBe(true)
      await expect.poll(async () => (await rt.jobs.status(id))?.state).toBe('completed')
      await expect.poll(() => world.ticks).toBeGreaterThan(1)
    })

    test('a file is kept and served through its signed link; the cache counts', async () => {
      const { rt } = world.platform.services.sandbox!
      await rt.storage.put('probe/a.txt', Buffer.from('kept'), { contentType: 'text/plain' })
      expect(await text((await rt.storage.get('probe/a.txt')).body)).toBe('kept')
      const link = new URL(rt.storage.signedUrl('probe/a.txt', { expiresInS: 60 }))
      expect(await (await fetch(world.platform.url('sandbox') + link.pathname + link.search)).text()).toBe('kept')
      const bucket = newId()
      expect(await rt.cache.take(bucket, 1, 60_000)).toMatchObject({ ok: true })
      expect(await world.platform.services.crm!.rt.cache.take(bucket, 1, 60_000)).toMatchObject({ ok: false })
    })
  })
}

platformSuite('all in one process: local:, postgres:, file:, memory:', async () => ({ env: {}, stop: async () => {} }))

const absent = await whyAbsent('nats-server', 'redis-server')
describe.skipIf(absent)(absent ? `skipped: ${absent}` : 'with brokers', () => {
  platformSuite('a fleet: nats:, redis:, s3:, redis:', async () => {
    const [nats, redis, s3] = await Promise.all([spawnNats(), spawnRedis(), startS3()])
    return {
      env: { BUS_URL: nats.url, QUEUE_URL: redis.url, CACHE_URL: redis.url, STORAGE_URL: s3.url },
      stop: () => Promise.all([nats.stop(), redis.stop(), s3.stop()]),
    }
  })
})
