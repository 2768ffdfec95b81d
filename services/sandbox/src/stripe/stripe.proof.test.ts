import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Stripe from 'stripe'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { readBody } from '../core/wire.ts'
import { type Sandbox, startSandbox } from '../sandbox.ts'
import { openConformance } from './sdk/conforms.ts'
import { tablePath, textOf } from './sdk/write.ts'

const DAY = 86_400
/** Every answer and every event of the tests below. */
const conformance = openConformance()
const dataDir = mkdtempSync(join(tmpdir(), 'sandbox-stripe-'))
let sandbox: Sandbox
let stripe: Stripe
let secret = ''
let hook: Server
let hookStatus = 200
let received: Stripe.Event[] = []
let basic: Stripe.Price
let pro: Stripe.Price

const client = () => {
  const { hostname, port } = new URL(sandbox.addresses.stripe)
  return new Stripe('sk_test_sandbox', { host: hostname, port: Number(port), protocol: 'http', maxNetworkRetries: 0 })
}
async function control(method: string, path: string, body?: object) {
  const answer = await fetch(sandbox.addresses.stripe + path, {
    method,
    redirect: 'manual',
    ...(body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  })
  const text = await answer.text()
  return { status: answer.status, headers: answer.headers, text, json: () => JSON.parse(text) }
}
const press = (path: string, fields: Record<string, string>) =>
  fetch(sandbox.addresses.stripe + path, { method: 'POST', redirect: 'manual', body: new URLSearchParams(fields) })
const advance = (seconds: number) => control('POST', '/sandbox/api/stripe/clock/advance', { seconds })
const drain = () => control('POST', '/sandbox/api/stripe/webhooks/drain')
const types = () => received.map((event) => event.type)
const pathOf = (url: string | null) => new URL(url!).pathname

beforeAll(async () => {
  sandbox = await startSandbox({ dataDir, publicUrl: 'http://localhost:9201', seed: 'stripe', heard: conformance.heard })
  stripe = client()
  hook = createServer(async (request, response) => {
    const body = await readBody(request)
    if (hookStatus === 200) received.push(stripe.webhooks.constructEvent(body, request.headers['stripe-signature']!, secret))
    response.writeHead(hookStatus).end()
  }).listen(0, '127.0.0.1')
  await once(hook, 'listening')
  const { port } = hook.address() as { port: number }
  const endpoint = await stripe.webhookEndpoints.create({ url: `http://127.0.0.1:${port}/webhooks/stripe`, enabled_events: ['*'] })
  secret = endpoint.secret!
  const price = async (name: string, unit_amount: number) => {
    const product = await stripe.products.create({ name, metadata: { plan: name.toLowerCase() } })
    return stripe.prices.create({
      product: product.id,
      currency: 'usd',
      unit_amount,
      recurring: { interval: 'month' },
      lookup_key: name.toLowerCase(),
    })
  }
  basic = await price('Basic', 4900)
  pro = await price('Pro', 9900)
  await drain()
})
beforeEach(async () => {
  hookStatus = 200
  await control('DELETE', '/sandbox/faults')
  await control('POST', '/sandbox/api/stripe/webhooks', { duplicate: 0, pause: false })
  await drain()
  received = []
})
afterAll(async () => {
  await sandbox.close()
  hook.close()
  rmSync(dataDir, { recursive: true })
})

async function subscribed(options: { trial?: number; card?: string; coupon?: string } = {}) {
  const customer = await stripe.customers.create({ email: 'ada@example.com', metadata: { user_id: 'u1' } })
  const session = await stripe.checkout.sessions.create({
    mode: 'subscription',
    customer: customer.id,
    line_items: [{ price: basic.id, quantity: 1 }],
    success_url: 'http://localhost:9201/thank-you?session_id={CHECKOUT_SESSION_ID}',
    cancel_url: 'http://localhost:9201/pricing',
    client_reference_id: 'u1',
    ...(options.coupon && { discounts: [{ coupon: options.coupon }] }),
    subscription_data: { metadata: { user_id: 'u1' }, ...(options.trial && { trial_period_days: options.trial }) },
  })
  const answer = await press(pathOf(session.url), { email: 'ada@example.com', name: 'Ada', number: options.card ?? '4242 4242 4242 4242' })
  const done = await stripe.checkout.sessions.retrieve(session.id, { expand: ['subscription', 'subscription.latest_invoice'] })
  return { customer, session: done, answer, subscription: done.subscription as Stripe.Subscription }
}

describe('checkout', () => {
  test('a person starts a trial on the page, and the webhooks say so, signed', async () => {
    const { answer, session, subscription, customer } = await subscribed({ trial: 3 })
    expect(answer.status).toBe(303)
    expect(answer.headers.get('location')).toBe(`http://localhost:9201/thank-you?session_id=${session.id}`)
    expect(session).toMatchObject({ status: 'complete', payment_status: 'no_payment_required', client_reference_id: 'u1' })
    expect(subscription).toMatchObject({ status: 'trialing', metadata: { user_id: 'u1' }, customer: customer.id })
    const [item] = subscription.items.data
    expect(item!.current_period_end).toBe(subscription.trial_end)
    expect(subscription.trial_end! - subscription.trial_start!).toBe(3 * DAY)
    expect((subscription.latest_invoice as Stripe.Invoice).amount_paid).toBe(0)
    await drain()
    expect(types()).toEqual(
      expect.arrayContaining([
        'checkout.session.completed',
        'customer.subscription.created',
        'customer.subscription.trial_will_end',
        'invoice.paid',
      ]),
    )
    expect(JSON.stringify(received)).not.toContain('"_')
  })

  test('without a trial the card is charged and the fee is in the balance', async () => {
    const { subscription } = await subscribed()
    expect(subscription.status).toBe('active')
    const invoice = await stripe.invoices.retrieve((subscription.latest_invoice as Stripe.Invoice).id!, {
      expand: ['payments.data.payment.payment_intent'],
    })
    const intent = invoice.payments!.data[0]!.payment.payment_intent as Stripe.PaymentIntent
    const charge = await stripe.charges.retrieve(intent.latest_charge as string, { expand: ['balance_transaction'] })
    const moved = charge.balance_transaction as Stripe.BalanceTransaction
    expect(invoice).toMatchObject({ status: 'paid', amount_paid: 4900, total: 4900 })
    expect(moved).toMatchObject({ amount: 4900, fee: 172, net: 4728 })
    expect(sandbox.truth.read({ kind: 'charge' }).at(-1)).toMatchObject({ amount: 4900, fee: 172, invoice: invoice.id })
  })

  test('a declined card shows why, and another one goes through', async () => {
    const order = randomUUID()
    const session = await stripe.checkout.sessions.create({
      mode: 'payment',
      line_items: [{ quantity: 2, price_data: { currency: 'usd', unit_amount: 1500, product_data: { name: 'Guide' } } }],
      success_url: 'http://localhost:9201/ok',
      payment_intent_data: { metadata: { order } },
    })
    const declined = await press(pathOf(session.url), { email: 'b@example.com', number: '4000000000000002' })
    expect(declined.status).toBe(402)
    expect(await declined.text()).toContain('Your card was declined.')
    expect((await press(pathOf(session.url), { email: 'b@example.com', number: '4111111111111111' })).status).toBe(402)
    expect((await press(pathOf(session.url), { email: 'b@example.com', number: '4242424242424242' })).status).toBe(303)
    const done = await stripe.checkout.sessions.retrieve(session.id, { expand: ['payment_intent', 'line_items'] })
    expect(done).toMatchObject({ payment_status: 'paid', amount_total: 3000 })
    expect(done.line_items!.data[0]).toMatchObject({ quantity: 2, amount_total: 3000 })
    expect(done.payment_intent).toMatchObject({ status: 'succeeded', metadata: { order }, amount_received: 3000 })
    const facts = sandbox.truth
      .read({ provider: 'stripe' })
      .filter((fact) => (fact.metadata as { order?: string } | undefined)?.order === order)
    expect(facts.map((fact) => fact.kind)).toEqual(['charge_failed', 'charge'])
  })

  test('3-D Secure asks first: failing leaves it open, completing subscribes', async () => {
    const session = await stripe.checkout.sessions.create({
      mode: 'subscription',
      line_items: [{ price: basic.id, quantity: 1 }],
      success_url: 'http://localhost:9201/ok',
      customer_email: 'c@example.com',
    })
    const first = await press(pathOf(session.url), { email: 'c@example.com', number: '4000000000003220' })
    const step = first.headers.get('location')!
    expect(step).toBe(`${pathOf(session.url)}/authenticate`)
    expect((await control('GET', step)).text).toContain('Complete authentication')
    expect((await press(step, { result: 'fail' })).status).toBe(402)
    expect((await stripe.checkout.sessions.retrieve(session.id)).status).toBe('open')
    await press(pathOf(session.url), { email: 'c@example.com', number: '4000000000003220' })
    expect((await press(step, { result: 'complete' })).headers.get('location')).toBe('http://localhost:9201/ok')
    const done = await stripe.checkout.sessions.retrieve(session.id, { expand: ['subscription', 'customer'] })
    expect((done.subscription as Stripe.Subscription).status).toBe('active')
    expect(done.customer).toMatchObject({ email: 'c@example.com' })
  })

  test('a coupon takes 30 % off the first month only', async () => {
    const coupon = await stripe.coupons.create({ percent_off: 30, duration: 'once' })
    const { subscription } = await subscribed({ trial: 3, coupon: coupon.id })
    await advance(3 * DAY + 60)
    const invoices = async () => (await stripe.invoices.list({ subscription: subscription.id })).data.map((invoice) => invoice.total)
    expect(await invoices()).toEqual([3430, 0])
    await advance(32 * DAY)
    expect(await invoices()).toEqual([4900, 3430, 0])
  })
})

describe('the life of a subscription', () => {
  test('trial ends into a paid month, upgrade is prorated as previewed, a failing card leads past due and back', async () => {
    const { subscription, customer } = await subscribed({ trial: 3 })
    await advance(3 * DAY + 60)
    const active = await stripe.subscriptions.retrieve(subscription.id)
    expect(active.status).toBe('active')
    expect(types()).toEqual(expect.arrayContaining(['invoice.paid', 'customer.subscription.updated', 'charge.succeeded']))

    const item = active.items.data[0]!
    const proration_date = item.current_period_start + Math.floor((item.current_period_end - item.current_period_start) / 2)
    await advance(proration_date - (await control('GET', '/sandbox/api/stripe/clock')).json().now)
    const update = { items: [{ id: item.id, price: pro.id }], proration_behavior: 'always_invoice' as const }
    const preview = await stripe.invoices.createPreview({
      subscription: subscription.id,
      subscription_details: { ...update, proration_date },
    })
    const upgraded = await stripe.subscriptions.update(
      subscription.id,
      { ...update, proration_date },
      { idempotencyKey: `switch-${subscription.id}` },
    )
    const charged = await stripe.invoices.retrieve(upgraded.latest_invoice as string)
    expect(charged.total).toBe(preview.total)
    expect(charged.total).toBe(2500)
    expect(charged.lines.data.map((line) => line.amount)).toEqual([-2450, 4950])
    expect(upgraded.items.data[0]!.price.id).toBe(pro.id)

    const bad = await stripe.paymentMethods.attach('pm_card_chargeCustomerFail', { customer: customer.id })
    await stripe.subscriptions.update(subscription.id, { default_payment_method: bad.id })
    received = []
    await advance(16 * DAY)
    const late = await stripe.subscriptions.retrieve(subscription.id, { expand: ['latest_invoice'] })
    expect(late.status).toBe('past_due')
    expect(late.latest_invoice).toMatchObject({ status: 'open', amount_due: 9900 })
    expect(types()).toContain('invoice.payment_failed')

    const good = await stripe.paymentMethods.attach('pm_card_visa', { customer: customer.id })
    await stripe.subscriptions.update(subscription.id, { default_payment_method: good.id })
    await advance(7 * DAY)
    expect((await stripe.subscriptions.retrieve(subscription.id)).status).toBe('active')

    await stripe.subscriptions.update(subscription.id, { cancel_at_period_end: true })
    received = []
    await advance(31 * DAY)
    expect((await stripe.subscriptions.retrieve(subscription.id)).status).toBe('canceled')
    expect(types()).toContain('customer.subscription.deleted')
  })

  test('a card that keeps failing ends the subscription after the last retry', async () => {
    const { subscription } = await subscribed({ trial: 3, card: '4000000000000341' })
    expect(subscription.status).toBe('trialing')
    await advance(4 * DAY)
    expect((await stripe.subscriptions.retrieve(subscription.id)).status).toBe('past_due')
    await advance(20 * DAY)
    const over = await stripe.subscriptions.retrieve(subscription.id)
    expect(over).toMatchObject({ status: 'canceled', cancellation_details: { reason: 'payment_failed' } })
  })

  test('the portal switches, cancels, resumes and changes the card', async () => {
    const { customer, subscription } = await subscribed()
    const return_url = 'http://localhost:9201/pricing'
    const plain = await stripe.billingPortal.sessions.create({ customer: customer.id, return_url })
    expect((await press(pathOf(plain.url), { action: 'switch', price: pro.id })).status).toBe(402)
    const { id: configuration } = await stripe.billingPortal.configurations.create({
      features: { subscription_update: { enabled: true, default_allowed_updates: ['price'], products: [] } },
    })
    const { url } = await stripe.billingPortal.sessions.create({ customer: customer.id, return_url, configuration })
    const now = () => stripe.subscriptions.retrieve(subscription.id)
    expect((await control('GET', pathOf(url))).text).toContain('Basic')
    expect((await press(pathOf(url), { action: 'switch', price: pro.id })).status).toBe(303)
    expect((await now()).items.data[0]!.price.id).toBe(pro.id)
    await press(pathOf(url), { action: 'cancel' })
    expect((await now()).cancel_at_period_end).toBe(true)
    await press(pathOf(url), { action: 'resume' })
    expect((await now()).cancel_at_period_end).toBe(false)
    expect((await press(pathOf(url), { action: 'card', number: '4000000000000002' })).status).toBe(402)
    await press(pathOf(url), { action: 'card', number: '5555555555554444' })
    const method = await stripe.paymentMethods.retrieve((await now()).default_payment_method as string)
    expect(method.card).toMatchObject({ brand: 'mastercard', last4: '4444' })
    const [invoice] = (await stripe.invoices.list({ customer: customer.id })).data
    expect((await control('GET', pathOf(invoice!.hosted_invoice_url!))).text).toContain('<strong>Paid</strong>')
    expect((await control('GET', pathOf(invoice!.invoice_pdf!))).text).toContain('%PDF-1.4')
  })

  test('a switch that the card cannot pay changes nothing when that was asked for', async () => {
    const { subscription, customer } = await subscribed()
    const bad = await stripe.paymentMethods.attach('pm_card_chargeCustomerFail', { customer: customer.id })
    await stripe.subscriptions.update(subscription.id, { default_payment_method: bad.id })
    const items = [{ id: subscription.items.data[0]!.id, price: pro.id }]
    const tried = stripe.subscriptions.update(subscription.id, {
      items,
      proration_behavior: 'always_invoice',
      payment_behavior: 'error_if_incomplete',
    })
    await expect(tried).rejects.toMatchObject({ type: 'StripeCardError', code: 'card_declined' })
    const after = await stripe.subscriptions.retrieve(subscription.id)
    expect(after).toMatchObject({ status: 'active', latest_invoice: (subscription.latest_invoice as Stripe.Invoice).id })
    expect(after.items.data[0]!.price.id).toBe(basic.id)
  })

  test('a test clock moves its own customers and nobody else', async () => {
    const { subscription: other } = await subscribed({ trial: 3 })
    const frozen_time = Math.floor(Date.UTC(2027, 0, 31) / 1000)
    const clock = await stripe.testHelpers.testClocks.create({ frozen_time })
    const customer = await stripe.customers.create({ test_clock: clock.id, payment_method: 'pm_card_visa' })
    const subscription = await stripe.subscriptions.create({ customer: customer.id, items: [{ price: basic.id }] })
    expect(subscription.items.data[0]!.current_period_end).toBe(Math.floor(Date.UTC(2027, 1, 28) / 1000))
    await stripe.testHelpers.testClocks.advance(clock.id, { frozen_time: frozen_time + 65 * DAY })
    expect((await stripe.invoices.list({ subscription: subscription.id })).data).toHaveLength(3)
    expect((await stripe.subscriptions.retrieve(subscription.id)).items.data[0]!.current_period_start).toBe(
      Math.floor(Date.UTC(2027, 2, 31) / 1000),
    )
    expect((await stripe.subscriptions.retrieve(other.id)).status).toBe('trialing')
  })

  test.each(['id', 'email', 'user id'])(
    'an account, named by its %s, is moved ahead, goes on from there, and nobody else is',
    async (by) => {
      const [mine, other] = [await subscribed({ trial: 3 }), await subscribed({ trial: 3 })]
      const [email, user_id] = [`${randomUUID()}@example.com`, randomUUID()]
      await stripe.customers.update(mine.customer.id, { email, metadata: { user_id } })
      const account = { id: mine.customer.id, email: email.toUpperCase(), 'user id': user_id }[by]
      received = []
      const ahead = (seconds: number) => control('POST', '/sandbox/api/stripe/clock/advance', { account, seconds })
      expect((await ahead(3.1 * DAY)).json()).toMatchObject({ offset_seconds: 3.1 * DAY, delivered: true })
      expect((await stripe.subscriptions.retrieve(mine.subscription.id)).status).toBe('active')
      expect((await stripe.subscriptions.retrieve(other.subscription.id)).status).toBe('trialing')
      await ahead(31 * DAY)
      expect((await stripe.invoices.list({ subscription: mine.subscription.id })).data.map(({ amount_paid }) => amount_paid)).toEqual([
        4900, 4900, 0,
      ])
      // Told in the order of the common time, with how far ahead it is beside it.
      const told = received.findLast(({ type }) => type === 'test_helpers.test_clock.ready')!
      const { name, frozen_time } = told.data.object as Stripe.TestHelpers.TestClock
      expect(name).toBe(mine.customer.id)
      expect(Math.abs(frozen_time - told.created - 34.1 * DAY)).toBeLessThanOrEqual(1)
      const { now } = (await control('GET', '/sandbox/api/stripe/clock')).json()
      for (const event of received) expect(event.created).toBeLessThanOrEqual(now)
    },
  )

  test('an account that nobody has is not moved', async () => {
    expect((await control('POST', '/sandbox/api/stripe/clock/advance', { account: 'nobody@example.com', seconds: 60 })).status).toBe(404)
  })
})

describe('money', () => {
  test('an idempotency key charges once, answers the same, and refuses other parameters', async () => {
    const pay = (amount: number) =>
      stripe.paymentIntents.create(
        { amount, currency: 'usd', payment_method: 'pm_card_visa', confirm: true, metadata: { order: 'once' } },
        { idempotencyKey: 'order-1' },
      )
    const answers = await Promise.all(Array.from({ length: 20 }, () => pay(2000)))
    expect(new Set(answers.map((each) => each.id)).size).toBe(1)
    expect(sandbox.truth.read({ kind: 'charge' }).filter((each) => each.idempotency_key === 'order-1')).toHaveLength(1)
    await expect(pay(2001)).rejects.toMatchObject({ type: 'StripeIdempotencyError' })
  })

  test('an answer lost on the way has charged, and the same key finds it again', async () => {
    await control('POST', '/sandbox/faults', { provider: 'stripe', match: 'POST /v1/payment_intents', kind: 'reset_after', times: 2 })
    // Twice, because the SDK tries a connection that was reset once more by itself.
    const pay = () =>
      stripe.paymentIntents.create(
        { amount: 700, currency: 'usd', payment_method: 'pm_card_visa', confirm: true },
        { idempotencyKey: 'lost-1' },
      )
    await expect(pay()).rejects.toMatchObject({ type: 'StripeConnectionError' })
    expect(await pay()).toMatchObject({ status: 'succeeded', amount: 700 })
    expect(sandbox.truth.read({ kind: 'charge' }).filter((each) => each.idempotency_key === 'lost-1')).toHaveLength(1)
  })

  test('declines are card errors; refunds never exceed the charge', async () => {
    const pay = (payment_method: string) => stripe.paymentIntents.create({ amount: 1000, currency: 'usd', payment_method, confirm: true })
    await expect(pay('pm_card_chargeDeclined')).rejects.toMatchObject({
      type: 'StripeCardError',
      code: 'card_declined',
      decline_code: 'generic_decline',
    })
    const paid = await pay('pm_card_visa')
    const part = await stripe.refunds.create({ payment_intent: paid.id, amount: 400 })
    expect(part).toMatchObject({ status: 'succeeded', amount: 400 })
    await expect(stripe.refunds.create({ payment_intent: paid.id, amount: 601 })).rejects.toMatchObject({
      type: 'StripeInvalidRequestError',
    })
    await stripe.refunds.create({ payment_intent: paid.id })
    await expect(stripe.refunds.create({ payment_intent: paid.id })).rejects.toMatchObject({ code: 'charge_already_refunded' })
    const charge = await stripe.charges.retrieve(paid.latest_charge as string, { expand: ['refunds'] })
    expect(charge).toMatchObject({ refunded: true, amount_refunded: 1000 })
    expect(charge.refunds!.data).toHaveLength(2)
  })

  test('a card that disputes does so a minute later, and evidence wins the money back', async () => {
    const paid = await stripe.paymentIntents.create({
      amount: 5000,
      currency: 'usd',
      payment_method: 'pm_card_createDispute',
      confirm: true,
    })
    await advance(61)
    const [dispute] = (await stripe.disputes.list({ payment_intent: paid.id })).data
    expect(dispute).toMatchObject({ status: 'needs_response', amount: 5000 })
    expect(types()).toContain('charge.dispute.created')
    const won = await stripe.disputes.update(dispute!.id, { evidence: { uncategorized_text: 'winning_evidence' } })
    expect(won.status).toBe('won')
    expect(won.balance_transactions.reduce((sum, each) => sum + each.net, 0)).toBe(0)
  })

  test('credit on the customer pays the next invoice', async () => {
    const { customer, subscription } = await subscribed()
    await stripe.customers.createBalanceTransaction(customer.id, { amount: -1000, currency: 'usd', description: 'Referral' })
    await advance(32 * DAY)
    const [invoice] = (await stripe.invoices.list({ subscription: subscription.id })).data
    expect(invoice).toMatchObject({ total: 4900, amount_due: 3900, amount_paid: 3900 })
    expect(((await stripe.customers.retrieve(customer.id)) as Stripe.Customer).balance).toBe(0)
  })
})

describe('webhooks', () => {
  test('an endpoint that is down gets everything once it is back', async () => {
    hookStatus = 500
    const customer = await stripe.customers.create({ email: 'down@example.com' })
    await vi.waitFor(async () =>
      expect((await control('GET', '/sandbox/api/stripe/webhooks')).json().deliveries[0].attempt).toBeGreaterThan(0),
    )
    hookStatus = 200
    await drain()
    expect(
      received.filter((event) => event.type === 'customer.created' && (event.data.object as Stripe.Customer).id === customer.id),
    ).toHaveLength(1)
  })

  test('duplicates, shuffles and pauses happen on order', async () => {
    await control('POST', '/sandbox/api/stripe/webhooks', { duplicate: 2, pause: true })
    const customer = await stripe.customers.create({ email: 'twice@example.com' })
    expect((await control('GET', '/sandbox/api/stripe/webhooks')).json().pending).toBe(3)
    expect(received).toHaveLength(0)
    await control('POST', '/sandbox/api/stripe/webhooks', { duplicate: 0, pause: false })
    await drain()
    const copies = received.filter((event) => (event.data.object as Stripe.Customer).id === customer.id)
    expect(copies).toHaveLength(3)
    expect(new Set(copies.map((event) => event.id)).size).toBe(1)
    const event = await stripe.events.retrieve(copies[0]!.id)
    expect(event).toMatchObject({ type: 'customer.created', pending_webhooks: 0 })
  })
})

describe('the API itself', () => {
  test('lists come in pages, search finds by metadata, errors have their shapes', async () => {
    const batch = randomUUID()
    for (let index = 0; index < 7; index++) await stripe.customers.create({ email: `page${index}@example.com`, metadata: { batch } })
    const emails: (string | null)[] = []
    for await (const customer of stripe.customers.list({ limit: 3 })) if (emails.push(customer.email) === 7) break
    expect(emails.slice(0, 7)).toEqual([6, 5, 4, 3, 2, 1, 0].map((index) => `page${index}@example.com`))
    expect((await stripe.customers.search({ query: `metadata['batch']:'${batch}' AND email:'page3@example.com'` })).data).toHaveLength(1)
    expect((await stripe.prices.list({ lookup_keys: ['pro'], expand: ['data.product'] })).data[0]!.product).toMatchObject({ name: 'Pro' })
    await expect(stripe.customers.retrieve('cus_none')).rejects.toMatchObject({
      type: 'StripeInvalidRequestError',
      code: 'resource_missing',
      statusCode: 404,
    })
    await expect(
      new Stripe('sk_live_x', {
        host: '127.0.0.1',
        port: Number(new URL(sandbox.addresses.stripe).port),
        protocol: 'http',
      }).customers.list(),
    ).rejects.toMatchObject({ type: 'StripeAuthenticationError' })
  })

  test('a restart keeps customers, keys and the clock', async () => {
    const customer = await stripe.customers.create({ email: 'kept@example.com' }, { idempotencyKey: 'kept-1' })
    await drain()
    const { now } = (await control('GET', '/sandbox/api/stripe/clock')).json()
    await sandbox.close()
    sandbox = await startSandbox({ dataDir, publicUrl: 'http://localhost:9201', seed: 'stripe' })
    stripe = client()
    expect((await stripe.customers.create({ email: 'kept@example.com' }, { idempotencyKey: 'kept-1' })).id).toBe(customer.id)
    expect((await control('GET', '/sandbox/api/stripe/clock')).json().now).toBeGreaterThanOrEqual(now)
  })
})

describe('the provider’s own types', () => {
  test('every answer and every event above fits them', { timeout: 180_000 }, () => {
    expect(conformance.problems()).toEqual([])
    expect(conformance.seen()).toBeGreaterThan(400)
  })

  test('what each operation takes is written as the installed SDK has it: node services/sandbox/src/stripe/sdk/write.ts', () => {
    expect(readFileSync(tablePath, 'utf8') === textOf()).toBe(true)
  })

  test.each([
    ['an unknown parameter', { name: 'x', colour: 'red' }, 'parameter_unknown', 'Received unknown parameter: colour', 'colour'],
    [
      'an unknown one within',
      { name: 'x', default_price_data: { currency: 'usd', hue: 1 } },
      'parameter_unknown',
      'Received unknown parameter: default_price_data[hue]',
      'default_price_data[hue]',
    ],
    ['one that is missing', {}, 'parameter_missing', 'Missing required param: name.', 'name'],
    [
      'one that is not played',
      { name: 'x', shippable: true },
      undefined,
      'Stripe takes shippable, and this stand-in does not play it yet.',
      'shippable',
    ],
    ['a boolean that is none', { name: 'x', active: 'maybe' }, undefined, 'Invalid boolean: maybe', 'active'],
  ])('%s is refused, and nothing is made', async (_what, body, code, message, param) => {
    const before = (await stripe.products.list({ limit: 1 })).data[0]?.id
    await expect(stripe.products.create(body as never)).rejects.toMatchObject({ statusCode: 400, message, param, ...(code && { code }) })
    expect((await stripe.products.list({ limit: 1 })).data[0]?.id).toBe(before)
  })

  test.each([
    [{ percent_off: 300, duration: 'once' }, 'percent_off'],
    [{ percent_off: 10, duration: 'always' }, 'duration'],
    [{ amount_off: 100, currency: 'zzz', duration: 'once' }, 'currency'],
  ])('a coupon of %j is refused', async (body, param) => {
    await expect(stripe.coupons.create(body as never)).rejects.toMatchObject({ statusCode: 400, param })
  })

  test.each([
    [{ unit_amount: 'abc' }, 'unit_amount'],
    [{ unit_amount: -1 }, 'unit_amount'],
    [{ unit_amount: 100, currency: 'zzz' }, 'currency'],
  ])('a price of %j is refused', async (body, param) => {
    const whole = { product: basic.product as string, currency: 'usd', ...body }
    await expect(stripe.prices.create(whole as never)).rejects.toMatchObject({ statusCode: 400, param })
  })

  test('a request for a connected account is refused, not answered for the platform', async () => {
    const asked = stripe.customers.create({ email: 'seller@example.com' }, { stripeAccount: 'acct_seller' })
    await expect(asked).rejects.toMatchObject({ statusCode: 403, code: 'account_invalid' })
    expect((await stripe.customers.list({ email: 'seller@example.com' })).data).toEqual([])
  })

  test.each(['application_fee_amount', 'transfer_data', 'capture_method'])(
    'a payment with %s is refused, not taken without it',
    async (name) => {
      const more = { application_fee_amount: 5, transfer_data: { destination: 'acct_1' }, capture_method: 'manual' as const }[name]
      const payment = { amount: 1000, currency: 'usd', [name]: more }
      await expect(stripe.paymentIntents.create(payment)).rejects.toMatchObject({ statusCode: 400 })
    },
  )
})
