import { startBilling, type TestBilling } from '@operon/billing/fixture'
import { sellingOn } from '@operon/billing/sellers/fixture'
import { update } from '@operon/kit/testing/rows'
import { marketplaceService } from '@operon/marketplace/service'
import { afterAll, expect, test, vi } from 'vitest'

// A product from its draft to the payout, over the two services that have a part in it.

const billing = await startBilling({}, [marketplaceService])
const selling = sellingOn(billing)
afterAll(() => billing.close())

const within = { timeout: 15_000, interval: 100 }
const market = (name: string, user: Parameters<TestBilling['call']>[1], body: object) => billing.call(name, user, body, {}, 'marketplace')

async function product(seller: ReturnType<TestBilling['user']>, price_cents = 10_000) {
  const made = { title: 'Lead qualification', description: 'Five questions.', price_cents, category: 'Marketing', item_type: 'workflow' }
  const { item_id } = (await market('create-product', seller, made)).body
  expect(await market('start-checkout', null, { item_id })).toMatchObject({ status: 409, body: { code: 'not_for_sale' } })
  expect((await market('publish-product', seller, { item_id })).body.url).toContain('/marketplace/')
  return item_id as string
}
const tokenOf = async (url: string) => {
  const { success_url } = await billing.stripe.checkout.sessions.retrieve(url.split('/').at(-1)!)
  return new URL(success_url!).pathname.split('/').at(-1)!
}

test('a guest buys a product, it is delivered once, and the seller is paid on Friday [spec-104] [spec-105]', {
  timeout: 120_000,
}, async () => {
  const ann = await selling.seller()
  const item_id = await product(ann)
  // The seller is editing the next price; what is on sale is the published version.
  const db = billing.platform.services.marketplace!.rt.db as any
  await update(db, 'items', { id: item_id }, { price_cents: 123 })
  const { status, body } = await market('start-checkout', null, { item_id, email: 'guest@example.com', price_cents: 1, currency: 'eur' })
  expect(status).toBe(200)
  const { current_version_id } = await db.selectFrom('items').select('current_version_id').where('id', '=', item_id).executeTakeFirst()
  expect(await db.selectFrom('orders').select('version_id').where('id', '=', body.order_id).executeTakeFirst()).toEqual({
    version_id: current_version_id,
  })
  const token = await tokenOf(body.url)
  expect((await market('order-status', null, { token })).body).toMatchObject({ state: 'open', amount_cents: 10_000, currency: 'usd' })
  await billing.pay(body.url)
  await vi.waitFor(async () => expect((await market('order-status', null, { token })).body).toMatchObject({ state: 'delivered' }), within)
  expect((await billing.call('list-sales', ann, {})).body.sales).toMatchObject([
    { customer: 'Test Person', amount_cents: 10_000, status: 'completed', method: 'card •••• 4242', description: 'Lead qualification' },
  ])
  await vi.waitFor(async () => expect(await selling.row({ reference: body.order_id })).not.toMatchObject({ delivered_at: null }), within)
  await selling.toFriday()
  await selling.advance(3)
  await selling.payoutIs(ann, { status: 'paid', amount_cents: 8000 })
  expect((await market('order-status', null, { token: 'a-token-that-nobody-was-given' })).status).toBe(404)
  await billing.booksMatch()
})

test('nothing of a seller without a payout account can be bought [spec-104]', { timeout: 60_000 }, async () => {
  const bob = billing.user()
  const item_id = await product(bob)
  expect(await market('start-checkout', null, { item_id })).toMatchObject({
    status: 409,
    body: { code: 'seller_not_ready', message: 'Purchase functionality coming soon!' },
  })
  expect((await market('publish-product', billing.user(), { item_id })).status).toBe(404)
  expect(await market('start-checkout', null, {})).toMatchObject({
    status: 400,
    body: { code: 'invalid', message: 'Name at least one product.' },
  })
})

test('an order that was refunded before its payment was told of is never delivered [R5]', { timeout: 60_000 }, async () => {
  const ann = await selling.seller()
  const item_id = await product(ann)
  const { body } = await market('start-checkout', null, { item_id })
  const token = await tokenOf(body.url)
  billing.door.shut = true
  await billing.pay(body.url)
  const { payment_intent } = await billing.stripe.checkout.sessions.retrieve(body.url.split('/').at(-1)!)
  await billing.stripe.refunds.create({ payment_intent: payment_intent as string })
  billing.door.shut = false
  await billing.sweep()
  await vi.waitFor(async () => expect((await market('order-status', null, { token })).body).toMatchObject({ state: 'refunded' }), within)
  expect(await selling.balance(ann)).toMatchObject({ held_cents: 0, due_cents: 0, owed_cents: 0 })
  const told = await (billing.platform.services.marketplace!.rt.db as any)
    .selectFrom('outbox')
    .select('id')
    .where('name', '=', 'marketplace.order_delivered')
    .where('user_id', '=', ann.id)
    .execute()
  expect(told).toEqual([])
  await billing.booksMatch()
})

