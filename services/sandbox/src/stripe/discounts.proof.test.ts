import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Stripe from 'stripe'
import { afterAll, expect, test } from 'vitest'
import { type Sandbox, startSandbox } from '../sandbox.ts'
import { openConformance } from './sdk/conforms.ts'

const DAY = 86_400
const conformance = openConformance()
const dataDir = mkdtempSync(join(tmpdir(), 'sandbox-discounts-'))

const post = (path: string, body: object) =>
  fetch(sandbox.addresses.stripe + path, { method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json' } })
const advance = (account: string, seconds: number) => post('/sandbox/api/stripe/clock/advance', { account, seconds })

const sandbox: Sandbox = await startSandbox({ dataDir, publicUrl: 'http://localhost:9205', seed: 'discounts', heard: conformance.heard })
const { hostname, port } = new URL(sandbox.addresses.stripe)
const stripe: Stripe = new Stripe('sk_test_sandbox', { host: hostname, port: Number(port), protocol: 'http', maxNetworkRetries: 0 })
const [pro, seat] = [await stripe.products.create({ name: 'Pro' }), await stripe.products.create({ name: 'Seat' })]
const price = (product: string, unit_amount: number, interval: 'month' | 'year') =>
  stripe.prices.create({ product, currency: 'usd', unit_amount, recurring: { interval } })
const monthly: Stripe.Price = await price(pro.id, 10_000, 'month')
const yearly: Stripe.Price = await price(pro.id, 100_000, 'year')
const seats: Stripe.Price = await price(seat.id, 1000, 'month')
afterAll(async () => {
  await sandbox.close()
  rmSync(dataDir, { recursive: true })
})

const person = () => stripe.customers.create({ email: 'ann@example.com', payment_method: 'pm_card_visa' })
const promise = async (restrictions: object, coupon: Stripe.CouponCreateParams = { percent_off: 10, duration: 'forever' }) => {
  const { id } = await stripe.coupons.create(coupon)
  return stripe.promotionCodes.create({ promotion: { type: 'coupon', coupon: id }, ...restrictions })
}
const subscribe = async (discount: object, items: Stripe.SubscriptionCreateParams.Item[] = [{ price: monthly.id }], customer?: string) => {
  const own = customer ?? (await person()).id
  const made = await stripe.subscriptions.create({ customer: own, items, discounts: [discount], expand: ['latest_invoice'] })
  return { ...made, customer: own, invoice: made.latest_invoice as Stripe.Invoice }
}

test.each([
  ['a percentage and an amount', { percent_off: 10, amount_off: 100, currency: 'usd' }, 'amount_off'],
  ['more than all of it', { percent_off: 101 }, 'percent_off'],
  ['an amount of no currency', { amount_off: 100 }, 'currency'],
  ['months without repeating', { percent_off: 10, duration: 'once' as const, duration_in_months: 3 }, 'duration_in_months'],
  ['no end of repeating', { percent_off: 10, duration: 'repeating' as const }, 'duration_in_months'],
])('a coupon of %s is refused', async (_what, coupon, param) => {
  await expect(stripe.coupons.create(coupon)).rejects.toMatchObject({ statusCode: 400, param })
})

test('an amount comes off the whole invoice once, however many lines it has', async () => {
  const { id } = await stripe.coupons.create({ amount_off: 1500, currency: 'usd', duration: 'once' })
  const { invoice } = await subscribe({ coupon: id }, [{ price: monthly.id }, { price: seats.id, quantity: 5 }])
  expect([invoice.subtotal, invoice.total, invoice.total_discount_amounts![0]!.amount]).toEqual([15_000, 13_500, 1500])
  expect(invoice.lines.data.map((line) => line.discount_amounts![0]!.amount)).toEqual([1000, 500])
})

test('a coupon for some products leaves the others as they are, and takes nothing where none is bought', async () => {
  const { id, applies_to } = await stripe.coupons.create({
    percent_off: 50,
    duration: 'forever',
    applies_to: { products: [seats.product as string] },
    expand: ['applies_to'],
  })
  expect(applies_to).toEqual({ products: [seats.product] })
  const { invoice } = await subscribe({ coupon: id }, [{ price: monthly.id }, { price: seats.id, quantity: 5 }])
  expect(invoice.total).toBe(12_500)
  await expect(subscribe({ coupon: id })).rejects.toMatchObject({ code: 'coupon_applies_to_nothing' })
})

test('a coupon of three months lasts three months by the calendar', async () => {
  const { id } = await stripe.coupons.create({ percent_off: 20, duration: 'repeating', duration_in_months: 3 })
  const { customer } = await subscribe({ coupon: id })
  await advance(customer, 4 * 31 * DAY)
  const invoices = (await stripe.invoices.list({ customer })).data.map(({ total }) => total)
  expect(invoices.reverse()).toEqual([8000, 8000, 8000, 10_000, 10_000])
})

test.each([
  [
    'a minimum that is not reached',
    { restrictions: { minimum_amount: 10_001, minimum_amount_currency: 'usd' } },
    'promotion_code_minimum_amount_not_met',
  ],
  ['another currency', { coupon: { amount_off: 100, currency: 'eur' } }, undefined],
  ['a time that is over', { code: { expires_at: 1 } }, 'promotion_code_expired'],
])('a code is refused for %s', async (_what, { restrictions, coupon, code: more }: Record<string, any>, code) => {
  const { id } = await promise({ ...(restrictions && { restrictions }), ...more }, coupon)
  await expect(subscribe({ promotion_code: id })).rejects.toMatchObject({ statusCode: 400, ...(code && { code }) })
})

test('a code for first purchases is for nobody who paid before, and one for a customer is for them alone', async () => {
  const [ann, bob] = [await person(), await person()]
  const first = await promise({ restrictions: { first_time_transaction: true } })
  const forBob = await promise({ customer: bob.id })
  await expect(subscribe({ promotion_code: forBob.id }, undefined, ann.id)).rejects.toMatchObject({ code: 'promotion_code_expired' })
  expect((await subscribe({ promotion_code: first.id }, undefined, ann.id)).invoice.total).toBe(9000)
  await expect(subscribe({ promotion_code: first.id }, undefined, ann.id)).rejects.toMatchObject({
    code: 'promotion_code_customer_not_first_time',
  })
})

test('a code is used as often as it may be, also in a checkout that is paid once, and is then over', async () => {
  const code = await promise({ max_redemptions: 2 })
  await subscribe({ promotion_code: code.id })
  const open = () =>
    stripe.checkout.sessions.create({
      mode: 'payment',
      line_items: [{ price_data: { currency: 'usd', unit_amount: 5000, product_data: { name: 'Credits' } }, quantity: 1 }],
      discounts: [{ promotion_code: code.id }],
      success_url: 'http://localhost:9205/done',
    })
  const [one, other] = [await open(), await open()]
  expect((await post(`/sandbox/api/stripe/checkout/${one.id}/complete`, {})).status).toBe(200)
  expect((await post(`/sandbox/api/stripe/checkout/${other.id}/complete`, {})).status).toBe(400)
  expect(await stripe.promotionCodes.retrieve(code.id)).toMatchObject({ times_redeemed: 2, active: false })
  await expect(stripe.promotionCodes.update(code.id, { active: true })).rejects.toMatchObject({ param: 'active' })
  expect(sandbox.truth.read({ kind: 'charge' }).at(-1)).toMatchObject({ amount: 4500 })
})

test('a month becomes a year at once: the year is due, less the rest of the month, as the preview says', async () => {
  const customer = (await person()).id
  const { id, items } = await stripe.subscriptions.create({ customer, items: [{ price: monthly.id }] })
  await advance(customer, 10 * DAY)
  const change = { items: [{ id: items.data[0]!.id, price: yearly.id }], proration_date: Math.floor(Date.now() / 1000) + 10 * DAY }
  const preview = await stripe.invoices.createPreview({
    subscription: id,
    subscription_details: { ...change, proration_behavior: 'always_invoice' },
  })
  const after = await stripe.subscriptions.update(id, { ...change, proration_behavior: 'always_invoice', expand: ['latest_invoice'] })
  const invoice = after.latest_invoice as Stripe.Invoice
  expect(invoice.amount_paid).toBe(preview.amount_due)
  expect(invoice.amount_paid).toBeLessThan(94_000)
  expect(invoice.amount_paid).toBeGreaterThan(92_000)
  const { current_period_start: start, current_period_end: end } = after.items.data[0]!
  expect(Math.round((end - start) / DAY)).toBeGreaterThanOrEqual(365)
  await advance(customer, 370 * DAY)
  expect((await stripe.invoices.list({ customer, limit: 1 })).data[0]).toMatchObject({ amount_paid: 100_000 })
})

test('more seats in mid-month cost the rest of the month, fewer give it back', async () => {
  const customer = (await person()).id
  const { id, items } = await stripe.subscriptions.create({ customer, items: [{ price: seats.id, quantity: 2 }] })
  const { current_period_start: start, current_period_end: end } = items.data[0]!
  const change = (quantity: number) =>
    stripe.subscriptions.update(id, {
      items: [{ id: items.data[0]!.id, quantity }],
      proration_behavior: 'always_invoice',
      proration_date: start + Math.round((end - start) / 2),
      expand: ['latest_invoice'],
    })
  const more = (await change(10)).latest_invoice as Stripe.Invoice
  expect(more.lines.data.map(({ amount }) => amount)).toEqual([-1000, 5000])
  expect(more.amount_paid).toBe(4000)
  await change(4)
  expect(((await stripe.customers.retrieve(customer)) as Stripe.Customer).balance).toBe(-3000)
})

test('every answer and every event of the tests above fits the types of the provider’s SDK', { timeout: 180_000 }, () => {
  expect(conformance.problems()).toEqual([])
  expect(conformance.seen()).toBeGreaterThan(80)
})
