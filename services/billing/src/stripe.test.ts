import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { newId } from '@operon/kit/ids'
import { type Sandbox, startSandbox } from '@operon/sandbox/sandbox'
import Stripe from 'stripe'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { openProvider, type Provider } from './stripe.ts'
import { REFERRAL_COUPON } from './stripe-catalogue.ts'
import { chargeOf } from './stripe-shapes.ts'

// One suite, two providers: the sandbox always, Stripe's test mode where STRIPE_TEST_SECRET_KEY is set.
const key = process.env.STRIPE_TEST_SECRET_KEY

describe('the sandbox', () => suite())
describe.skipIf(!key)(key ? 'Stripe in test mode' : 'skipped: Stripe itself, since STRIPE_TEST_SECRET_KEY is not set', () => suite(key))

test('a checkout without a page to pay on is refused', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'operon-stripe-'))
  const sandbox = await startSandbox({ dataDir, publicUrl: 'http://localhost:8080' })
  // The stand-in's own answers, but for the address of the page.
  const between = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray())
    const headers = Object.entries(request.headers).filter(([name]) => ['authorization', 'content-type'].includes(name)) as [
      string,
      string,
    ][]
    const init = { method: request.method!, headers, ...(body.length && { body }) }
    const answer = await fetch(sandbox.addresses.stripe + request.url, init)
    const text = await answer.text()
    const isCheckout = request.url === '/v1/checkout/sessions'
    response.writeHead(answer.status, { 'content-type': 'application/json' })
    response.end(isCheckout ? JSON.stringify({ ...JSON.parse(text), url: null }) : text)
  }).listen(0, '127.0.0.1')
  await once(between, 'listening')
  try {
    const address = `http://127.0.0.1:${(between.address() as AddressInfo).port}`
    const provider = openProvider({ secretKey: undefined, sandboxAddress: async () => address })
    const userId = newId()
    const customer = await provider.createCustomer({ userId, email: 'test@example.com', name: 'Test Person' }, `customer-${userId}`)
    const pages = { successUrl: 'http://localhost:8080/thank-you', cancelUrl: 'http://localhost:8080/pricing' }
    const asked = provider.createCheckout(
      { customer, userId, plan: 'pro', period: 'month', trialDays: 0, referral: false, ...pages },
      newId(),
    )
    await expect(asked).rejects.toMatchObject({ code: 'checkout_failed' })
  } finally {
    between.closeAllConnections()
    between.close()
    await sandbox.close()
    await rm(dataDir, { recursive: true, force: true })
  }
})

test('a payer who gave no country has no address, and one who did has it in one line', () => {
  const charge = { created: 0, metadata: {}, amount_captured: 900, customer: null, balance_transaction: null, payment_method_details: null }
  const addressOf = (address: object | null) =>
    chargeOf({ ...charge, billing_details: { email: null, name: null, address } } as never, [], [], null).payer.address
  const known = { line1: '1 High Street', line2: null, postal_code: 'AB1 2CD', city: 'London', state: null }
  expect(addressOf(null)).toBeNull()
  expect(addressOf({ ...known, country: null })).toBeNull()
  expect(addressOf({ ...known, country: 'GB' })).toBe('1 High Street, AB1 2CD London, GB')
})

