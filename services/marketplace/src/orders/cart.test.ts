import { openSaleCheckout, saleTaxRate } from '@operon/contracts/billing/selling-events'
import { newId } from '@operon/kit/ids'
import { startTestPlatform, type TestUser } from '@operon/kit/testing/service'
import { sandboxService } from '@operon/sandbox/service'
import { sql } from 'kysely'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { marketplaceService } from '../service.ts'

/** As billing was asked. */
let asked: any[] = []
let isReady = true
const platform = await startTestPlatform([marketplaceService, sandboxService])
const db: any = platform.services.marketplace!.rt.db
const { rt } = platform.services.sandbox!
rt.answer(openSaleCheckout, async (_ctx, wanted) => {
  asked.push(wanted)
  return isReady ? { state: 'open' as const, url: 'https://pay.example/1' } : { state: 'seller_not_ready' as const }
})
rt.answer(saleTaxRate, async (_ctx, { country }) => {
  if (country === 'US') return { state: 'by_address' as const }
  if (country === 'FR') throw new Error('the provider is away')
  return country === 'DE' ? { state: 'known' as const, name: 'VAT', percent: 19 } : { state: 'none' as const }
})
beforeEach(() => {
  asked = []
  isReady = true
})
afterAll(() => platform.close())

const { call } = platform
async function published(user: TestUser, price_cents = 4900, title = 'Five questions') {
  const made = { title, description: 'Asks them.', price_cents, category: 'Marketing', item_type: 'workflow' }
  const { body } = await call('create-product', user, made)
  expect((await call('publish-product', user, body)).status).toBe(200)
  return body.item_id as string
}
const ordersOf = (seller: TestUser) => db.selectFrom('orders').selectAll().where('seller_id', '=', seller.id).execute()

