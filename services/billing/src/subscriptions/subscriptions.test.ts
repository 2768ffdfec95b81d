import { budgetsOf, limitsOf } from '@operon/contracts/plans'
import { update } from '@operon/kit/testing/rows'
import { afterAll, expect, test, vi } from 'vitest'
import { DAY, FAILS_ON_CHARGE, GOOD_CARD, startBilling } from '../fixture.ts'

const billing = await startBilling()
afterAll(() => billing.close())

const within = { timeout: 10_000, interval: 50 }

test('a checkout paid on its page makes a subscriber, and everyone who meters hears it [spec-11] [spec-42] [spec-44]', async () => {
  const user = billing.user()
  const checkout = await billing.call('create-checkout', user, { plan: 'pro' })
  expect(checkout.status).toBe(200)
  await billing.pay(checkout.body.url)
  await billing.becomes(user, { subscribed: true, subscription_tier: 'pro', status: 'trialing' })
  const row = await billing.db.selectFrom('subscribers').selectAll().where('user_id', '=', user.id).executeTakeFirstOrThrow()
  expect(row).toMatchObject({ subscribed: true, subscription_tier: 'pro' })
  const told = await billing.published('billing.subscription_changed', user)
  expect(told.at(-1)).toMatchObject({ tier: 'trial', status: 'trialing', limits: limitsOf('trial') })
  expect(told.map(({ version }) => version)).toEqual(told.map((_, i) => i + 1))
})

test('trial, paid, upgraded, payment fails, recovered, cancelled: as the clock moves [spec-12] [spec-38] [spec-41] [spec-44]', async () => {
  const user = await billing.subscribed('basic')
  const subscriber = () => billing.single(user, `subscribers?select=*&user_id=eq.${user.id}&subscribed=eq.true`)
  expect((await subscriber()).body).toMatchObject({ subscribed: true, subscription_tier: 'basic', status: 'trialing' })
  const trial = await billing.check(user)
  expect(Date.parse(trial.trial_end) - Date.now()).toBeGreaterThan(2.9 * DAY * 1000)
  expect(trial.current_period_end).toBe(trial.trial_end)

  await billing.advance(3.1)
  await billing.becomes(user, { status: 'active', subscription_tier: 'basic', subscribed: true })

  const preview = await billing.call('preview-switch', user, { plan: 'enterprise' })
  expect(preview).toMatchObject({ status: 200, body: { currency: 'usd' } })
  expect(preview.body.amount_due_cents).toBeGreaterThan(9000)
  expect(preview.body.amount_due_cents).toBeLessThanOrEqual(10_000)
  const upgraded = await billing.call('switch-plan', user, { plan: 'enterprise' })
  expect(upgraded).toMatchObject({ status: 200, body: { subscription_tier: 'enterprise', status: 'active' } })
  expect(upgraded.body.usage.find((each: { unit: string }) => each.unit === 'prompts').limit).toBeNull()
  expect((await billing.published('billing.subscription_changed', user)).at(-1)).toMatchObject({
    tier: 'enterprise',
    limits: limitsOf('enterprise'),
  })

  await billing.inPortal(user, 'card', { number: FAILS_ON_CHARGE })
  await billing.advance(31)
  await billing.becomes(user, { status: 'past_due', subscribed: true, subscription_tier: 'enterprise' })
  expect((await billing.published('billing.payment_failed', user)).length).toBeGreaterThan(0)

  await billing.inPortal(user, 'card', { number: GOOD_CARD })
  await billing.becomes(user, { status: 'active', subscribed: true })

  const cancelled = await billing.call('cancel-subscription', user)
  expect(cancelled.body).toMatchObject({ cancel_at_period_end: true, subscribed: true })
  expect((await billing.call('resume-subscription', user)).body).toMatchObject({ cancel_at_period_end: false })
  await billing.call('cancel-subscription', user)
  await billing.quiet()
  // Told each time it is cancelled, and not again by the webhooks.
  const ends_at = cancelled.body.current_period_end
  expect(await billing.published('billing.plan_cancelled', user)).toEqual([1, 2].map(() => ({ plan: 'enterprise', ends_at, trial: false })))
  await billing.advance(32)
  await billing.becomes(user, { status: 'canceled', subscribed: false, subscription_tier: null })
  expect(await subscriber()).toMatchObject({ status: 406, body: { code: 'PGRST116' } })
  expect((await billing.published('billing.subscription_changed', user)).at(-1)).toMatchObject({ tier: 'none', limits: limitsOf('none') })
  await billing.booksMatch()
})

