import { topUpChanged } from '@operon/contracts/billing/top-ups'
import type { Payload } from '@operon/contracts/contract'
import { tiers } from '@operon/contracts/plans'
import { aiCloseTopUp, aiTopUpDrawn } from '@operon/contracts/top-ups'
import { usageRecorded } from '@operon/contracts/usage'
import { sql } from 'kysely'
import { afterAll, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { usageOf } from './allowance.ts'
import { newId } from './ids.ts'
import { type ByTier, extend, reserve, reserveMany } from './meter.ts'
import { Reserver } from './reserver.ts'
import type { ServiceDefinition } from './service.ts'
import { release, settle } from './settle.ts'
import { insert, update } from './testing/rows.ts'
import { startTestService } from './testing/service.ts'
import { metersTopUps } from './top-ups.ts'
import { inTransaction } from './tx.ts'

const recorded = usageRecorded('ai-gateway')
const service: ServiceDefinition = {
  name: 'ai-gateway',
  config: z.object({}),
  migrations: {},
  setup: (rt) => metersTopUps(rt, 'ai-gateway'),
}
const platform = await startTestService(service, { DATABASE_POOL: '12' })
afterAll(() => platform.close())
const rt = () => platform.services['ai-gateway']!.rt
const db = () => rt().db
const within = { timeout: 10_000, interval: 20 }
const ask = (userId: string, amount = 1) => ({ userId, unit: 'prompts' as const, feature: 'chat', amount })
const flat = (microusd: number) => Object.fromEntries(tiers.map((tier) => [tier, microusd])) as ByTier

/** A person whose plan allows so many prompts this month. */
async function person(prompts: number | null, budget: number | null = null) {
  const user_id = newId()
  const plan = { tier: 'basic', status: 'active', limits: JSON.stringify({ prompts }), budget_microusd: budget, version: 1 }
  await insert(db(), 'entitlements', { user_id, ...plan, period_start: new Date('2026-11-01'), period_end: null })
  return user_id
}
async function buys(user: string, units: number, more: { unit_microusd?: number; bought_at?: string } = {}) {
  const bought = { top_up_id: newId(), unit: 'prompts' as const, units, unit_microusd: 100, bought_at: '2026-11-10T00:00:00.000Z', ...more }
  await changes(user, { ...bought, state: 'open', version: 1 })
  return bought
}
type Change = Payload<typeof topUpChanged>
async function changes(user: string, change: Change) {
  await platform.emit(topUpChanged, user, change)
  const known = () => rowOf(change.top_up_id)
  await vi.waitFor(async () => expect((await known())?.version).toBeGreaterThanOrEqual(change.version), within)
}
const rowOf = (id: string) => db().selectFrom('usage_top_ups').selectAll().where('id', '=', id).executeTakeFirst()
const drawnOf = async (id: string) => (await rowOf(id))!.drawn
const close = (user: string, { top_up_id, units, unit_microusd }: { top_up_id: string; units: number; unit_microusd: number }) =>
  rt().ask(aiCloseTopUp, { top_up_id, user_id: user, unit: 'prompts', units, unit_microusd })
const counted = (all: PromiseSettledResult<{ id: string }>[]) => all.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))

test('the plan’s own prompts go first, then those of the oldest top-up, and callers at once never share one [spec-39]', async () => {
  for (const way of ['alone', 'together']) {
    const user = await person(40)
    const newer = await buys(user, 30, { bought_at: '2026-11-12T00:00:00.000Z' })
    const older = await buys(user, 20)
    const reserver = new Reserver(db(), 'prompts', 'marketplace')
    const take = () => (way === 'alone' ? reserve(db(), ask(user)) : reserver.reserve({ userId: user, feature: 'chat' }))
    await Promise.all(Array.from({ length: 40 }, take))
    expect([await drawnOf(older.top_up_id), await drawnOf(newer.top_up_id)]).toEqual([0, 0])
    const all = await Promise.allSettled(Array.from({ length: 90 }, take))
    expect(counted(all)).toHaveLength(50)
    expect(all.find((each) => each.status === 'rejected')!.reason).toMatchObject({ code: 'limit_prompts', status: 402 })
    expect([await drawnOf(older.top_up_id), await drawnOf(newer.top_up_id)]).toEqual([20, 30])
    expect(await usageOf(db(), user, 'prompts')).toMatchObject({ reserved: 90, limit: 40, extra: 50, topUps: 0 })
    const told = await db()
      .selectFrom('outbox')
      .select('payload')
      .where('user_id', '=', user)
      .where('name', '=', aiTopUpDrawn.name)
      .execute()
    const last = (id: string) =>
      told
        .map(({ payload }) => payload as { top_up_id: string; drawn: number; version: number })
        .filter(({ top_up_id }) => top_up_id === id)
        .toSorted((a, b) => a.version - b.version)
        .at(-1)
    expect(last(older.top_up_id)).toMatchObject({ drawn: 20 })
    expect(last(newer.top_up_id)).toMatchObject({ drawn: 30 })
  }
})

test('what a period took and did not use is there in the next, and the allowance of the next goes first', async () => {
  const user = await person(1)
  const bought = await buys(user, 10)
  const [first, second, third] = await reserveMany(db(), [ask(user), ask(user), ask(user)])
  expect(await drawnOf(bought.top_up_id)).toBe(2)
  await inTransaction(db(), (trx) => settle(trx, recorded, [first!, second!]))
  await release(db(), third!)
  // Units of a failed request are used by the next one, before more is drawn.
  const again = await reserve(db(), ask(user))
  expect(await drawnOf(bought.top_up_id)).toBe(2)
  await release(db(), again)

  await update(db(), 'entitlements', { user_id: user }, { period_start: new Date('2026-12-01') })
  await reserve(db(), ask(user))
  expect(await drawnOf(bought.top_up_id)).toBe(2)
  await reserve(db(), ask(user))
  // One came back from November, and one went to December.
  expect(await drawnOf(bought.top_up_id)).toBe(2)
  expect(await usageOf(db(), user, 'prompts')).toMatchObject({ reserved: 2, limit: 1, extra: 1, topUps: 8 })
})

