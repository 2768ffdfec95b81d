import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { completionFinished } from '@operon/contracts/ai-gateway/events'
import { activityRecorded, notificationRaised } from '@operon/contracts/analytics/events'
import { userCreated } from '@operon/contracts/identity/events'
import { newId } from '@operon/kit/ids'
import { createInfra, prepareService, type RunningService } from '@operon/kit/service'
import { createLogger } from '@operon/kit/telemetry'
import { type TestDatabase, testDatabase } from '@operon/kit/testing/database'
import { spawnNats, type TestProgram, whyAbsent } from '@operon/kit/testing/servers'
import { inTransaction, publishMany } from '@operon/kit/tx'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { analyticsService } from './service.ts'

const EVENTS = 200
const absent = await whyAbsent('nats-server')
const dataDir = mkdtempSync(join(tmpdir(), 'operon-analytics-'))
let nats: TestProgram
let database: TestDatabase
const instances: RunningService[] = []
/** The broadcasts that reach the sockets of each instance. */
const told: { id: string; user_id: string }[][] = [[], []]

beforeAll(async () => {
  if (absent) return
  nats = await spawnNats()
  database = await testDatabase(analyticsService)
  for (const heard of told) {
    const infra = await createInfra(
      { NODE_ENV: 'test', DATABASE_URL_ANALYTICS: database.url, BUS_URL: nats.url, DATA_DIR: dataDir },
      { log: createLogger('error') },
    )
    const setup: typeof analyticsService.setup = async (rt) => {
      await analyticsService.setup(rt)
      rt.onBroadcast(activityRecorded, (payload) => void heard.push(payload))
      rt.onBroadcast(notificationRaised, (payload) => void heard.push(payload))
    }
    instances.push(await prepareService({ ...analyticsService, setup }, infra))
  }
  for (const instance of instances) await instance.start()
})
afterAll(async () => {
  for (const instance of instances) await instance.drain()
  for (const instance of instances) await instance.close()
  await database?.drop()
  await nats?.stop()
  rmSync(dataDir, { recursive: true, force: true })
})

test.skipIf(absent)(
  `${absent ? `skipped: ${absent}: ` : ''}two instances under load keep each event once, and each tells every socket once`,
  { timeout: 60_000 },
  async () => {
    const [ann, bob] = [newId(), newId()]
    const completion = (n: number) => ({
      feature: 'chat',
      command: `Question ${n}`,
      model: 'gpt-4o-mini',
      answered_by: 'gpt-4o-mini',
      status: 'completed' as const,
      prompt_tokens: 1,
      completion_tokens: 1,
      cost_microusd: 1,
      duration_ms: 1,
    })
    const { db } = instances[0]!.rt
    await inTransaction(db, async (trx) => {
      const of = Array.from({ length: EVENTS }, (_, n) => ({ userId: n % 2 ? ann : bob, payload: completion(n) }))
      await publishMany(trx as never, completionFinished, of)
      const person = { email: 'ann@example.com', name: 'Ann', referral_code: null, role: null, version: 1 }
      await publishMany(trx as never, userCreated, [{ userId: ann, payload: person }])
    })
    const heard = () => told.map((each) => each.filter(({ user_id }) => [ann, bob].includes(user_id)))
    await expect.poll(() => heard().map((each) => each.length), { timeout: 45_000 }).toEqual([EVENTS + 3, EVENTS + 3])
    for (const each of heard()) expect(new Set(each.map(({ id }) => id)).size).toBe(EVENTS + 3)
    const count = async (table: string) =>
      (await database.db.selectFrom(table).select('user_id').where('user_id', 'in', [ann, bob]).execute()).length
    expect([await count('facts'), await count('activity_logs'), await count('notifications')]).toEqual([EVENTS + 1, EVENTS, 3])
  },
)
