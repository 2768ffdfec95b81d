import { afterAll, afterEach, expect, test } from 'vitest'
import { startBilling } from './fixture.ts'

// The answer of the provider is lost after its effect: to us the same as a crash between its answer and our commit.
const lost = { kind: 'reset_after', times: 3 }

const billing = await startBilling()
afterAll(() => billing.close())
afterEach(async () => {
  billing.door.shut = false
  await billing.mend()
})

const calls = (kind: string, userId: string) =>
  billing.db
    .selectFrom('provider_calls')
    .select(['id', 'state'])
    .where('kind', '=', kind)
    .where('user_id', '=', userId)
    .orderBy('id')
    .execute()

test('a customer whose creation was not heard of is not created again [R3]', async () => {
  const user = billing.user()
  await billing.order({ ...lost, match: 'POST /v1/customers' })
  expect((await billing.call('create-checkout', user, { plan: 'basic' })).status).toBe(503)
  expect((await billing.call('create-checkout', user, { plan: 'basic' })).status).toBe(200)
  const all = await billing.stripe.customers.list({ limit: 100 }).autoPagingToArray({ limit: 1000 })
  expect(all.filter(({ metadata }) => metadata.user_id === user.id)).toHaveLength(1)
})

test('a checkout whose page was not heard of is the same page afterwards [R3]', async () => {
  const user = billing.user()
  await billing.order({ ...lost, match: 'POST /v1/checkout/sessions' })
  expect((await billing.call('create-checkout', user, { plan: 'basic' })).status).toBe(503)
  const { url } = (await billing.call('create-checkout', user, { plan: 'basic' })).body
  const sessions = (await billing.stripe.checkout.sessions.list({ customer: await billing.customer(user) })).data
  expect(sessions.map((session) => session.url)).toEqual([url])
  expect(await calls('checkout', user.id)).toHaveLength(1)
})

test('an upgrade whose answer was lost is charged once [R3]', async () => {
  const user = await billing.subscribed('basic')
  await billing.advance(3.1)
  await billing.becomes(user, { status: 'active' })
  const customer = await billing.customer(user)
  billing.door.shut = true
  await billing.order({ ...lost, match: 'POST /v1/subscriptions' })
  expect((await billing.call('switch-plan', user, { plan: 'enterprise' })).status).toBeGreaterThanOrEqual(500)
  const [open] = await calls('switch-plan', user.id)
  expect(open).toMatchObject({ state: 'open' })
  expect(await billing.call('switch-plan', user, { plan: 'enterprise' })).toMatchObject({
    status: 200,
    body: { subscription_tier: 'enterprise' },
  })
  billing.door.shut = false
  const upgrades = (await billing.stripe.invoices.list({ customer })).data.filter(
    ({ billing_reason }) => billing_reason === 'subscription_update',
  )
  expect(upgrades).toHaveLength(1)
  expect(await calls('switch-plan', user.id)).toEqual([{ id: open!.id, state: 'done' }])
  await billing.booksMatch()
})

test('the key of a lost switch does not stand in the way of a later one: what was undone at the provider meanwhile is done again [R3] [spec-42]', {
  timeout: 30_000,
}, async () => {
  const user = await billing.subscribed('basic')
  await billing.advance(3.1)
  await billing.becomes(user, { status: 'active' })
  const customer = await billing.customer(user)
  const basic = (await billing.stripe.prices.list({ lookup_keys: ['operon_basic_month_usd_4900'] })).data[0]!
  billing.door.shut = true
  await billing.order({ ...lost, match: 'POST /v1/subscriptions' })
  expect((await billing.call('switch-plan', user, { plan: 'pro' })).status).toBeGreaterThanOrEqual(500)
  expect(await billing.check(user)).toMatchObject({ subscription_tier: 'basic' })
  await billing.switchAtProvider(user, basic.id)

  expect(await billing.call('switch-plan', user, { plan: 'pro' })).toMatchObject({ status: 200, body: { subscription_tier: 'pro' } })
  billing.door.shut = false
  const [now] = (await billing.stripe.subscriptions.list({ customer })).data
  expect(now!.items.data[0]!.price.lookup_key).toBe('operon_pro_month_usd_9900')
  expect((await calls('switch-plan', user.id)).map(({ state }) => state)).toEqual(['done', 'done'])
  await billing.booksMatch()
})