test('a cancelled trial is told of once, also where it changes afterwards', async () => {
  const user = await billing.subscribed('pro')
  await billing.call('cancel-subscription', user)
  await billing.call('staff-extend-trial', billing.staff(), { user_id: user.id, days: 2, reason: 'asked for it' })
  await billing.quiet()
  expect(await billing.check(user)).toMatchObject({ status: 'trialing', cancel_at_period_end: true })
  expect(await billing.published('billing.plan_cancelled', user)).toMatchObject([{ plan: 'pro', trial: true }])
})

test('upgraded, used and lowered again gives nothing back: the paid plan stays to its end, the lower one follows, and may be taken back [S27]', {
  timeout: 30_000,
}, async () => {
  const user = await billing.subscribed('basic')
  await billing.advance(3.1)
  await billing.becomes(user, { status: 'active' })
  await billing.call('switch-plan', user, { plan: 'enterprise' })
  const customer = await billing.customer(user)
  const owed = async () => {
    const invoices = (await billing.stripe.invoices.list({ customer, limit: 100 })).data
    const { balance } = (await billing.stripe.customers.retrieve(customer)) as { balance: number }
    return { paid: invoices.reduce((sum, { amount_paid }) => sum + amount_paid, 0), balance }
  }
  const before = await owed()
  const preview = (await billing.call('preview-switch', user, { plan: 'basic' })).body
  expect(preview).toMatchObject({ amount_due_cents: 4900, due: 'next invoice', lines: [{ amount_cents: 4900 }] })
  const lowered = { status: 200, body: { subscription_tier: 'enterprise', next_plan: 'basic' } }
  expect(await billing.call('switch-plan', user, { plan: 'basic' })).toMatchObject(lowered)
  expect((await billing.published('billing.subscription_changed', user)).at(-1)).toMatchObject({
    tier: 'enterprise',
    budgets_microusd: budgetsOf('enterprise'),
  })
  expect(await owed()).toEqual(before)

  // Round and round: nothing is charged or credited within the period.
  expect(await billing.call('switch-plan', user, { plan: 'pro' })).toMatchObject({
    body: { subscription_tier: 'enterprise', next_plan: 'pro' },
  })
  expect(await billing.call('switch-plan', user, { plan: 'enterprise' })).toMatchObject({
    body: { subscription_tier: 'enterprise', next_plan: null },
  })
  expect(await billing.call('switch-plan', user, { plan: 'basic' })).toMatchObject(lowered)
  expect(await owed()).toEqual(before)

  await billing.advance(31)
  await billing.becomes(user, { subscription_tier: 'basic', next_plan: null })
  expect((await billing.published('billing.subscription_changed', user)).at(-1)).toMatchObject({ tier: 'basic' })
  expect(await owed()).toEqual({ paid: before.paid + 4900, balance: before.balance })
  await billing.booksMatch()
})

test('above a plan that stays until its end, an upgrade waits until it is kept', { timeout: 30_000 }, async () => {
  const user = await billing.subscribed('pro')
  await billing.advance(3.1)
  await billing.becomes(user, { status: 'active' })
  await billing.call('switch-plan', user, { plan: 'basic' })
  expect(await billing.call('switch-plan', user, { plan: 'enterprise' })).toMatchObject({ status: 409, body: { code: 'switch_planned' } })
  expect(await billing.call('preview-switch', user, { plan: 'enterprise' })).toMatchObject({ status: 409 })
  expect(await billing.call('switch-plan', user, { plan: 'pro' })).toMatchObject({ status: 200, body: { next_plan: null } })
  const { amount_due_cents } = (await billing.call('preview-switch', user, { plan: 'enterprise' })).body
  expect(amount_due_cents).toBeLessThanOrEqual(5000)
})

