import { usageRecorded } from '@operon/contracts/usage'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import type { Ctx } from './context.ts'
import { idempotent } from './idempotency.ts'
import { newId } from './ids.ts'
import { reserve, settleAbandoned } from './meter.ts'
import { createLogger } from './telemetry.ts'
import { type TestDatabase, testDatabase } from './testing/database.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await testDatabase({ name: 'clock', migrations: {} })
})
afterEach(() => void vi.useRealTimers())
afterAll(() => database.drop())

/** As in a process whose clock runs a quarter of an hour ahead of the others'. */
const runAhead = () => vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 16 * 60_000 })

test('an instance whose clock runs ahead does not take over a call that is running elsewhere [R17]', async () => {
  const ctx = { db: database.db, actor: { kind: 'anonymous' }, ip: '127.0.0.1', log: createLogger('silent') } as unknown as Ctx
  const runs: string[] = []
  let finish = () => {}
  const call = (who: string, run: () => Promise<string>) =>
    idempotent(ctx, {
      scope: '/x',
      key: 'one',
      input: {},
      run: () => {
        runs.push(who)
        return run()
      },
    })
  const first = call('first', () => new Promise((resolve) => (finish = () => resolve('done'))))
  await vi.waitFor(() => expect(runs).toEqual(['first']))
  runAhead()
  await expect(call('second', async () => 'twice')).rejects.toMatchObject({ code: 'idempotency_running' })
  vi.useRealTimers()
  finish()
  expect(await first).toBe('done')
  expect(await call('third', async () => 'twice')).toBe('done')
  expect(runs).toEqual(['first'])
})

test('an instance whose clock runs ahead does not settle what others still hold [R17]', async () => {
  await reserve(database.db, { userId: newId(), unit: 'prompts', feature: 'chat' })
  runAhead()
  expect(await settleAbandoned(database.db, usageRecorded('ai-gateway'))).toBe(0)
})
