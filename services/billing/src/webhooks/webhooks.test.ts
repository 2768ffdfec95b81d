import { randomBytes } from 'node:crypto'
import { afterAll, afterEach, expect, test, vi } from 'vitest'
import { type Delivery, FAILS_ON_CHARGE, startBilling } from '../fixture.ts'

const billing = await startBilling()
afterAll(() => billing.close())
afterEach(async () => {
  billing.door.shut = false
  billing.door.hold = false
  await billing.mend()
  await billing.control('stripe/webhooks', { duplicate: 0, shuffle: false })
})

const typeOf = ({ body }: Delivery) => JSON.parse(body.toString()).type as string
const within = { timeout: 12_000, interval: 50 }

test('webhooks that come five times, shuffled and at once end as once and in order [R4]', { timeout: 40_000 }, async () => {
  await billing.control('stripe/webhooks', { duplicate: 4, shuffle: true })
  const user = await billing.subscribed('basic')
  await billing.advance(3.1)
  await billing.becomes(user, { status: 'active' })
  await billing.call('switch-plan', user, { plan: 'pro' })
  await billing.advance(31)
  await billing.quiet()
  expect(await billing.check(user)).toMatchObject({ status: 'active', subscription_tier: 'pro', subscribed: true })
  await billing.booksMatch()

  const before = await traces(user.id)
  expect(before.versions).toEqual(before.versions.map((_, i) => i + 1))
  // Once more, all that ever came, backwards and together.
  const again = await Promise.all(billing.door.seen.toReversed().map((delivery) => billing.door.pass(delivery)))
  expect(new Set(again)).toEqual(new Set([200]))
  expect(await traces(user.id)).toEqual(before)
  expect(before.payments).toHaveLength(3)
})

test('a slow answer that has become old does not undo a newer one [R4]', async () => {
  const late = billing.user()
  const { url } = (await billing.call('create-checkout', late, { plan: 'basic' })).body
  billing.door.hold = true
  billing.door.seen.length = 0
  await billing.pay(url)
  // The provider has composed its answer, the trial, before the clock moves; it arrives after the news of the first payment.
  await billing.order({ kind: 'slow_body', match: 'GET /v1/subscriptions', ms: 2500 })
  const slow = billing.call('checkout-status', late, { session_id: url.split('/').at(-1) })
  await vi.waitFor(async () => expect(await billing.faults()).toEqual([]), within)
  await billing.advance(3.1)
  const customer = await billing.customer(late)
  const updated = await vi.waitFor(
    () =>
      billing.door.seen.find((each) => typeOf(each).startsWith('customer.subscription') && each.body.includes(customer)) ??
      Promise.reject(new Error('not yet')),
    within,
  )
  expect(await billing.door.pass(updated)).toBe(200)
  expect(await billing.check(late)).toMatchObject({ status: 'active' })
  await slow
  expect(await billing.check(late)).toMatchObject({ status: 'active' })
  await billing.sweep()
  await billing.booksMatch()
})

/** Somebody whose first charge fails, and the event of it, which is held back. */
async function failedCharge() {
  const user = await billing.subscribed('basic', FAILS_ON_CHARGE)
  billing.door.hold = true
  billing.door.seen.length = 0
  await billing.advance(3.1)
  const customer = await billing.customer(user)
  const failed = await vi.waitFor(
    () =>
      billing.door.seen.find((each) => typeOf(each) === 'invoice.payment_failed' && each.body.includes(customer)) ??
      Promise.reject(new Error('not yet')),
    within,
  )
  return { user, customer, failed }
}

test('an event that comes twenty times at once happens once [R4]', async () => {
  const { user, failed } = await failedCharge()
  const answers = await Promise.all(Array.from({ length: 20 }, () => billing.door.pass(failed)))
  expect(new Set(answers)).toEqual(new Set([200]))
  expect(await billing.published('billing.payment_failed', user)).toHaveLength(1)
  await billing.sweep()
  await billing.booksMatch()
})