test('who is not signed in reads the sentences of the specification [spec-43]', async () => {
  expect(await billing.call('create-checkout', null, { plan: 'pro' })).toMatchObject({
    status: 401,
    body: { message: 'Please log in to select a plan' },
  })
  expect(await billing.call('customer-portal', null)).toMatchObject({
    status: 401,
    body: { message: 'Please log in to manage your subscription' },
  })
  expect(await billing.call('check-subscription', null)).toMatchObject({ status: 401, body: { message: 'Not authenticated' } })
})

test('a provider that is down answers the sentences of the specification [spec-42] [spec-43]', async () => {
  const user = await billing.subscribed()
  const other = billing.user()
  await billing.order({ kind: 'status', status: 500, match: 'billing_portal', times: 3 })
  await billing.order({ kind: 'status', status: 500, match: 'checkout', times: 3 })
  expect(await billing.call('customer-portal', user)).toMatchObject({ status: 503, body: { message: 'Unable to access billing portal' } })
  expect(await billing.call('create-checkout', other, { plan: 'pro' })).toMatchObject({
    status: 503,
    body: { message: 'Failed to create checkout session' },
  })
  expect((await billing.call('create-checkout', other, { plan: 'pro' })).status).toBe(200)
  expect(await billing.call('customer-portal', billing.user())).toMatchObject({ status: 404 })
})

test('fifty parallel checkouts make one customer and one page [spec-42]', { timeout: 30_000 }, async () => {
  const user = billing.user()
  const answers = await Promise.all(Array.from({ length: 50 }, () => billing.call('create-checkout', user, { plan: 'basic' })))
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
  expect(new Set(answers.map(({ body }) => body.url)).size).toBe(1)
  const customers = await billing.stripe.customers.list({ limit: 100 }).autoPagingToArray({ limit: 10_000 })
  expect(customers.filter(({ metadata }) => metadata.user_id === user.id)).toHaveLength(1)
})

test('another plan closes the open page; a subscriber is sent to switching; a second trial is not given [spec-38] [spec-42]', async () => {
  const user = billing.user()
  expect(await billing.check(user)).toMatchObject({ trial_available: true })
  const first = await billing.call('create-checkout', user, { plan: 'basic' })
  const second = await billing.call('create-checkout', user, { plan: 'pro' })
  expect(second.body.url).not.toBe(first.body.url)
  await billing.pay(first.body.url)
  expect(await billing.check(user)).toMatchObject({ subscribed: false, status: 'none' })
  await billing.pay(second.body.url)
  await billing.becomes(user, { status: 'trialing', subscription_tier: 'pro' })
  expect(await billing.call('create-checkout', user, { plan: 'basic' })).toMatchObject({
    status: 409,
    body: { code: 'already_subscribed' },
  })
  await billing.call('cancel-subscription', user)
  await billing.advance(4)
  await billing.becomes(user, { status: 'canceled', subscribed: false })
  // The plan page says so before anything is chosen, and the checkout grants none.
  expect(await billing.check(user)).toMatchObject({ trial_available: false })
  const again = await billing.call('create-checkout', user, { plan: 'basic' })
  expect(again.body).toMatchObject({ trial_days: 0 })
  await billing.pay(again.body.url)
  await billing.becomes(user, { status: 'active', trial_end: null })
  await billing.booksMatch()
})

test('the page that the person comes back to does not wait for the webhook, and is only theirs [spec-42]', async () => {
  const user = billing.user()
  const checkout = await billing.call('create-checkout', user, { plan: 'basic' })
  const sessionId = new URL(checkout.body.url).pathname.split('/').at(-1)!
  expect(await billing.call('checkout-status', user, { session_id: sessionId })).toMatchObject({ body: { status: 'open', plan: null } })
  billing.door.shut = true
  await billing.pay(checkout.body.url)
  expect(await billing.call('checkout-status', user, { session_id: sessionId })).toMatchObject({
    body: { status: 'complete', plan: 'basic' },
  })
  billing.door.shut = false
  expect(await billing.call('checkout-status', billing.user(), { session_id: sessionId })).toMatchObject({ status: 404 })
})

