import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { sql } from 'kysely'
import { afterAll, expect, test, vi } from 'vitest'
import { actorOf, type Ctx } from './context.ts'
import { DomainError } from './errors.ts'
import { once } from './idempotency.ts'
import { newId } from './ids.ts'
import { forgetKeys } from './retention.ts'
import { createLogger } from './telemetry.ts'
import { type TestDatabase, testDatabase } from './testing/database.ts'
import { insert, update } from './testing/rows.ts'

const effects = {
  '0001_effects': { up: async (on: any) => void (await sql`create table effects (key text not null)`.execute(on)) },
}
const database: TestDatabase = await testDatabase({ name: 'keys', migrations: effects })
const db: any = database.db
afterAll(() => database.drop())

const run = promisify(execFile)
const inItsOwnProcess = (key: string, dies: boolean) =>
  run(process.execPath, [
    fileURLToPath(new URL('./testing/dies-main.ts', import.meta.url)),
    JSON.stringify({ databaseUrl: database.url, key, dies }),
  ])
const happened = async (key: string) => (await db.selectFrom('effects').selectAll().where('key', '=', key).execute()).length
const ctxOf = (more: Partial<Ctx<any>> = {}): Ctx<any> =>
  ({
    db,
    actor: actorOf({ id: newId(), userId: newId(), actions: [], until: null }),
    ip: '',
    log: createLogger('silent'),
    ...more,
  }) as Ctx<any>
const effect = (ctx: Ctx<any>, key: string, work: () => Promise<unknown> = async () => ({ done: true })) =>
  once(ctx, {
    scope: '/functions/v1/effect',
    key,
    input: {},
    run: async ({ db: within }) => {
      await insert(within, 'effects', { key })
      return work()
    },
  })

test('a process that is killed right after the effect has not had it, and the call that comes again has it once', async () => {
  const key = newId()
  await expect(inItsOwnProcess(key, true)).rejects.toMatchObject({ signal: 'SIGKILL' })
  // However long ago that was.
  await update(db, 'idempotency_keys', { key }, { created_at: sql`now() - interval '1 hour'` })
  const again = await inItsOwnProcess(key, false)
  expect([JSON.parse(again.stdout), await happened(key)]).toEqual([{ done: true }, 1])
  const third = await inItsOwnProcess(key, false)
  expect([JSON.parse(third.stdout), await happened(key)]).toEqual([{ done: true }, 1])
})

test('of many at once one runs; the others are told to wait or get its answer', async () => {
  const [ctx, key] = [ctxOf(), newId()]
  let finish = () => {}
  const first = effect(ctx, key, () => new Promise((resolve) => (finish = () => resolve({ done: true }))))
  // The lock is there when the second asks.
  await vi.waitFor(async () =>
    expect((await sql<{ n: number }>`select count(*) as n from pg_locks where locktype = 'advisory'`.execute(db)).rows[0]!.n).toBe(1),
  )
  expect(await effect(ctx, key).catch((error: unknown) => error)).toMatchObject({
    code: 'idempotency_running',
    headers: { 'retry-after': '1' },
  })
  finish()
  expect(await first).toEqual({ done: true })
  expect(await Promise.all([effect(ctx, key), effect(ctxOf({ actor: ctx.actor }), key).catch(({ code }) => code)])).toContainEqual({
    done: true,
  })
  expect(await happened(key)).toBe(1)
})

test('a refusal leaves neither effect nor mark, so the key is good for another try', async () => {
  const [ctx, key] = [ctxOf(), newId()]
  await expect(effect(ctx, key, () => Promise.reject(new DomainError('conflict')))).rejects.toMatchObject({ code: 'conflict' })
  expect(await happened(key)).toBe(0)
  expect(await effect(ctx, key)).toEqual({ done: true })
  expect(await happened(key)).toBe(1)
})

test('a key is kept for 90 days after its last use, or after the end of the grant it came with', async () => {
  const [ctx, key, granted] = [ctxOf(), newId(), newId()]
  await effect(ctx, key)
  const until = new Date(Date.now() + 30 * 86_400_000).toISOString()
  await effect(ctxOf({ grant: { id: newId(), userId: newId(), actions: [], until } }), granted)
  const daysLeft = async (of: string) =>
    Math.round(
      (
        await sql<{
          days: number
        }>`select extract(epoch from expires_at - now()) / 86400 as days from idempotency_keys where key = ${of}`.execute(db)
      ).rows[0]!.days,
    )
  expect([await daysLeft(key), await daysLeft(granted)]).toEqual([90, 120])
  await update(db, 'idempotency_keys', { key }, { expires_at: sql`now() + interval '1 day'` })
  await effect(ctx, key)
  expect([await daysLeft(key), await happened(key)]).toEqual([90, 1])
  expect(await forgetKeys(db)).toBe(0)
  await update(db, 'idempotency_keys', { key }, { expires_at: sql`now() - interval '1 second'` })
  expect(await forgetKeys(db)).toBe(1)
})
