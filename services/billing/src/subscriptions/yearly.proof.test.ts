import { limitsOf } from '@operon/contracts/plans'
import { aiUsageRecorded } from '@operon/contracts/usage'
import type { TestUser } from '@operon/kit/testing/service'
import { afterAll, expect, test, vi } from 'vitest'
import { DAY, FAILS_ON_CHARGE, startBilling } from '../fixture.ts'
import { closeMonths, endOf } from '../months/close.ts'

const billing = await startBilling()
afterAll(() => billing.close())

const within = { timeout: 10_000, interval: 50 }
const timeout = 60_000
const rowOf = (user: TestUser) =>
  billing.db.selectFrom('subscriptions').selectAll().where('user_id', '=', user.id).executeTakeFirstOrThrow()
const chargesOf = async (user: TestUser) =>
  (await billing.stripe.charges.list({ customer: await billing.customer(user) })).data.map(({ amount }) => amount)
/** A person whose trial is over, each on a clock of their own. */
async function paying(plan: string, body: object = {}, card?: string) {
  const user = await billing.subscribed(plan, card, body)
  await billing.advance(3.1, user)
  await billing.becomes(user, { status: 'active' })
  return user
}
const spend = async (user: TestUser, used: number, cost: Record<string, number> = {}) => {
  const { period_start, allowance_start } = await rowOf(user)
  const start = (allowance_start ?? period_start).toISOString()
  await billing.platform.emit(aiUsageRecorded, user.id, {
    ...{ unit: 'prompts', used, limit: 1_000, amount: used, period_start: start, feature: 'chat', cost_microusd: 0, ...cost },
  })
  const row = () =>
    billing.db
      .selectFrom('usage')
      .select('used')
      .where('user_id', '=', user.id)
      .where('unit', '=', 'prompts')
      .where('period_start', '=', new Date(start))
      .executeTakeFirst()
  await vi.waitFor(async () => expect(await row()).toEqual({ used }), within)
}
const shareLeft = async (user: TestUser) => {
  const { period_start, period_end } = await rowOf(user)
  const { ahead } = await billing.db
    .selectFrom('accounts')
    .select('provider_ahead_s as ahead')
    .where('user_id', '=', user.id)
    .executeTakeFirstOrThrow()
  return (period_end!.getTime() - Date.now() - ahead * 1000) / (period_end!.getTime() - period_start.getTime())
}

test('a year is billed once, its allowances come anew each month, and its revenue is earned over twelve [spec-39]', {
  timeout,
}, async () => {
  const user = await paying('basic', { period: 'year' })
  expect(await chargesOf(user)).toEqual([46_800])
  const { body: bought } = await billing.call('check-subscription', user)
  expect(bought).toMatchObject({ subscription_tier: 'basic', period: 'year', next_period: null })
  const { period_start, period_end, allowance_end, version } = await rowOf(user)
  expect((period_end!.getTime() - period_start.getTime()) / 1000 / DAY).toBeGreaterThan(364)
  expect((allowance_end!.getTime() - period_start.getTime()) / 1000 / DAY).toBeLessThan(32)
  await spend(user, 1_000)
  expect(bought.usage[0]).toMatchObject({ period_end: allowance_end!.toISOString() })

  await billing.advance(32, user)
  await billing.sweep()
  const heard = async () => (await billing.published('billing.subscription_changed', user)).at(-1)
  await vi.waitFor(
    async () => expect(await heard()).toMatchObject({ period_start: allowance_end!.toISOString(), limits: limitsOf('basic') }),
    within,
  )
  expect((await rowOf(user)).version).toBe(version + 1)
  expect((await billing.check(user)).usage[0]).toMatchObject({ unit: 'prompts', used: 0, limit: 1_000 })
  expect(await chargesOf(user)).toEqual([46_800])

  // Months that nobody swept are passed over, and the day of the month stays that of the first.
  await billing.advance(100, user)
  await billing.sweep()
  await vi.waitFor(async () => expect((await rowOf(user)).version).toBe(version + 2), within)
  const later = await rowOf(user)
  expect(later.period_end).toEqual(period_end)
  expect([0, 1, -1, 2, -2, 3, -3]).toContain(later.allowance_start!.getUTCDate() - period_start.getUTCDate())

  const { body: figures } = await billing.call('staff-figures', billing.staff(), { reason: 'The month' })
  expect(figures.mrr).toMatchObject([{ plan: 'basic', accounts: 1, yearly: 1, amount_cents: 3_900 }])
  const rows = await billing.call('staff-figure-rows', billing.staff(), { figure: 'mrr', reason: 'The month' })
  expect(rows.body.rows).toMatchObject([{ user_id: user.id, period: 'year', amount_cents: 3_900 }])

  const month = period_start.toISOString().slice(0, 7)
  const end = endOf(month).getTime()
  await closeMonths(billing.db, new Date(end + 4 * 86_400_000))
  const { amount } = await billing.db
    .selectFrom('ledger_postings')
    .select((eb) => eb.fn.sum<number>('amount_cents').as('amount'))
    .where('account', '=', 'deferred_revenue')
    .executeTakeFirstOrThrow()
  const unearned = Math.floor((46_800 * (period_end!.getTime() - end)) / (period_end!.getTime() - period_start.getTime()))
  expect(Number(amount)).toBe(-unearned)
  await billing.booksMatch()
})

