import { aiUsageRecorded } from '@operon/contracts/usage'
import { newId } from '@operon/kit/ids'
import type { TestUser } from '@operon/kit/testing/service'
import { afterAll, expect, test, vi } from 'vitest'
import { startBilling } from '../fixture.ts'

const billing = await startBilling()
afterAll(() => billing.close())

const within = { timeout: 10_000, interval: 50 }
const recorded = (user: TestUser, used: number, limit: number | null, period_start: string, id = newId()) =>
  billing.platform.emit(
    aiUsageRecorded,
    user.id,
    { unit: 'prompts', used, limit, amount: 1, period_start, feature: 'chat', cost_microusd: 0 },
    id,
  )
const prompts = async (user: TestUser) => (await billing.check(user)).usage.find(({ unit }: { unit: string }) => unit === 'prompts')
/** The event was handled, whatever came of it. */
const isHeard = async (id: string) => {
  const row = await billing.platform.services
    .billing!.rt.db.selectFrom('inbox')
    .select('done_at')
    .where('event_id', '=', id)
    .executeTakeFirst()
  return Boolean(row?.done_at)
}
const thisMonth = () => new Date(Date.UTC(new Date().getUTCFullYear(), new Date().getUTCMonth(), 1)).toISOString()

test('usage comes in any order and twice, and counts what was last settled [spec-39]', async () => {
  const user = billing.user()
  await billing.call('referral-summary', user)
  const id = newId()
  for (const used of [3, 1, 7, 5, 2]) await recorded(user, used, 25, thisMonth())
  await recorded(user, 6, 25, thisMonth(), id)
  await recorded(user, 6, 25, thisMonth(), id)
  await vi.waitFor(async () => expect(await prompts(user)).toMatchObject({ used: 7, limit: 25 }), within)
  expect(await billing.published('billing.usage_threshold', user)).toEqual([])
})

test('80 and 100 percent are told once a period each [spec-39]', async () => {
  const user = billing.user()
  await billing.call('referral-summary', user)
  const told = async () => (await billing.published('billing.usage_threshold', user)).map(({ percent, used }) => [percent, used])
  const comesTo = async (used: number) => {
    await recorded(user, used, 25, thisMonth())
    await vi.waitFor(async () => expect(await prompts(user)).toMatchObject({ used }), within)
  }
  await comesTo(19)
  expect(await told()).toEqual([])
  await comesTo(20)
  expect(await told()).toEqual([[80, 20]])
  await comesTo(24)
  expect(await told()).toEqual([[80, 20]])
  await comesTo(25)
  await comesTo(26)
  expect(await told()).toEqual([
    [80, 20],
    [100, 25],
  ])
  await recorded(user, 25, 25, '2031-01-01T00:00:00.000Z')
  await vi.waitFor(async () => expect((await told()).slice(2)).toEqual([[100, 25]]), within)
})

test('80 and 100 percent of the model budget are told once a period each, also by an answer that counts no prompt', async () => {
  const user = billing.user()
  await billing.call('referral-summary', user)
  const told = async () =>
    (await billing.published('billing.budget_threshold', user)).map(({ percent, used_microusd }) => [percent, used_microusd])
  const costs = async (cost_used_microusd: number, budget_microusd: number | null, used = 1, period_start = thisMonth()) => {
    const id = await billing.platform.emit(aiUsageRecorded, user.id, {
      ...{ unit: 'prompts' as const, used, limit: 25, amount: 1, period_start, feature: 'chat', cost_microusd: 0 },
      ...{ cost_used_microusd, budget_microusd },
    })
    await vi.waitFor(async () => expect(await isHeard(id)).toBe(true), within)
  }
  await costs(199_999, 250_000)
  await costs(900_000, null)
  expect(await told()).toEqual([])
  await costs(200_000, 250_000)
  await costs(230_000, 250_000, 2)
  expect(await told()).toEqual([[80, 200_000]])
  await costs(250_000, 250_000)
  await costs(210_000, 250_000)
  await costs(300_000, 250_000, 3)
  expect(await told()).toEqual([
    [80, 200_000],
    [100, 250_000],
  ])
  await costs(210_000, 250_000, 1, '2031-01-01T00:00:00.000Z')
  expect((await told()).slice(2)).toEqual([[80, 210_000]])
  expect(await billing.published('billing.usage_threshold', user)).toEqual([])
})

test('a subscriber counts by the period of the plan; without a limit nothing is warned of [spec-39] [spec-41]', async () => {
  const user = await billing.subscribed('enterprise')
  await billing.advance(3.1)
  await billing.becomes(user, { status: 'active' })
  const { period_start } = await prompts(user)
  await recorded(user, 50_000, null, period_start)
  await vi.waitFor(async () => expect(await prompts(user)).toMatchObject({ used: 50_000, limit: null, period_start }), within)
  expect(await billing.published('billing.usage_threshold', user)).toEqual([])
})

