import { event, job } from '@operon/contracts/contract'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { newId } from './ids.ts'
import type { ServiceDefinition } from './service.ts'
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

let platform: TestPlatform
let ticks = 0
let mended = false
const told: any[] = []

const shop: ServiceDefinition = { name: 'crm', config: z.object({}), migrations: table('shop_probe'), setup() {} }
const depot: ServiceDefinition = {
  name: 'sandbox',
  config: z.object({}),
  migrations: table('depot_probe'),
  setup(rt) {
    rt.on(orderPaid, 'deliver', async (trx, { id, user_id, payload }) => {
      await trx.insertInto('depot_probe').values({ id, cents: payload.cents }).execute()
      await enqueue(trx, delivery, { order: id }, { userId: user_id })
    })
    rt.job(delivery, async (_ctx, { payload, progress }) => {
      await progress(50, 'packing')
      await rt.db.updateTable('depot_probe').set({ cents: -1 }).where('id', '=', payload.order).execute()
    })
    rt.job(broken, async () => {
      if (!mended) throw new Error('no van')
    })
    rt.job(tick, async () => void ticks++, { everyMs: 200 })
    rt.onBroadcast(event('sandbox.job_progress', z.any() as never, 'broadcast'), (payload) => told.push(payload))
  },
}

beforeAll(async () => {
  platform = await startTestPlatform([shop, depot])
})
afterAll(() => platform.close())

test('an event of one service becomes an effect and a job in another, whose progress its user is told', async () => {
  const { crm, sandbox } = platform.services
  const user = newId()
  const id = await inTransaction(crm!.rt.db, (trx) => publish(trx, orderPaid, user, { cents: 500 }))
  await expect
    .poll(() => sandbox!.rt.db.selectFrom('depot_probe').selectAll().where('id', '=', id).execute(), { timeout: 8000 })
    .toEqual([{ id, cents: -1 }])
  await expect
    .poll(() => told)
    .toEqual([{ user_id: user, job: expect.any(String), name: 'sandbox.probe_deliver', percent: 50, state: 'packing' }])
  await expect.poll(async () => (await sandbox!.rt.jobs.status(told[0].job))?.state).toBe('completed')
  expect((await sandbox!.ready()).failing).toEqual([])
})

test('an event that its transaction took back is never sent', async () => {
  const { crm } = platform.services
  await expect(
    inTransaction(crm!.rt.db, async (trx) => {
      await publish(trx, orderPaid, null, { cents: 700 })
      throw new Error('changed my mind')
    }),
  ).rejects.toThrow('changed my mind')
  expect(await crm!.rt.db.selectFrom('outbox').select('id').where(sql<boolean>`payload->>'cents' = '700'`).execute()).toEqual([])
})

test('a job that keeps failing is parked and can be replayed; a schedule runs', { timeout: 20_000 }, async () => {
  const { rt } = platform.services.sandbox!
  const id = await inTransaction(rt.db, (trx) => enqueue(trx, broken, {}))
  await expect
    .poll(async () => (await rt.jobs.parked()).map(({ id, error, attempts }) => ({ id, error, attempts })), { timeout: 12_000 })
    .toEqual([{ id, error: 'no van', attempts: 2 }])
  mended = true
  expect(await rt.jobs.replay(id)).toBe(true)
  await expect.poll(async () => (await rt.jobs.status(id))?.state).toBe('completed')
  await expect.poll(() => ticks).toBeGreaterThan(1)
})
