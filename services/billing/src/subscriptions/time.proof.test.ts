import { paymentFailed } from '@operon/contracts/billing/payment-events'
import { limitsOf } from '@operon/contracts/plans'
import { update } from '@operon/kit/testing/rows'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type Delivery, FAILS_ON_CHARGE, GOOD_CARD, startBilling, type TestBilling } from '../fixture.ts'

// Each test has a platform of its own: a card has one trial there.
let billing: TestBilling
beforeEach(async () => {
  billing = await startBilling({ TRIAL_ONCE_PER_CARD: 'true' })
})
afterEach(() => billing.close())

const within = { timeout: 10_000, interval: 50 }
const anotherCard = '5555555555554444'
const ALWAYS_ASKS = '4000002760003184'

test('a failed payment keeps the limits for seven days, then a free account’s, until it is paid [spec-39] [spec-44]', {
  timeout: 30_000,
}, async () => {
  const user = await billing.subscribed('pro')
  await billing.advance(3.1)
  await billing.becomes(user, { status: 'active' })
  await billing.inPortal(user, 'card', { number: FAILS_ON_CHARGE })
  // Over the longest of months, and within the seven days after the shortest.
  await billing.advance(31)
  await billing.becomes(user, { status: 'past_due', subscribed: true })
  const newest = async () => (await billing.published('billing.subscription_changed', user)).at(-1)
  expect(await newest()).toMatchObject({ tier: 'pro', status: 'past_due' })

  await billing.advance(7.6)
  await billing.sweep()
  await billing.becomes(user, { status: 'past_due', subscribed: false })
  await vi.waitFor(async () => expect(await newest()).toMatchObject({ tier: 'none', status: 'past_due', limits: limitsOf('none') }), within)

  // A new card lets the person back in by itself, and is asked once.
  await billing.inPortal(user, 'card', { number: GOOD_CARD })
  await billing.becomes(user, { status: 'active', subscribed: true, subscription_tier: 'pro' })
  await billing.quiet()
  expect(await billing.published('billing.payment_succeeded', user)).toHaveLength(2)
  await billing.booksMatch()
  await vi.waitFor(async () => expect(await newest()).toMatchObject({ tier: 'pro', limits: limitsOf('pro') }), within)
})

test('a card has one trial: another account with it is charged nothing, is told, and pays only for a plan it chose without a trial [spec-38] [S21]', {
  timeout: 30_000,
}, async () => {
  await billing.subscribed('basic', anotherCard)
  const other = billing.user()
  const { url, trial_days } = (await billing.call('create-checkout', other, { plan: 'enterprise' })).body
  expect(trial_days).toBe(3)
  await billing.pay(url, anotherCard)
  await vi.waitFor(async () => expect(await billing.published('billing.trial_refused', other)).toEqual([{ plan: 'enterprise' }]), within)
  const session_id = url.split('/').at(-1)
  expect(await billing.call('checkout-status', other, { session_id })).toMatchObject({
    body: { status: 'complete', plan: 'enterprise', trial_end: null, trial_refused: true },
  })
  await billing.quiet()
  expect(await billing.check(other)).toMatchObject({ subscribed: false, status: 'none', trial_available: false })
  expect((await billing.stripe.charges.list({ customer: await billing.customer(other) })).data).toEqual([])

  const again = (await billing.call('create-checkout', other, { plan: 'enterprise' })).body
  expect(again.trial_days).toBe(0)
  await billing.pay(again.url, anotherCard)
  await billing.becomes(other, { status: 'active', subscription_tier: 'enterprise' })
  await vi.waitFor(
    async () => expect(await billing.published('billing.payment_succeeded', other)).toMatchObject([{ amount_cents: 14_900 }]),
    within,
  )
  expect(await billing.published('billing.trial_refused', other)).toHaveLength(1)
})

test('a trial on a card that has nothing ends with the trial: no grace for who never paid [spec-38] [S27]', async () => {
  const user = await billing.subscribed('enterprise', FAILS_ON_CHARGE)
  await billing.advance(3.1)
  await billing.becomes(user, { status: 'past_due', subscribed: false, grace_until: null })
  expect((await billing.published('billing.subscription_changed', user)).at(-1)).toMatchObject({ tier: 'none', limits: limitsOf('none') })
  await vi.waitFor(
    async () =>
      expect(await billing.published('billing.payment_failed', user)).toMatchObject([{ open_until: null, retry_at: expect.any(String) }]),
    within,
  )
})