test('what is used stays used from the trial to its end and in each month, whatever is switched, extended, cancelled and resumed [spec-38] [spec-39]', {
  timeout: 30_000,
}, async () => {
  const user = billing.user()
  await billing.call('referral-summary', user)
  const use = async (used: number) => {
    const { limit, period_start } = await prompts(user)
    await recorded(user, used, limit, period_start)
    await vi.waitFor(async () => expect(await prompts(user)).toMatchObject({ used, period_start }), within)
  }
  const told = async () => (await billing.published('billing.subscription_changed', user)).at(-1)
  await use(3)
  expect(await prompts(user)).toMatchObject({ used: 3, limit: 25, period_start: thisMonth() })

  // The trial is a period of its own: what was free before it is not taken from it.
  const { url } = (await billing.call('create-checkout', user, { plan: 'basic' })).body
  await billing.pay(url)
  await billing.becomes(user, { status: 'trialing' })
  expect(await prompts(user)).toMatchObject({ used: 0, limit: 1000 })
  expect(await billing.check(user)).toMatchObject({ max_characters: 100_000 })
  await use(7)
  const trial = await prompts(user)
  const keeps = async (used: number, period_start: string) => {
    await billing.quiet()
    expect(await prompts(user)).toMatchObject({ used, period_start })
    expect(await told()).toMatchObject({ period_start })
  }
  await billing.call('switch-plan', user, { plan: 'pro' })
  await keeps(7, trial.period_start)
  await billing.advance(1)
  await billing.call('staff-extend-trial', billing.staff(), { user_id: user.id, days: 2, reason: 'was on holiday' })
  await keeps(7, trial.period_start)
  await billing.call('cancel-subscription', user)
  await billing.call('resume-subscription', user)
  await keeps(7, trial.period_start)

  await billing.advance(4.1)
  await billing.becomes(user, { status: 'active', subscription_tier: 'pro' })
  expect(await prompts(user)).toMatchObject({ used: 0, limit: 3000 })
  expect(await billing.check(user)).toMatchObject({ max_characters: 200_000 })
  await use(40)
  const month = await prompts(user)
  for (const change of [
    ['switch-plan', { plan: 'enterprise' }],
    ['switch-plan', { plan: 'basic' }],
    ['cancel-subscription'],
    ['resume-subscription'],
  ] as const) {
    expect(await billing.call(change[0], user, change[1])).toMatchObject({ status: 200 })
    await keeps(40, month.period_start)
  }
  await billing.advance(31)
  await vi.waitFor(async () => expect(await prompts(user)).toMatchObject({ used: 0, limit: 1000, period_start: month.period_end }), within)

  // Without a plan the free month goes on where it was.
  await billing.call('cancel-subscription', user)
  await billing.advance(32)
  await billing.becomes(user, { status: 'canceled' })
  expect(await prompts(user)).toMatchObject({ used: 3, limit: 25, period_start: thisMonth() })
})

test('voice agents: five on Basic, any number on Pro; they count as they stand, a downgrade keeps them, and no month resets them [spec-40]', {
  timeout: 30_000,
}, async () => {
  const user = await billing.subscribed('pro')
  await billing.advance(3.1)
  await billing.becomes(user, { status: 'active' })
  const limits = async () => (await billing.published('billing.subscription_changed', user)).at(-1).limits
  const agents = async () => (await billing.check(user)).usage.find(({ unit }: { unit: string }) => unit === 'agents')
  const exist = async (used: number, limit: number | null) =>
    billing.platform.emit(aiUsageRecorded, user.id, {
      ...{ unit: 'agents' as const, used, limit, amount: 1, feature: 'voice', cost_microusd: 0 },
      period_start: (await agents()).period_start,
    })
  expect(await limits()).toMatchObject({ agents: null })
  await exist(7, null)
  await vi.waitFor(async () => expect(await agents()).toMatchObject({ used: 7, limit: null }), within)

  await billing.call('switch-plan', user, { plan: 'basic' })
  expect(await limits()).toMatchObject({ agents: null })
  await billing.advance(31)
  await vi.waitFor(async () => expect(await limits()).toMatchObject({ agents: 5 }), within)
  expect(await agents()).toMatchObject({ used: 7, limit: 5 })
  await exist(4, 5)
  await vi.waitFor(async () => expect(await agents()).toMatchObject({ used: 4, limit: 5 }), within)
  await exist(5, 5)
  await vi.waitFor(
    async () =>
      expect((await billing.published('billing.usage_threshold', user)).at(-1)).toMatchObject({ unit: 'agents', percent: 100, limit: 5 }),
    within,
  )

  const { period_start } = await agents()
  await billing.advance(31)
  await vi.waitFor(async () => expect((await agents()).period_start).not.toBe(period_start), within)
  expect(await agents()).toMatchObject({ used: 5, limit: 5 })
})