test('a top-up that is drawn whole gives what failed in an earlier period', async () => {
  const user = await person(0)
  const bought = await buys(user, 2)
  const [first, second] = [await reserve(db(), ask(user)), await reserve(db(), ask(user))]
  await inTransaction(db(), (trx) => settle(trx, recorded, [first]))
  await update(db(), 'entitlements', { user_id: user }, { period_start: new Date('2026-12-01') })
  await expect(reserve(db(), ask(user))).rejects.toMatchObject({ code: 'limit_prompts' })
  await release(db(), second)
  expect(await reserve(db(), ask(user))).toBeTruthy()
  expect(await drawnOf(bought.top_up_id)).toBe(2)
  await expect(reserve(db(), ask(user))).rejects.toMatchObject({ code: 'limit_prompts' })
})

test('a plan that became smaller within its period costs a top-up nothing of what was used before', async () => {
  const user = await person(20)
  for (let n = 0; n < 20; n++) await reserve(db(), ask(user))
  await update(db(), 'entitlements', { user_id: user }, { limits: JSON.stringify({ prompts: 5 }) })
  const bought = await buys(user, 3)
  await Promise.all([reserve(db(), ask(user)), reserve(db(), ask(user))])
  expect(await drawnOf(bought.top_up_id)).toBe(2)
  expect(await close(user, bought)).toEqual({ left: 1 })
})

test('a prompt brings its share of model cost, and a dear answer uses more of them', async () => {
  const user = await person(null, 1_000)
  const bought = await buys(user, 10)
  const asking = { ...ask(user), costs: flat(1_250) }
  const held = await reserve(db(), asking, flat(1_000))
  expect(await drawnOf(bought.top_up_id)).toBe(3)
  expect(await extend(db(), held, 200, flat(1_000))).toBe(true)
  expect(await drawnOf(bought.top_up_id)).toBe(5)
  expect(await extend(db(), held, 10_000, flat(1_000))).toBe(false)
  await expect(reserve(db(), { ...ask(user), costs: flat(2_500) }, flat(1_000))).rejects.toMatchObject({ code: 'limit_budget' })
  expect(await drawnOf(bought.top_up_id)).toBe(5)
  // It cost less than was held: the rest is left when the top-up is given back.
  await inTransaction(db(), (trx) => settle(trx, recorded, [{ id: held.id, costMicrousd: 1_150 }], flat(1_000)))
  expect(await close(user, bought)).toEqual({ left: 8 })
})

test('a top-up that is given back while it is burned counts every unit once: given back or used', async () => {
  const user = await person(5)
  const bought = await buys(user, 100)
  const burn = Promise.allSettled(Array.from({ length: 140 }, () => reserve(db(), ask(user))))
  const closing = Promise.all([close(user, bought), close(user, bought)])
  const [{ left }, again] = await closing
  const used = counted(await burn).length
  expect(again.left).toBe(left)
  expect(used - 5).toBe(100 - left)
  await expect(reserve(db(), ask(user))).rejects.toMatchObject({ code: 'limit_prompts' })
  // Late news of the purchase opens nothing again.
  await platform.emit(topUpChanged, user, { ...bought, state: 'open', version: 9 })
  await platform.emit(topUpChanged, user, { ...bought, top_up_id: newId(), units: 1, state: 'open', version: 1 })
  await vi.waitFor(async () => expect(await reserve(db(), ask(user))).toBeTruthy(), within)
  expect((await rowOf(bought.top_up_id))!.state).toBe('closed')
})

test('a request that meets a top-up while it is being closed waits for that, and gets none of it', async () => {
  const user = await person(0)
  const bought = await buys(user, 3)
  let asked!: Promise<unknown>
  await db()
    .transaction()
    .execute(async (trx) => {
      await update(trx, 'usage_top_ups', { id: bought.top_up_id }, { state: 'closed' })
      asked = reserve(db(), ask(user)).catch((error) => error)
      const waits = sql<{ n: number }>`
        select count(*)::int as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
      await vi.waitFor(async () => expect((await waits.execute(trx)).rows[0]!.n).toBe(1), within)
    })
  expect(await asked).toMatchObject({ code: 'limit_prompts' })
  expect(await drawnOf(bought.top_up_id)).toBe(0)
})

test('a disputed top-up waits, and opens again; one that was closed before it was heard of stays closed', async () => {
  const user = await person(0)
  const bought = await buys(user, 3)
  await changes(user, { ...bought, state: 'held', version: 2 })
  await expect(reserve(db(), ask(user))).rejects.toMatchObject({ code: 'limit_prompts' })
  await changes(user, { ...bought, state: 'open', version: 3 })
  expect(await reserve(db(), ask(user))).toBeTruthy()

  const unheard = { top_up_id: newId(), unit: 'prompts' as const, units: 7, unit_microusd: 100, bought_at: '2026-11-10T00:00:00.000Z' }
  expect(await close(user, unheard)).toEqual({ left: 7 })
  await platform.emit(topUpChanged, user, { ...unheard, state: 'open', version: 1 })
  expect(await close(user, unheard)).toEqual({ left: 7 })
  // Somebody else's cannot be closed in this person's name.
  expect(await close(newId(), bought)).toEqual({ left: 0 })
  expect((await rowOf(bought.top_up_id))!.state).toBe('open')
})