test('an upgrade that is not paid does not count: the plan that was paid for stays [S27]', { timeout: 30_000 }, async () => {
  const user = await billing.subscribed('basic')
  await billing.advance(3.1)
  await billing.becomes(user, { status: 'active' })
  await billing.inPortal(user, 'card', { number: FAILS_ON_CHARGE })
  const [price] = (await billing.stripe.prices.list({ lookup_keys: ['operon_enterprise_month_usd_14900'] })).data
  await billing.switchAtProvider(user, price!.id)
  await billing.becomes(user, { status: 'past_due', subscription_tier: 'basic', subscribed: true })
  expect((await billing.published('billing.subscription_changed', user)).at(-1)).toMatchObject({ tier: 'basic', limits: limitsOf('basic') })
  await billing.inPortal(user, 'card', { number: GOOD_CARD })
  await billing.becomes(user, { status: 'active', subscription_tier: 'enterprise' })
})

test('the last email about a failed payment promises no further try and no days that are over [spec-44]', { timeout: 30_000 }, async () => {
  const user = await billing.subscribed('basic')
  await billing.advance(3.1)
  await billing.becomes(user, { status: 'active' })
  await billing.inPortal(user, 'card', { number: FAILS_ON_CHARGE })
  await billing.advance(31)
  await billing.becomes(user, { status: 'past_due' })
  // Asked again after 3, 5 and 7 days.
  for (const days of [3.1, 5.1, 7.1]) {
    await billing.advance(days)
    await billing.sweep()
  }
  const failed = () => billing.published('billing.payment_failed', user)
  await vi.waitFor(async () => expect(await failed()).toHaveLength(4), within)
  const [first, , , last] = await failed()
  expect(first).toMatchObject({ retry_at: expect.any(String), open_until: expect.any(String) })
  expect(last).toMatchObject({ retry_at: null, open_until: null })
  const { text, after } = paymentFailed.email!(last, 'Operon') as { text: string; after: string }
  expect(`${text} ${after}`).toBe(
    'We could not collect $49.00. We will not try this card again. You can choose a plan again at any time. Your data is kept either way.',
  )
})

test('a payment that goes back whole ends the plan it paid for; a part of it does not', async () => {
  const user = await billing.subscribed('pro')
  await billing.advance(3.1)
  await billing.becomes(user, { status: 'active' })
  const [charge] = (await billing.stripe.charges.list({ customer: await billing.customer(user) })).data
  const staff = billing.staff()
  const refund = (amount_cents: number) =>
    billing.call('staff-refund', staff, { payment: charge!.id, amount_cents, reason: 'asked for it' })
  expect(await refund(900)).toMatchObject({ status: 200 })
  await billing.quiet()
  expect(await billing.check(user)).toMatchObject({ status: 'active', subscribed: true })
  expect(await refund(9000)).toMatchObject({ status: 200 })
  await billing.becomes(user, { status: 'canceled', subscribed: false })
  await billing.quiet()
  expect(await billing.published('billing.plan_cancelled', user)).toMatchObject([{ plan: 'pro', trial: false, ended: true }])
  await billing.booksMatch()
})

test('a day before the first charge the account is told, once [spec-38]', async () => {
  const user = await billing.subscribed('enterprise', '378282246310005')
  await billing.sweep()
  await billing.advance(2.5)
  await Promise.all([billing.sweep(), billing.sweep()])
  await vi.waitFor(
    async () => expect(await billing.published('billing.trial_ending', user)).toMatchObject([{ plan: 'enterprise', amount_cents: 14_900 }]),
    within,
  )
})

test('one person is moved ahead: their trial ends, and everybody else is where they were [spec-38]', { timeout: 30_000 }, async () => {
  const [moved, other] = [await billing.subscribed(), await billing.subscribed('basic', anotherCard)]
  await billing.advance(2.5, moved)
  // Nobody waits for the schedule: what time brings comes with the time.
  await vi.waitFor(async () => expect(await billing.published('billing.trial_ending', moved)).toHaveLength(1), within)
  await billing.advance(1, moved)
  await billing.becomes(moved, { status: 'active' })
  await billing.advance(31, moved)
  await billing.sweep()
  await billing.quiet()
  expect(await billing.check(moved)).toMatchObject({ status: 'active' })
  expect(await billing.check(other)).toMatchObject({ status: 'trialing', subscribed: true })
  expect(await billing.published('billing.trial_ending', other)).toEqual([])
  const charged = billing.sandbox.truth.read({ kind: 'charge' }).map(({ customer }) => customer)
  expect(charged.filter((customer) => customer === charged.at(-1))).toHaveLength(2)
  expect(charged.at(-1)).toBe(await billing.customer(moved))
  await billing.booksMatch()
})