test('a month becomes a year at once, less what is left of it by time, as the preview said [spec-43]', { timeout }, async () => {
  const user = await paying('basic')
  await billing.advance(10, user)
  const { body: preview } = await billing.call('preview-switch', user, { plan: 'basic', period: 'year' })
  const left = 46_800 - preview.amount_due_cents
  expect(Math.abs(left - 4_900 * (await shareLeft(user)))).toBeLessThan(1)
  expect(preview.due).toBe('now')
  expect(preview.lines.at(-1)).toEqual({ description: 'Unused part of your monthly plan', amount_cents: -left })
  expect(await billing.call('switch-plan', user, { plan: 'basic', period: 'year' })).toMatchObject({
    status: 200,
    body: { period: 'year' },
  })
  await billing.quiet()
  const [year] = await chargesOf(user)
  // Time goes on between the two.
  expect(year! - preview.amount_due_cents).toBeLessThanOrEqual(1)
  expect((await rowOf(user)).period_end!.getTime() - Date.parse(preview.next_billing_date)).toBeLessThan(5_000)
  await billing.booksMatch()
})

test('what is used of a month is not credited, by prompts or by the model budget; a higher plan by the year is one step [S27]', {
  timeout,
}, async () => {
  const [burnt, dear] = [await paying('basic'), await paying('basic')]
  await spend(burnt, 1_000)
  await spend(dear, 10, { cost_used_microusd: 9_000_000, budget_microusd: 12_000_000 })
  expect((await billing.call('preview-switch', burnt, { plan: 'pro', period: 'year' })).body).toMatchObject({ amount_due_cents: 94_800 })
  expect((await billing.call('preview-switch', dear, { plan: 'basic', period: 'year' })).body).toMatchObject({
    amount_due_cents: 46_800 - 1_225,
  })
  await billing.call('switch-plan', burnt, { plan: 'pro', period: 'year' })
  await billing.becomes(burnt, { subscription_tier: 'pro', period: 'year' })
  expect((await billing.check(burnt)).usage[0]).toMatchObject({ used: 0, limit: 3_000 })
  await billing.quiet()
  expect(await chargesOf(burnt)).toEqual([94_800, 4_900])
})

test('a card that is declined for a year leaves the month as it was', { timeout }, async () => {
  const user = await paying('basic')
  await billing.inPortal(user, 'card', { number: FAILS_ON_CHARGE })
  await billing.quiet()
  const before = await rowOf(user)
  expect(await billing.call('switch-plan', user, { plan: 'basic', period: 'year' })).toMatchObject({ status: 402 })
  expect(await rowOf(user)).toMatchObject({ period: 'month', period_end: before.period_end, status: 'active' })
  expect(await chargesOf(user)).toEqual([4_900])
})