test('an old switch that is sent once more answers as it did and switches nothing [spec-42]', { timeout: 30_000 }, async () => {
  const user = await billing.subscribed('basic')
  await billing.advance(3.1)
  await billing.becomes(user, { status: 'active' })
  const customer = await billing.customer(user)
  const first = { 'idempotency-key': 'the-first-switch' }
  const upgraded = await billing.call('switch-plan', user, { plan: 'pro' }, first)
  expect(upgraded).toMatchObject({ status: 200, body: { subscription_tier: 'pro' } })
  expect((await billing.call('switch-plan', user, { plan: 'basic' })).body).toMatchObject({ subscription_tier: 'pro', next_plan: 'basic' })
  const invoices = async () => (await billing.stripe.invoices.list({ customer })).data.length
  const before = await invoices()

  expect(await billing.call('switch-plan', user, { plan: 'pro' }, first)).toEqual(upgraded)
  expect(await billing.check(user)).toMatchObject({ next_plan: 'basic' })
  expect(await invoices()).toBe(before)
  expect(await billing.call('switch-plan', user, { plan: 'enterprise' }, first)).toMatchObject({ status: 422 })
  // The same wish as a new one is another matter.
  expect((await billing.call('switch-plan', user, { plan: 'pro' })).body).toMatchObject({ subscription_tier: 'pro', next_plan: null })
  expect(await invoices()).toBe(before)
})

test('a refund whose answer was lost is given once, with who and why [R3] [S21]', async () => {
  const user = await billing.subscribed('basic')
  await billing.advance(3.1)
  await billing.booksMatch()
  const [charge] = (await billing.stripe.charges.list({ customer: await billing.customer(user) })).data
  const staff = billing.staff()
  const refund = { payment: charge!.id, amount_cents: 1000, reason: 'was double booked' }
  expect((await billing.call('staff-refund', user, refund)).status).toBe(403)
  expect((await billing.call('staff-refund', staff, { ...refund, amount_cents: -5 })).status).toBe(400)
  expect((await billing.call('staff-refund', staff, { ...refund, payment: 'ch_nobody' })).status).toBe(404)
  await billing.order({ ...lost, match: 'POST /v1/refunds' })
  expect((await billing.call('staff-refund', staff, refund)).status).toBeGreaterThanOrEqual(500)
  expect(await billing.call('staff-refund', staff, refund)).toMatchObject({ status: 200, body: { amount_cents: 1000, currency: 'usd' } })
  expect((await billing.stripe.refunds.list({ charge: charge!.id })).data).toHaveLength(1)
  expect(await billing.call('staff-refund', staff, { ...refund, amount_cents: 100_000 })).toMatchObject({ status: 409 })
  await billing.booksMatch()

  const { status, body: account } = await billing.call('staff-account', staff, { query: user.id, reason: 'asked by phone' })
  expect({ status, account }).toMatchObject({ status: 200 })
  expect(account.payments).toMatchObject([
    { kind: 'charge', amount_cents: 4900 },
    { kind: 'refund', amount_cents: -1000 },
  ])
  expect(account.actions.map(({ action }: { action: string }) => action)).toEqual(['look up', 'refund', 'refund', 'refund'])
})

test('a trial is made longer by staff, and only a trial [spec-38]', async () => {
  const user = await billing.subscribed('basic')
  const { trial_end } = await billing.check(user)
  const staff = billing.staff()
  const longer = await billing.call('staff-extend-trial', staff, { user_id: user.id, days: 5, reason: 'was on holiday' })
  expect(Date.parse(longer.body.trial_end) - Date.parse(trial_end)).toBe(5 * 86_400_000)
  expect(await billing.check(user)).toMatchObject({ status: 'trialing', trial_end: longer.body.trial_end })
  expect(await billing.call('staff-extend-trial', staff, { user_id: billing.user().id, days: 5, reason: 'nobody' })).toMatchObject({
    status: 404,
  })
})

test('a trial that is extended twice grows twice, and once where the first answer was lost or two press at once [spec-38] [R3]', async () => {
  const user = await billing.subscribed('basic')
  const began = Date.parse((await billing.check(user)).trial_end)
  const staff = billing.staff()
  const longer = (reason: string) => billing.call('staff-extend-trial', staff, { user_id: user.id, days: 2, reason })
  const days = async () => (Date.parse((await billing.check(user)).trial_end) - began) / 86_400_000

  expect((await longer('was ill')).status).toBe(200)
  expect(await days()).toBe(2)
  expect((await longer('was ill again')).status).toBe(200)
  expect(await days()).toBe(4)

  await billing.order({ ...lost, match: 'POST /v1/subscriptions' })
  expect((await longer('on the phone')).status).toBeGreaterThanOrEqual(500)
  // Meanwhile its webhook came: the days still count from where they counted then.
  await billing.quiet()
  expect(await days()).toBe(6)
  expect((await longer('on the phone')).status).toBe(200)
  expect(await days()).toBe(6)

  const both = await Promise.all([longer('from one desk'), longer('from the other')])
  expect(both.map(({ status }) => status)).toEqual([200, 200])
  const grown = await days()
  expect([8, 10]).toContain(grown)
  expect(grown).toBe((Math.max(...both.map(({ body }) => Date.parse(body.trial_end))) - began) / 86_400_000)
})