test('a failure that is heard of after the payment went through is told to nobody [R4]', async () => {
  const { user, customer, failed } = await failedCharge()
  const card = await billing.stripe.paymentMethods.create({ type: 'card', card: { token: 'tok_visa' } })
  await billing.stripe.paymentMethods.attach(card.id, { customer })
  const [invoice] = (await billing.stripe.invoices.list({ customer, status: 'open' })).data
  await billing.stripe.invoices.pay(invoice!.id!, { payment_method: card.id })
  expect(await billing.door.pass(failed)).toBe(200)
  expect(await billing.published('billing.payment_failed', user)).toEqual([])
  await billing.becomes(user, { status: 'active' })
  await billing.sweep()
  await billing.booksMatch()
})

test('a refund that is heard of before its payment books both, once [R5]', async () => {
  const user = await billing.subscribed('basic')
  billing.door.hold = true
  billing.door.seen.length = 0
  await billing.advance(3.1)
  const [charge] = (await billing.stripe.charges.list({ customer: await billing.customer(user) })).data
  await billing.stripe.refunds.create({ charge: charge!.id })
  await vi.waitFor(() => expect(billing.door.seen.map(typeOf)).toContain('charge.refunded'), within)
  const refundFirst = billing.door.seen.toSorted((a, b) => Number(typeOf(b).includes('refund')) - Number(typeOf(a).includes('refund')))
  for (const delivery of refundFirst) expect(await billing.door.pass(delivery)).toBe(200)
  const booked = await billing.db.selectFrom('ledger_entries').select('kind').where('user_id', '=', user.id).orderBy('kind').execute()
  expect(booked.map(({ kind }) => kind)).toEqual(['charge', 'fee', 'refund'])
  expect(await billing.published('billing.payment_refunded', user)).toMatchObject([{ payment: charge!.id, amount_cents: 4900 }])
  await billing.booksMatch()
})

test('what no webhook told is found by the sweep [R6]', { timeout: 30_000 }, async () => {
  const user = await billing.subscribed('basic')
  billing.door.hold = true
  await billing.advance(3.1)
  await billing.control('stripe/webhooks/drain', {})
  expect(await billing.check(user)).toMatchObject({ status: 'trialing' })
  await billing.sweep()
  await billing.becomes(user, { status: 'active' })
  await billing.booksMatch()
})

test('only the signed bytes are believed, and a replay is an empty 200 [S18]', async () => {
  await billing.subscribed('basic')
  const genuine = billing.door.seen.at(-1)!
  const payload = genuine.body.toString()
  const secret = await billing.secret()
  const sign = (given: { payload: string; secret: string; timestamp?: number }) => billing.stripe.webhooks.generateTestHeaderString(given)
  const now = Math.floor(Date.now() / 1000)
  const refused = {
    'no signature': '',
    'not a signature': 't=1,v1=abc',
    'a part without a value': `t=${now},v1`,
    'nothing but commas': ',,,',
    'letters that take two bytes each': `t=${now},v1=${'é'.repeat(64)}`,
    'another secret': sign({ payload, secret: 'whsec_other' }),
    'six minutes old': sign({ payload, secret, timestamp: now - 360 }),
    'of another body': sign({ payload: `${payload} `, secret }),
    'another scheme': sign({ payload, secret }).replace('v1=', 'v0='),
  }
  const events = await billing.db.selectFrom('provider_events').select('id').execute()
  for (const [what, signature] of Object.entries(refused)) {
    expect(await billing.door.pass({ body: genuine.body, signature }), what).toBe(400)
  }
  const changed = Buffer.from(payload.replace('"livemode":false', '"livemode":true'))
  expect(await billing.door.pass({ body: changed, signature: genuine.signature })).toBe(400)
  expect(await billing.door.pass({ body: randomBytes(300), signature: sign({ payload: 'x', secret }) })).toBe(400)
  expect(await billing.door.pass(genuine)).toBe(200)
  expect(await billing.db.selectFrom('provider_events').select('id').execute()).toHaveLength(events.length)
})