test('several products of one seller are one sale with a line each, less a coupon of that seller, whose last use two do not share [spec-104]', {
  timeout: 90_000,
}, async () => {
  const [ann, bob] = [await selling.seller(), await selling.seller()]
  const [first, second, other] = [await product(ann), await product(ann, 5_000), await product(bob)]
  await market('create-coupon', ann, { code: 'SPRING-20', percent_off: 20, max_uses: 1 })
  const cart = { item_ids: [first, second], coupon: 'spring-20' }
  expect((await market('start-checkout', null, { item_ids: [first, other] })).body.code).toBe('cart_mixed')
  expect((await market('start-checkout', null, { item_ids: [other], coupon: 'SPRING-20' })).body.code).toBe('coupon_invalid')
  expect((await market('cart-quote', null, cart)).body).toMatchObject({ total_cents: 12_000, discount_cents: 3_000 })
  const both = await Promise.all([market('start-checkout', null, cart), market('start-checkout', null, cart)])
  expect(both.map(({ status }) => status).toSorted()).toEqual([200, 409])
  const { body } = both.find(({ status }) => status === 200)!
  await billing.pay(body.url)
  const token = await tokenOf(body.url)
  await vi.waitFor(async () => expect((await market('show-order', null, { token })).body).toMatchObject({ state: 'delivered' }), within)
  const order = (await market('show-order', null, { token })).body
  expect(order.lines.map(({ amount_cents }: { amount_cents: number }) => amount_cents)).toEqual([8_000, 4_000])
  expect(order).toMatchObject({ amount_cents: 12_000, discount_cents: 3_000 })
  expect((await billing.call('list-sales', ann, {})).body.sales).toMatchObject([{ amount_cents: 12_000 }])
  // The seller accepts a refund: billing pays it back in their name, and the order ends.
  const { request } = (await market('request-refund', null, { token, reason: 'bought_by_mistake' })).body
  expect((await market('answer-refund-request', ann, { request_id: request.id, accept: true })).status).toBe(200)
  await vi.waitFor(
    async () =>
      expect((await market('show-order', null, { token })).body).toMatchObject({ state: 'refunded', refund: { state: 'refunded' } }),
    within,
  )
  expect((await billing.call('list-sales', ann, {})).body.sales).toMatchObject([{ refunded_cents: 12_000 }])
  await billing.booksMatch()
})

test('a refund that a seller grants from money they were paid already waits for staff, and the order ends once they send it [spec-136]', {
  timeout: 90_000,
}, async () => {
  const ann = await selling.seller()
  const { body } = await market('start-checkout', null, { item_id: await product(ann, 20_000) })
  await billing.pay(body.url)
  const token = await tokenOf(body.url)
  const order = async () => (await market('show-order', null, { token })).body
  await vi.waitFor(async () => expect(await order()).toMatchObject({ state: 'delivered' }), within)
  await selling.toFriday()
  await selling.advance(3)
  await selling.payoutIs(ann, { status: 'paid', amount_cents: 16_000 })
  const { request } = (await market('request-refund', null, { token, reason: 'bought_by_mistake' })).body
  expect((await market('answer-refund-request', ann, { request_id: request.id, accept: true })).status).toBe(200)
  const reason = 'The buyer is known'
  const waiting = async () => (await billing.call('staff-matters', billing.staff(), { reason })).body.matters
  await vi.waitFor(async () => expect(await waiting()).toMatchObject([{ title: 'A refund of $200.00 waits for you' }]), within)
  expect([(await order()).state, (await selling.balance(ann)).owed_cents]).toEqual(['delivered', 0])
  const [{ subject: sale_id }] = await waiting()
  expect((await billing.call('staff-refund-sale', billing.staff(), { sale_id, reason })).status).toBe(200)
  await vi.waitFor(async () => expect(await order()).toMatchObject({ state: 'refunded', refund: { state: 'refunded' } }), within)
  expect(await waiting()).toMatchObject([{ title: 'A seller owes $160.00' }])
})

test('a checkout that nobody pays for gives the use of its coupon back', { timeout: 60_000 }, async () => {
  const ann = await selling.seller()
  const item_id = await product(ann)
  await market('create-coupon', ann, { code: 'ONCE', amount_off_cents: 500, max_uses: 1 })
  const { body } = await market('start-checkout', null, { item_id, coupon: 'ONCE' })
  expect((await market('start-checkout', null, { item_id, coupon: 'ONCE' })).body.code).toBe('coupon_invalid')
  const { rt } = billing.platform.services.marketplace! as any
  const back = async () => {
    await rt.jobs.add([{ id: crypto.randomUUID(), name: 'marketplace.sweep_coupons', user_id: null, payload: {}, trace: null }])
    await vi.waitFor(async () => expect((await market('list-coupons', ann, {})).body.coupons).toMatchObject([{ used: 0 }]), within)
  }
  await update(rt.db, 'orders', { id: body.order_id }, { created_at: new Date(Date.now() - 26 * 3_600_000) })
  await back()
  expect((await market('start-checkout', null, { item_id, coupon: 'ONCE' })).status).toBe(200)
})