test('a card that is declined leaves no subscription; one that asks for 3-D Secure goes through it [spec-42]', async () => {
  const user = billing.user()
  const { url } = (await billing.call('create-checkout', user, { plan: 'basic' })).body
  expect((await billing.pay(url, '4000000000000002')).text).toContain('declined')
  expect(await billing.check(user)).toMatchObject({ subscribed: false })
})

test('four plans chosen at once leave one page that can be paid [spec-42] [S21]', async () => {
  const user = billing.user()
  const answers = await Promise.all(['basic', 'pro', 'enterprise', 'basic'].map((plan) => billing.call('create-checkout', user, { plan })))
  expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThan(0)
  expect(answers.filter(({ status }) => status !== 200 && status !== 409)).toEqual([])
  const open = (await billing.stripe.checkout.sessions.list({ customer: await billing.customer(user), limit: 100 })).data.filter(
    ({ status }) => status === 'open',
  )
  expect(open).toHaveLength(1)
})

test('a second subscription that was paid for beside the first goes back to its card, and leaves no credit [S21]', async () => {
  const user = await billing.subscribed('basic')
  await billing.advance(3.1)
  await billing.becomes(user, { status: 'active' })
  const customer = await billing.customer(user)
  const [price] = (await billing.stripe.prices.list({ lookup_keys: ['operon_pro_month_usd_9900'] })).data
  const [first] = (await billing.stripe.subscriptions.list({ customer })).data
  const default_payment_method = first!.default_payment_method as string
  const second = await billing.stripe.subscriptions.create({ customer, items: [{ price: price!.id }], default_payment_method })
  await vi.waitFor(async () => expect((await billing.stripe.subscriptions.retrieve(second.id)).status).toBe('canceled'), within)
  await billing.quiet()
  const refunds = (await billing.stripe.refunds.list({ limit: 100 })).data.filter(({ reason }) => reason === 'duplicate')
  expect(refunds.map(({ amount }) => amount)).toEqual([9900])
  expect(await billing.stripe.customers.retrieve(customer)).toMatchObject({ balance: 0 })
  expect(await billing.check(user)).toMatchObject({ status: 'active', subscription_tier: 'basic' })
  await billing.booksMatch()
})

test('a trial that was made longer is announced again before its new end, and one that is over no more [spec-38]', {
  timeout: 30_000,
}, async () => {
  const user = await billing.subscribed('basic')
  const told = async () => (await billing.published('billing.trial_ending', user)).map(({ trial_end }) => trial_end)
  const end = async () => (await billing.check(user)).trial_end as string
  await billing.advance(2.5)
  await billing.sweep()
  await vi.waitFor(async () => expect(await told()).toHaveLength(1), within)

  const staff = billing.staff()
  await billing.call('staff-extend-trial', staff, { user_id: user.id, days: 5, reason: 'could not try it yet' })
  await billing.sweep()
  await billing.advance(4.8)
  await billing.sweep()
  await vi.waitFor(async () => expect((await told())[1]).toBe(await end()), within)

  // The sweep was away while this one ran out: nothing is announced after the fact.
  const late = await billing.subscribed('basic')
  await billing.advance(3.1)
  await billing.becomes(late, { status: 'active' })
  await update(billing.db, 'subscriptions', { user_id: late.id }, { reminded_at: null })
  await billing.sweep()
  const other = await billing.subscribed('basic')
  await billing.advance(2.5)
  await billing.sweep()
  await vi.waitFor(async () => expect(await billing.published('billing.trial_ending', other)).toHaveLength(1), within)
  expect((await billing.published('billing.trial_ending', late)).length).toBeLessThanOrEqual(1)
  expect(await told()).toHaveLength(2)
})