test('an event that fails is kept, listed for staff and replayed with a reason [spec-44] [R23]', async () => {
  const user = await billing.subscribed('basic')
  billing.door.hold = true
  billing.door.seen.length = 0
  await billing.advance(3.1)
  const customer = await billing.customer(user)
  const isOurs = (delivery: Delivery) => typeOf(delivery) === 'customer.subscription.updated' && delivery.body.includes(customer)
  const updated = await vi.waitFor(() => billing.door.seen.find(isOurs) ?? Promise.reject(new Error('not there yet')), within)
  await billing.order({ kind: 'status', status: 500, match: 'GET /v1/subscriptions', times: 3 })
  expect(await billing.door.pass(updated)).toBe(200)

  const staff = billing.staff()
  const { events } = (await billing.call('staff-events', staff, { reason: 'looking after the queue' })).body
  const { id } = JSON.parse(updated.body.toString())
  expect(events.filter((event: { id: string }) => event.id === id)).toMatchObject([
    { type: 'customer.subscription.updated', attempts: 1, status: 'failed' },
  ])
  expect(await billing.check(user)).toMatchObject({ status: 'trialing' })
  expect(await billing.call('staff-replay-event', user, { event_id: id, reason: 'not staff' })).toMatchObject({ status: 403 })
  const unknown = { event_id: 'evt_nobody_sent_this', reason: 'a slip' }
  expect(await billing.call('staff-replay-event', staff, unknown)).toMatchObject({ status: 404, body: { code: 'not_found' } })
  await billing.order({ kind: 'status', status: 500, match: 'GET /v1/subscriptions', times: 3 })
  expect(await billing.call('staff-replay-event', staff, { event_id: id, reason: 'Stripe is up?' })).toMatchObject({
    status: 409,
    body: { code: 'conflict', message: expect.stringMatching(/^It failed again: /) },
  })
  expect(await billing.call('staff-replay-event', staff, { event_id: id, reason: 'Stripe was down' })).toMatchObject({
    body: { status: 'done' },
  })
  expect(await billing.check(user)).toMatchObject({ status: 'active' })
  expect(await billing.call('staff-replay-event', staff, { event_id: id, reason: 'once more' })).toMatchObject({
    body: { status: 'duplicate' },
  })
  const actions = await billing.db
    .selectFrom('staff_actions')
    .select(['action', 'reason', 'staff_user_id'])
    .where('staff_user_id', '=', staff.id)
    .orderBy('id')
    .execute()
  expect(actions.map(({ action, reason }) => `${action}: ${reason}`)).toEqual([
    'list failed events: looking after the queue',
    'replay event: Stripe is up?',
    'replay event: Stripe was down',
    'replay event: once more',
  ])
})

async function traces(userId: string) {
  const published = await billing.db.selectFrom('outbox').select(['name', 'payload']).where('user_id', '=', userId).orderBy('id').execute()
  const entries = await billing.db
    .selectFrom('ledger_entries')
    .select('reference')
    .where('user_id', '=', userId)
    .orderBy('reference')
    .execute()
  const row = await billing.db.selectFrom('subscriptions').selectAll().where('user_id', '=', userId).executeTakeFirstOrThrow()
  const { looks: _, ...state } = row
  return {
    state,
    entries,
    versions: published
      .filter(({ name }) => name === 'billing.subscription_changed')
      .map(({ payload }) => (payload as { version: number }).version),
    payments: published.filter(({ name }) => name === 'billing.payment_succeeded').map(({ payload }) => payload),
  }
}

test('a dispute takes the money and its fee out of the books, once, and says so [R5]', async () => {
  const user = await billing.subscribed('basic', '4000000000000259')
  await billing.advance(3.1)
  await billing.advance(0.1)
  await vi.waitFor(
    async () => expect(await billing.published('billing.payment_disputed', user)).toMatchObject([{ amount_cents: 4900 }]),
    within,
  )
  // Finds what the tests above have held back.
  await billing.sweep()
  await billing.booksMatch()
  const kinds = await billing.db.selectFrom('ledger_entries').select('kind').where('user_id', '=', user.id).orderBy('kind').execute()
  expect(kinds.map(({ kind }) => kind)).toEqual(['charge', 'dispute', 'dispute_fee', 'fee'])
})