test('after a year comes a month: it follows the paid year, can be taken back, and is billed as a month then [spec-43]', {
  timeout,
}, async () => {
  const user = await paying('pro', { period: 'year' })
  const { period_end } = await rowOf(user)
  const { body: preview } = await billing.call('preview-switch', user, { plan: 'basic', period: 'month' })
  expect(preview).toMatchObject({ due: 'next invoice', amount_due_cents: 4_900, next_billing_date: period_end!.toISOString() })
  const planned = { subscription_tier: 'pro', period: 'year', next_plan: 'basic', next_period: 'month' }
  expect(await billing.call('switch-plan', user, { plan: 'basic', period: 'month' })).toMatchObject({ status: 200, body: planned })
  expect(await billing.call('switch-plan', user, { plan: 'enterprise', period: 'year' })).toMatchObject({
    status: 409,
    body: { code: 'switch_planned' },
  })
  const { body: kept } = await billing.call('preview-switch', user, { plan: 'pro', period: 'year' })
  expect(kept).toMatchObject({ due: 'next invoice', amount_due_cents: 94_800 })
  expect(await billing.call('switch-plan', user, { plan: 'pro', period: 'year' })).toMatchObject({
    body: { next_plan: null, next_period: null },
  })
  await billing.call('switch-plan', user, { plan: 'basic', period: 'month' })
  // A cancellation takes the place of the plan for later.
  expect(await billing.call('cancel-subscription', user)).toMatchObject({ body: { cancel_at_period_end: true, next_plan: null } })
  expect(await billing.call('switch-plan', user, { plan: 'basic', period: 'month' })).toMatchObject({ status: 409 })
  await billing.call('resume-subscription', user)
  await billing.call('switch-plan', user, { plan: 'basic', period: 'month' })
  expect(await chargesOf(user)).toEqual([94_800])

  await billing.advance(366, user)
  await billing.becomes(user, { subscription_tier: 'basic', period: 'month', next_plan: null, status: 'active' })
  expect(await chargesOf(user)).toEqual([4_900, 94_800])
  expect(await rowOf(user)).toMatchObject({ allowance_start: null })
  expect(await billing.published('billing.year_renewing', user)).toEqual([])
  // The plan for later is over, and changes go on as ever.
  expect(await billing.call('switch-plan', user, { plan: 'pro', period: 'month' })).toMatchObject({ body: { subscription_tier: 'pro' } })
  await billing.booksMatch()
})

test('a referral takes off the same amount, by the month or by the year, also when that is changed within the trial [spec-17] [S21]', {
  timeout,
}, async () => {
  const sender = billing.user()
  const { code: referral_code } = (await billing.call('referral-summary', sender)).body
  const yearly = await paying('basic', { period: 'year', referral_code })
  expect(await chargesOf(yearly)).toEqual([46_800 - 1_470])
  const switched = await billing.subscribed('basic', undefined, { referral_code })
  expect((await billing.call('preview-switch', switched, { plan: 'basic', period: 'year' })).body).toMatchObject({
    amount_due_cents: 45_330,
  })
  await billing.call('switch-plan', switched, { plan: 'basic', period: 'year' })
  await billing.advance(3.1, switched)
  await billing.becomes(switched, { status: 'active', period: 'year' })
  expect(await chargesOf(switched)).toEqual([45_330])
  const earned = () => billing.db.selectFrom('referrals').select('credit_cents').where('referrer_user_id', '=', sender.id).execute()
  await vi.waitFor(async () => expect((await earned()).map(({ credit_cents }) => credit_cents)).toEqual([1_133, 1_133]), within)
})

test('a month before a year is charged again, its person hears of it once', { timeout }, async () => {
  const user = await paying('basic', { period: 'year' })
  await billing.advance(330, user)
  await billing.sweep()
  expect(await billing.published('billing.year_renewing', user)).toEqual([])
  await billing.advance(8, user)
  const { period_end } = await rowOf(user)
  const told = [{ plan: 'basic', renews_at: period_end!.toISOString(), amount_cents: 46_800, currency: 'usd' }]
  for (let time = 0; time < 2; time++) {
    await billing.sweep()
    await vi.waitFor(async () => expect(await billing.published('billing.year_renewing', user)).toEqual(told), within)
  }
})