function suite(secretKey?: string) {
  let sandbox: Sandbox | undefined
  let dataDir: string
  let provider: Provider
  let stripe: Stripe
  const within = { timeout: secretKey ? 120_000 : 10_000, interval: secretKey ? 2000 : 50 }
  const timeout = secretKey ? 180_000 : 15_000

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'operon-stripe-'))
    sandbox = secretKey ? undefined : await startSandbox({ dataDir, publicUrl: 'http://localhost:8080' })
    const address = sandbox?.addresses.stripe ?? ''
    provider = openProvider({ secretKey, sandboxAddress: async () => address })
    stripe = secretKey
      ? new Stripe(secretKey)
      : new Stripe('sk_test_sandbox', { host: new URL(address).hostname, port: Number(new URL(address).port), protocol: 'http' })
  })
  afterAll(async () => {
    await sandbox?.close()
    await rm(dataDir, { recursive: true, force: true })
  })

  const person = () => ({ userId: newId(), email: 'test@example.com', name: 'Test Person' })

  /** A customer with a trial, on a clock of their own. */
  async function trialing(more: Partial<Stripe.SubscriptionCreateParams> = {}) {
    const { testClocks } = stripe.testHelpers
    const now = Math.floor(Date.now() / 1000)
    const clock = await testClocks.create({ frozen_time: now })
    const { id: customer } = await stripe.customers.create({ test_clock: clock.id, email: 'test@example.com' })
    const method = await stripe.paymentMethods.attach('pm_card_visa', { customer })
    const price = (await stripe.prices.list({ lookup_keys: ['operon_basic_month_usd_4900'] })).data[0]!
    const made = await stripe.subscriptions.create({
      customer,
      items: [{ price: price.id }],
      trial_period_days: 3,
      default_payment_method: method.id,
      ...more,
    })
    async function reach(days: number) {
      await testClocks.advance(clock.id, { frozen_time: now + days * 86_400 })
      await vi.waitFor(async () => expect((await testClocks.retrieve(clock.id)).status).toBe('ready'), within)
    }
    return { customer, made, reach, end: () => testClocks.del(clock.id).catch(() => {}) }
  }

  test('a key makes one customer', { timeout }, async () => {
    const { userId, ...rest } = person()
    // Another instance: in one process they would share the call.
    const other = openProvider({ secretKey, sandboxAddress: async () => sandbox?.addresses.stripe ?? '' })
    const made = await Promise.all(
      [provider, other, provider].map((each) => each.createCustomer({ userId, ...rest }, `customer-${userId}`)),
    )
    expect(new Set([...made, await other.createCustomer({ userId, ...rest }, `customer-${userId}`)]).size).toBe(1)
  })

  test('a checkout has a page, can be looked up and closed; the portal has a page too', { timeout }, async () => {
    const { userId, ...rest } = person()
    const customer = await provider.createCustomer({ userId, ...rest }, `customer-${userId}`)
    const request = {
      customer,
      userId,
      plan: 'pro' as const,
      period: 'month' as const,
      trialDays: 3,
      referral: true,
      successUrl: 'http://localhost:8080/thank-you?session_id={CHECKOUT_SESSION_ID}',
      cancelUrl: 'http://localhost:8080/pricing',
    }
    const id = newId()
    const [first, again] = [await provider.createCheckout(request, id), await provider.createCheckout(request, id)]
    expect(again).toEqual(first)
    expect(await provider.getCheckout(first.id)).toEqual({ status: 'open', userId, customer, plan: 'pro', subscription: null })
    await provider.expireCheckout(first.id)
    expect(await provider.getCheckout(first.id)).toMatchObject({ status: 'expired' })
    expect(await provider.getCheckout('cs_test_nothing')).toBeNull()
    const configuration = await provider.createPortalConfiguration('https://example.com')
    expect(await provider.createPortal(customer, 'http://localhost:8080/pricing', configuration)).toMatch(/^https?:/)
  })

  test('the first charge after a trial is 30 % less for who was sent, whatever the trial’s invoice of nothing did to the coupon [spec-17]', {
    timeout,
  }, async () => {
    const { customer, made, reach, end } = await trialing({ discounts: [{ coupon: REFERRAL_COUPON }] })
    const [trial] = await provider.listSubscriptions(customer)
    if (!trial!.discounted) await provider.discountReferred(made.id, 'basic', 'month', `referral-discount-${made.id}`)
    expect(await provider.listSubscriptions(customer)).toMatchObject([{ status: 'trialing', discounted: true }])

    for (const days of [4, 35]) await reach(days)
    await vi.waitFor(
      async () => expect((await stripe.charges.list({ customer })).data.map(({ amount }) => amount)).toEqual([4900, 3430]),
      within,
    )
    expect(await provider.listSubscriptions(customer)).toMatchObject([{ discounted: false }])
    await end()
  })

  test('a trial ends in a charge with its fee; an upgrade costs what was shown; a refund is seen', { timeout }, async () => {
    const { customer, made, reach, end } = await trialing()
    expect(await provider.listSubscriptions(customer)).toMatchObject([
      { id: made.id, plan: 'basic', status: 'trialing', cancelAtPeriodEnd: false },
    ])

    await reach(4)
    const [subscription] = await vi.waitFor(async () => {
      const list = await provider.listSubscriptions(customer)
      expect(list).toMatchObject([{ status: 'active', plan: 'basic' }])
      return list
    }, within)

    const request = {
      subscription: made.id,
      item: subscription!.itemId,
      plan: 'enterprise' as const,
      period: 'month' as const,
      charge: 'now' as const,
    }
    const preview = await provider.previewSwitch(customer, request)
    expect(preview.amountDueCents).toBeGreaterThan(9000)
    await provider.switchPlan(request, newId())
    expect(await provider.listSubscriptions(customer)).toMatchObject([{ plan: 'enterprise' }])
    const charges = await vi.waitFor(async () => {
      const { data } = await stripe.charges.list({ customer })
      expect(data.map(({ amount }) => amount)).toEqual([preview.amountDueCents, 4900])
      return data
    }, within)

    const refund = await provider.refund({ charge: charges[1]!.id, amountCents: 1000 }, newId())
    await vi.waitFor(
      async () =>
        expect(await provider.getCharge(charges[1]!.id)).toMatchObject({
          customer,
          amountCents: 4900,
          currency: 'usd',
          succeeded: true,
          fees: [{ feeCents: expect.any(Number) }],
          refunds: [{ id: refund.id, amountCents: 1000 }],
        }),
      within,
    )
    await provider.setCancelAtPeriodEnd(made.id, true)
    expect(await provider.listSubscriptions(customer)).toMatchObject([{ cancelAtPeriodEnd: true }])
    expect((await provider.listInvoices(customer)).invoices.length).toBeGreaterThanOrEqual(2)
    await end()
  })
}