test('what a buyer says of price, currency, version, seller and amounts changes nothing [S21] [spec-104]', async () => {
  const [ann, bob] = [platform.user(), platform.user()]
  const [item_id, other] = [await published(ann), await published(bob, 900)]
  const tampered = {
    ...{ price_cents: 1, amount_cents: 1, total_cents: 1, currency: 'jpy', version_id: newId(), seller_id: bob.id, buyer_id: bob.id },
    ...{ quantity: -3, discount_cents: 4899, tax_cents: -100, state: 'delivered', success_path: 'https://evil.example' },
    lines: [{ item_id, title: 'Free', amount_cents: 1 }],
  }
  expect((await call('start-checkout', null, { item_id, ...tampered })).body).toMatchObject({ url: 'https://pay.example/1' })
  expect(asked).toMatchObject([
    { seller_id: ann.id, buyer_id: null, currency: 'usd', lines: [{ item_id, title: 'Five questions', amount_cents: 4900 }] },
  ])
  expect(asked[0].success_path).toMatch(/^\/orders\//)
  expect(await ordersOf(ann)).toMatchObject([{ amount_cents: 4900, currency: 'usd', state: 'open', discount_cents: 0, buyer_id: null }])
  // One product twice is one, and products of two sellers are no cart.
  await call('start-checkout', null, { item_ids: [item_id, item_id] })
  expect(asked.at(-1).lines).toHaveLength(1)
  expect((await call('start-checkout', null, { item_ids: [item_id, other] })).body.code).toBe('cart_mixed')
  expect((await call('cart-quote', null, { item_ids: [item_id, other] })).body.code).toBe('cart_mixed')
  // A code of another seller, and one that nobody made.
  await call('create-coupon', bob, { code: 'BOBS', percent_off: 90 })
  for (const coupon of ['BOBS', 'NOBODY', "' or 1=1 --"])
    expect((await call('start-checkout', null, { item_id, coupon })).body.code, coupon).toBe('coupon_invalid')
  expect(asked).toHaveLength(2)
  // An edit that is not published is not what is paid.
  await call('update-product', ann, { item_id, price_cents: 900 })
  await call('start-checkout', null, { item_id })
  expect(asked.at(-1).lines).toMatchObject([{ amount_cents: 4900 }])
})

test('a seller whose payout account is not ready sells nothing, in the specified words [spec-104] [spec-15]', async () => {
  const ann = platform.user()
  const item_id = await published(ann)
  isReady = false
  expect(await call('start-checkout', null, { item_id })).toMatchObject({
    status: 409,
    body: { code: 'seller_not_ready', detail: 'Purchase functionality coming soon!' },
  })
  expect(await ordersOf(ann)).toEqual([])
})

test('the cart tells the tax of a country before anything is paid, on each line after a coupon, and is shown without billing as well', async () => {
  const ann = platform.user()
  const item_ids = [await published(ann, 4_900), await published(ann, 1_999)]
  const quote = async (more: object) => (await call('cart-quote', null, { item_ids, ...more })).body
  expect((await quote({})).tax).toBeNull()
  expect(await quote({ country: 'DE' })).toMatchObject({
    total_cents: 6_899,
    tax: { state: 'known', name: 'VAT', percent: 19, cents: 931 + 380 },
  })
  await call('create-coupon', ann, { code: 'HALF', percent_off: 50 })
  expect((await quote({ country: 'DE', coupon: 'HALF' })).tax.cents).toBe(Math.round(2450 * 0.19) + Math.round(999 * 0.19))
  expect((await quote({ country: 'US' })).tax).toMatchObject({ state: 'by_address', cents: 0 })
  expect((await quote({ country: 'AE' })).tax).toMatchObject({ state: 'none', cents: 0 })
  expect(await quote({ country: 'FR' })).toMatchObject({ total_cents: 6_899, tax: { state: 'unknown' } })
  expect((await call('cart-quote', null, { item_ids, country: 'Germany' })).status).toBe(400)
})

test('a cart, an order and its messages name the seller as the storefront does', async () => {
  const [ann, bob] = [platform.user({ email: 'ann@studio.example' }), platform.user()]
  const item_id = await published(ann)
  const names = async () => [
    (await call('cart-quote', null, { item_ids: [item_id] })).body.seller.name,
    (await call('storefront-page', null, { slug: (await call('business-profile', ann, {})).body.slug })).body.seller.name,
    (await call('my-threads', bob, {})).body.threads[0].from,
    (await call('my-orders', bob, {})).body.orders[0].seller,
  ]
  await call('ask-seller', bob, { item_id, text: 'Does it work with Gmail?' })
  await call('start-checkout', bob, { item_id })
  await db.updateTable('orders').set({ state: 'delivered' }).where('buyer_id', '=', bob.id).execute()
  await call('save-business-profile', ann, { business_name: 'Lindt Automations' })
  expect(await names()).toEqual(Array(4).fill('Lindt Automations'))
})

test('a seller’s search finds an order of any age by a part of its words or its id, and says how far back one of two letters looked', {
  timeout: 60_000,
}, async () => {
  const [ann, bob] = [platform.user(), platform.user()]
  const find = async (user: TestUser, query: string) => (await call('find-order', user, { query })).body
  const fill = (on: typeof db, title: string, state: string, from: number, to: number) =>
    sql`
      insert into orders (id, item_id, seller_id, title, amount_cents, currency, token_hash, state)
      select ('0190a1b2-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, gen_random_uuid(), ${ann.id}::uuid, ${title}, 4900, 'usd',
        decode(md5(n::text), 'hex'), ${state} from generate_series(${from}::int, ${to}::int) n`.execute(on)
  await fill(db, 'Old 50%_course', 'delivered', 1, 21)
  await fill(db, 'Older', 'delivered', 22, 22)
  expect(await find(ann, 'course')).toMatchObject({ more: true })
  expect((await find(ann, 'course')).orders).toHaveLength(20)
  // Carts that were left are among those that are looked through.
  await db.transaction().execute(async (trx: any) => {
    await sql`alter table orders disable trigger user`.execute(trx)
    await fill(trx, 'Old 50%_course', 'open', 23, 20_022)
    await sql`alter table orders enable trigger user`.execute(trx)
  })
  const course = await find(ann, '50%_COURSE')
  expect([course.orders.length, course.more, course.searched_back_to]).toEqual([20, true, undefined])
  expect(course.orders[0].id).toBe('0190a1b2-0000-7000-8000-000000000015')
  const older = { id: '0190a1b2-0000-7000-8000-000000000016', title: 'Older' }
  expect(await find(ann, 'older')).toEqual({ orders: [expect.objectContaining(older)], more: false })
  expect(await find(ann, '50xxcourse')).toEqual({ orders: [], more: false })
  const short = await find(ann, 'ol')
  expect(short).toMatchObject({ orders: [], more: false })
  expect(Date.parse(short.searched_back_to)).toBeLessThanOrEqual(Date.now())
  const id = '0190a1b2-0000-7000-8000-000000000001'
  await db.updateTable('orders').set({ email: 'Carla@Example.com' }).where('id', '=', id).execute()
  for (const query of ['carla@', 'carla@example.com', '@example.com', 'arla'])
    expect(await find(ann, query)).toEqual({ orders: [expect.objectContaining({ id, email: 'Carla@Example.com' })], more: false })
  for (const query of ['arla@', 'carla@example.org']) expect(await find(ann, query)).toEqual({ orders: [], more: false })
  expect(await find(ann, id.toUpperCase())).toEqual({ orders: [expect.objectContaining({ id })], more: false })
  for (const query of ['course', id]) expect(await find(bob, query)).toEqual({ orders: [], more: false })
})
