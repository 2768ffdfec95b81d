import { subscriptionChanged } from '@operon/contracts/billing/events'
import { limitsOf, tiers } from '@operon/contracts/plans'
import { usageRecorded } from '@operon/contracts/usage'
import { sql } from 'kysely'
import { afterAll, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { usageOf } from './allowance.ts'
import { newId } from './ids.ts'
import { type ByTier, extend, type Reservation, reserve, reserveMany } from './meter.ts'
import { Reserver } from './reserver.ts'
import type { ServiceDefinition } from './service.ts'
import { release, settle, settleAbandoned } from './settle.ts'
import { insert, update } from './testing/rows.ts'
import { startTestService } from './testing/service.ts'
import { inTransaction } from './tx.ts'

const recorded = usageRecorded('marketplace')
const service: ServiceDefinition = { name: 'marketplace', config: z.object({}), migrations: {}, setup() {} }
const platform = await startTestService(service, { DATABASE_POOL: '12' })
afterAll(() => platform.close())
const db = () => platform.services.marketplace!.rt.db
const plan = async (user_id: string, prompts: number | null) =>
  insert(db(), 'entitlements', {
    user_id,
    tier: 'basic',
    status: 'active',
    limits: JSON.stringify({ prompts }),
    period_start: new Date('2026-11-01'),
    period_end: null,
    version: 1,
  })
const ask = (userId: string, amount = 1) => ({ userId, unit: 'prompts' as const, feature: 'chat', amount })

test('two hundred callers at once never share the last unit: each by itself and in shared statements [spec-39]', async () => {
  for (const way of ['alone', 'together']) {
    const user = newId()
    await plan(user, 120)
    const reserver = new Reserver(db(), 'prompts', 'marketplace')
    const all = await Promise.allSettled(
      Array.from({ length: 200 }, () => (way === 'alone' ? reserve(db(), ask(user)) : reserver.reserve({ userId: user, feature: 'chat' }))),
    )
    const taken = all.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
    expect(taken).toHaveLength(120)
    expect(all.find((each) => each.status === 'rejected')!.reason).toMatchObject({ code: 'limit_prompts', status: 402 })
    expect(await usageOf(db(), user, 'prompts')).toMatchObject({ used: 0, reserved: 120, limit: 120 })
    const settled = await inTransaction(db(), (trx) => settle(trx, recorded, [...taken.slice(0, 100), ...taken.slice(0, 10)]))
    expect(settled).toHaveLength(100)
    await Promise.all(taken.slice(100).map((reservation) => release(db(), reservation)))
    expect(await usageOf(db(), user, 'prompts')).toMatchObject({ used: 100, reserved: 0 })
  }
})

test('a thousand people in shared statements each get their own', async () => {
  const reserver = new Reserver(db(), 'prompts', 'marketplace')
  const users = Array.from({ length: 1000 }, () => newId())
  const taken = await Promise.all(users.map((userId) => reserver.reserve({ userId, feature: 'chat' })))
  expect(taken.map((reservation) => reservation.userId)).toEqual(users)
})

test('several are reserved all or not at all', async () => {
  const user = newId()
  await plan(user, 5)
  expect(await reserveMany(db(), [ask(user), ask(user), ask(user)])).toHaveLength(3)
  await expect(reserveMany(db(), [ask(user), ask(user), ask(user)])).rejects.toMatchObject({ code: 'limit_prompts' })
  await expect(reserve(db(), ask(user, 3))).rejects.toMatchObject({ code: 'limit_prompts' })
  expect(await usageOf(db(), user, 'prompts')).toMatchObject({ reserved: 3 })
  expect((await reserve(db(), ask(user, 2))).amount).toBe(2)
})

test('a settle tells what was used, once, and gives the rest back', async () => {
  const user = newId()
  await plan(user, null)
  const reservation = await reserve(db(), ask(user, 10))
  const close = () => inTransaction(db(), (trx) => settle(trx, recorded, [{ id: reservation.id, amount: 4, costMicrousd: 70 }]))
  expect([await close(), await close()]).toEqual([[reservation.id], []])
  const events = await db().selectFrom('outbox').select('payload').where('user_id', '=', user).execute()
  expect(events.map((event) => recorded.payload.parse(event.payload))).toMatchObject([
    { unit: 'prompts', used: 4, amount: 4, limit: null, cost_microusd: 70, feature: 'chat' },
  ])
  expect(await usageOf(db(), user, 'prompts')).toMatchObject({ used: 4, reserved: 0, limit: null })
})

test('what was used above what was held is counted, in units and in cost', async () => {
  const user = newId()
  await plan(user, null)
  const { id } = await reserve(db(), ask(user, 2))
  await inTransaction(db(), (trx) => settle(trx, recorded, [{ id, amount: 5, costMicrousd: 70 }]))
  expect(await usageOf(db(), user, 'prompts')).toMatchObject({ used: 5, reserved: 0, costMicrousd: 70 })
})

const flat = (microusd: number) => Object.fromEntries(tiers.map((tier) => [tier, microusd])) as ByTier
const costOf = (user: string, budgets: ByTier) => usageOf(db(), user, 'prompts', budgets)

test('the last cent of a budget is held once, however many ask at once: each by itself and in shared statements', async () => {
  for (const way of ['alone', 'together']) {
    const user = newId()
    await plan(user, null)
    await update(db(), 'entitlements', { user_id: user }, { budget_microusd: 1000 })
    const reserver = new Reserver(db(), 'prompts', 'ai-gateway')
    const costs = flat(30)
    const all = await Promise.allSettled(
      Array.from({ length: 100 }, () =>
        way === 'alone' ? reserve(db(), { ...ask(user), costs }, flat(1)) : reserver.reserve({ userId: user, feature: 'chat', costs }),
      ),
    )
    const taken = all.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
    expect(taken).toHaveLength(33)
    expect(taken[0]).toMatchObject({ tier: 'basic', costMicrousd: 30 })
    expect(all.find((each) => each.status === 'rejected')!.reason).toMatchObject({ code: 'budget_held', status: 429 })
    expect(await costOf(user, flat(1))).toMatchObject({ costMicrousd: 0, costReservedMicrousd: 990, budgetMicrousd: 1000, reserved: 33 })

    // Settled below, above and at nothing: what was used counts, also above what was held.
    const [first, second, third, ...rest] = taken as [Reservation, Reservation, Reservation]
    const settlements = [
      { id: first.id, costMicrousd: 10 },
      { id: second.id, costMicrousd: 95 },
      { id: third.id, amount: 0, costMicrousd: 5 },
    ]
    await inTransaction(db(), (trx) => settle(trx, recorded, settlements, flat(1)))
    await Promise.all((rest as Reservation[]).map((reservation) => release(db(), reservation)))
    expect(await costOf(user, flat(1))).toMatchObject({ costMicrousd: 110, costReservedMicrousd: 0, used: 2, reserved: 0 })
    const events = await db().selectFrom('outbox').select('payload').where('user_id', '=', user).execute()
    expect(events.map(({ payload }) => recorded.payload.parse(payload))).toEqual(
      expect.arrayContaining([expect.objectContaining({ amount: 0, cost_microusd: 5, cost_used_microusd: 110, budget_microusd: 1000 })]),
    )
    await expect(reserve(db(), { ...ask(user), costs: flat(891) }, flat(1))).rejects.toMatchObject({ code: 'limit_budget', status: 402 })
    expect((await reserve(db(), { ...ask(user), costs: flat(890) }, flat(1))).costMicrousd).toBe(890)
  }
})

test('of several with different costs all are held or none, and a hold is raised only within the budget', async () => {
  const user = newId()
  const budgets = { ...flat(5000), none: 100 }
  const some = [30, 50].map((each) => ({ ...ask(user), costs: flat(each) }))
  const [first] = await reserveMany(db(), some, budgets)
  await expect(reserveMany(db(), some, budgets)).rejects.toMatchObject({ code: 'budget_held' })
  expect(await costOf(user, budgets)).toMatchObject({ tier: 'none', reserved: 2, costReservedMicrousd: 80, budgetMicrousd: 100 })
  expect(await extend(db(), first!, 21, budgets)).toBe(false)
  expect([await extend(db(), first!, 20, budgets), first!.costMicrousd]).toEqual([true, 50])
  await release(db(), first!)
  expect(await extend(db(), first!, 1, budgets)).toBe(false)
  expect(await costOf(user, budgets)).toMatchObject({ reserved: 1, costReservedMicrousd: 50 })
})

test('a service without a budget of its own meters units alone, and an event of the version before leaves the plan its budget', async () => {
  const user = newId()
  const event = {
    version: 1,
    tier: 'pro' as const,
    status: 'active' as const,
    limits: limitsOf('pro'),
    period_start: '2026-11-01T00:00:00Z',
    period_end: null,
    trial_end: null,
  }
  await platform.emit(subscriptionChanged, user, event)
  await vi.waitFor(async () => expect(await costOf(user, flat(7))).toMatchObject({ tier: 'pro', budgetMicrousd: 7 }), 10_000)
  await platform.emit(subscriptionChanged, user, { ...event, version: 2, budgets_microusd: { marketplace: 9, 'ai-gateway': 3 } })
  await vi.waitFor(async () => expect(await costOf(user, flat(7))).toMatchObject({ budgetMicrousd: 9 }), 10_000)
  const other = newId()
  expect(await reserve(db(), { ...ask(other), costs: flat(1e9) })).toMatchObject({ costMicrousd: 1e9 })
  expect(await usageOf(db(), other, 'prompts')).toMatchObject({ budgetMicrousd: null })
})

test('what a dead process left behind settles at its estimate', async () => {
  const user = newId()
  const reservation = await reserve(db(), { ...ask(user), holdMs: 1, costs: flat(40) })
  await sql`update usage_reservations set expires_at = now() - interval '1 second' where id = ${reservation.id}`.execute(db())
  await settleAbandoned(db(), recorded)
  expect(await db().selectFrom('usage_reservations').select('state').where('id', '=', reservation.id).executeTakeFirst()).toEqual({
    state: 'unknown',
  })
  expect(await usageOf(db(), user, 'prompts')).toMatchObject({ used: 1, reserved: 0, limit: limitsOf('none').prompts, costMicrousd: 40 })
})

test('of a plan that comes out of order the newest version is kept', async () => {
  const user = newId()
  const change = (version: number, tier: 'basic' | 'pro') => ({
    version,
    tier,
    status: 'active' as const,
    limits: limitsOf(tier),
    period_start: '2026-11-01T00:00:00Z',
    period_end: null,
    trial_end: null,
  })
  await platform.emit(subscriptionChanged, user, change(2, 'pro'))
  await platform.emit(subscriptionChanged, user, change(1, 'basic'))
  const pending = () => db().selectFrom('inbox').select('event_id').where('done_at', 'is', null).execute()
  await vi.waitFor(async () => expect(await pending()).toEqual([]), 10_000)
  expect(await usageOf(db(), user, 'prompts')).toMatchObject({ limit: limitsOf('pro').prompts })
})

test('the allowance of a free account comes anew each month, and a lapsed plan falls back to it [spec-39]', async () => {
  for (const [tier, limits, start, end] of [
    ['none', limitsOf('none'), '2026-01-01', null],
    ['pro', limitsOf('pro'), '2026-01-01', '2026-02-01'],
  ] as const) {
    const user = newId()
    const row = {
      user_id: user,
      tier,
      status: 'active',
      limits: JSON.stringify(limits),
      period_start: new Date(start),
      period_end: end ? new Date(end) : null,
      version: 1,
    }
    await insert(db(), 'entitlements', row)
    await insert(db(), 'usage_counters', { user_id: user, unit: 'prompts', period_start: new Date(start), used: 25, reserved: 0 })
    const reservation = await reserve(db(), ask(user))
    expect(reservation.periodStart.getUTCDate()).toBe(1)
    expect(reservation.periodStart.getTime()).toBeGreaterThan(new Date('2026-10-31').getTime())
    expect(await usageOf(db(), user, 'prompts')).toMatchObject({ used: 0, reserved: 1, limit: limitsOf('none').prompts })
  }
})