test('grace ends by the time of the person whose payment failed, and of nobody else [spec-39]', { timeout: 30_000 }, async () => {
  const users = [await billing.subscribed(), await billing.subscribed('basic', anotherCard)] as const
  for (const user of users) {
    await billing.advance(3.1, user)
    await billing.becomes(user, { status: 'active' })
    await billing.inPortal(user, 'card', { number: FAILS_ON_CHARGE })
    await billing.advance(31, user)
    await billing.becomes(user, { status: 'past_due', subscribed: true })
  }
  await update(billing.db, 'accounts', { user_id: users[0].id }, { provider_ahead_s: 45 * 86_400 })
  await billing.sweep()
  await billing.becomes(users[0], { subscribed: false })
  expect(await billing.check(users[1])).toMatchObject({ status: 'past_due', subscribed: true })
  // The end of dunning is told once, to whose plan it closed.
  await billing.sweep()
  await billing.quiet()
  await vi.waitFor(async () => expect(await billing.published('billing.plan_closed', users[0])).toEqual([{ plan: 'basic' }]), within)
  expect(await billing.published('billing.plan_closed', users[1])).toEqual([])
})

test('what a person does in the portal and staff at the provider counts: switch, cancel, resume [spec-43]', async () => {
  const user = await billing.subscribed('basic', FAILS_ON_CHARGE)
  const pro = (await billing.stripe.prices.list({ lookup_keys: ['operon_pro_month_usd_9900'] })).data[0]!
  await billing.switchAtProvider(user, pro.id)
  await billing.becomes(user, { subscription_tier: 'pro' })
  await billing.inPortal(user, 'cancel')
  await billing.becomes(user, { cancel_at_period_end: true })
  await billing.inPortal(user, 'resume')
  await billing.becomes(user, { cancel_at_period_end: false, subscribed: true })
})

test('3-D Secure: failing leaves no plan, completing starts the trial, and a charge that asks again waits for the person [spec-42]', {
  timeout: 30_000,
}, async () => {
  const user = billing.user()
  const { url } = (await billing.call('create-checkout', user, { plan: 'basic' })).body
  const step = (await billing.pay(url, ALWAYS_ASKS)).location!
  expect(step).toMatch(/\/authenticate$/)
  const failed = await billing.submit(step, { result: 'fail' })
  expect([failed.status, failed.text]).toEqual([402, expect.stringContaining('unable to authenticate')])
  expect(await billing.check(user)).toMatchObject({ subscribed: false, status: 'none' })

  await billing.pay(url, ALWAYS_ASKS)
  expect((await billing.submit(step, { result: 'complete' })).location).toContain('/thank-you?session_id=')
  await billing.becomes(user, { status: 'trialing', subscribed: true })

  await billing.advance(3.1)
  await billing.becomes(user, { status: 'past_due', subscribed: false })
  await vi.waitFor(
    async () => expect(await billing.published('billing.payment_failed', user)).toMatchObject([{ amount_cents: 4900 }]),
    within,
  )
  const [open] = (await billing.stripe.invoices.list({ customer: await billing.customer(user), status: 'open' })).data
  await billing.inPortal(user, 'pay', { invoice: open!.id })
  await billing.becomes(user, { status: 'active', subscribed: true })
  await billing.booksMatch()
})

test('a cancelled plan closes at its end by the date alone: no webhook, the provider down [spec-44] [spec-46]', {
  timeout: 30_000,
}, async () => {
  const user = await billing.subscribed('pro')
  await billing.call('cancel-subscription', user)
  await billing.control('stripe/webhooks/drain', {})
  billing.door.hold = true
  billing.door.seen.length = 0
  await billing.order({ kind: 'status', status: 500, match: 'GET /v1/', times: 500 })
  await billing.advance(3.1)
  // Only the time there is heard of, by an event that names nobody.
  await billing.stripe.products.create({ name: 'A sign of the time' })
  const isSign = ({ body }: Delivery) => JSON.parse(body.toString()).type === 'product.created'
  const sign = await vi.waitFor(() => billing.door.seen.find(isSign) ?? Promise.reject(new Error('not there yet')), within)
  expect(await billing.door.pass(sign)).toBe(200)
  expect(await billing.single(user, `subscribers?select=*&user_id=eq.${user.id}&subscribed=eq.true`)).toMatchObject({ status: 406 })

  await billing.sweep()
  await billing.becomes(user, { status: 'canceled', subscribed: false, subscription_tier: null })
  expect((await billing.published('billing.subscription_changed', user)).at(-1)).toMatchObject({ tier: 'none', limits: limitsOf('none') })
})
