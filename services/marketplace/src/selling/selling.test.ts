import { newId } from '@operon/kit/ids'
import { insert, update } from '@operon/kit/testing/rows'
import { startTestService, type TestUser } from '@operon/kit/testing/service'
import { sql } from 'kysely'
import { afterAll, expect, test } from 'vitest'
import { issueKey, openKey } from '../licences/keys.ts'
import { marketplaceService } from '../service.ts'
import { tellOfLowConversion } from './conversion.ts'
import { forgetOld, REPORTS_KEPT_DAYS, VIEWS_KEPT_DAYS } from './forget.ts'

const platform = await startTestService(marketplaceService)
const db: any = platform.services.marketplace!.rt.db
afterAll(() => platform.close())

const { call } = platform
const made = { title: 'Five questions', description: 'Asks them.', price_cents: 4900, category: 'Marketing', item_type: 'workflow' }
async function published(user: TestUser) {
  const { body } = await call('create-product', user, made)
  expect((await call('publish-product', user, body)).status).toBe(200)
  return body.item_id as string
}
async function ordered(seller: TestUser, item_id: string, more: object = {}) {
  const order = { id: newId(), item_id, seller_id: seller.id, title: 'x', currency: 'usd', amount_cents: 4900, state: 'delivered' }
  await insert(db, 'orders', { ...order, token_hash: Buffer.from(newId()), ...more })
  return order.id
}

test('a coupon takes off one of two things, a code is had once by a seller until it has ended, and nobody ends another’s', async () => {
  const [ann, bob] = [platform.user(), platform.user()]
  const made = await call('create-coupon', ann, { code: 'spring-20', percent_off: 20, max_uses: 2 })
  expect(made.body).toMatchObject({ code: 'SPRING-20', percent_off: 20, state: 'active', used: 0 })
  expect((await call('create-coupon', ann, { code: 'SPRING-20', percent_off: 10 })).body.code).toBe('coupon_exists')
  expect((await call('create-coupon', bob, { code: 'SPRING-20', amount_off_cents: 500 })).status).toBe(200)
  for (const bad of [{}, { percent_off: 20, amount_off_cents: 500 }, { percent_off: 100 }, { amount_off_cents: 1 }])
    expect((await call('create-coupon', ann, { code: 'BAD', ...bad })).status).toBe(400)
  expect((await call('create-coupon', bob, { code: 'ANNS', percent_off: 5, item_ids: [await published(ann)] })).status).toBe(404)
  const { coupon_id } = made.body
  expect((await call('end-coupon', bob, { coupon_id })).status).toBe(404)
  for (const _ of [1, 2]) expect((await call('end-coupon', ann, { coupon_id })).body.state).toBe('ended')
  expect((await call('create-coupon', ann, { code: 'SPRING-20', percent_off: 10 })).status).toBe(200)
  expect((await call('list-coupons', ann)).body.coupons).toMatchObject([{ percent_off: 10, state: 'active' }, { state: 'ended' }])
})

test('the seven fields and the address are saved, the old address leads on, and a taken one is refused [spec-101]', async () => {
  const [ann, bob] = [platform.user(), platform.user()]
  const fields = {
    business_name: 'Ann’s Automations',
    contact_email: 'ann@example.com',
    phone: '+1 555 0100',
    website: 'https://ann.example.com',
    location: 'Lisbon',
    business_category: 'Automation',
    business_description: 'Workflows for small shops.',
  }
  const [slug, later] = [`ann-${newId().slice(-6)}`, `ann-${newId().slice(-6)}-b`]
  expect((await call('save-business-profile', ann, { ...fields, slug })).body).toMatchObject({ ...fields, slug })
  expect((await call('business-profile', ann)).body).toMatchObject({ ...fields, slug })
  expect((await call('save-business-profile', bob, { slug })).body.code).toBe('slug_taken')
  await call('save-business-profile', ann, { slug: later })
  expect((await call('save-business-profile', bob, { slug })).body.code).toBe('slug_taken')
  expect((await call('storefront-page', null, { slug })).body).toEqual({ kind: 'moved', path: `/marketplace/${later}` })
  const shown = (await call('storefront-page', null, { slug: later })).body
  expect(shown.seller).toMatchObject({ slug: later, name: 'Ann’s Automations' })
  expect(shown.profile).toMatchObject({ location: 'Lisbon', website: 'https://ann.example.com' })
  const said = await db
    .selectFrom('outbox')
    .select('payload')
    .where('user_id', '=', ann.id)
    .where('name', '=', 'marketplace.profile_changed')
    .execute()
  expect(said.map((row: any) => row.payload)).toEqual([
    { slug, version: 1 },
    { slug: later, version: 2 },
  ])
  for (const bad of [
    { website: 'javascript:alert(1)' },
    { contact_email: 'nobody' },
    { slug: 'A b' },
    { slug: 'admin' },
    { accent: 'red' },
  ])
    expect((await call('save-business-profile', ann, bad)).status, JSON.stringify(bad)).toBeGreaterThanOrEqual(400)
})

test('a view counts by day and site alone, and neither its seller’s nor what is not on sale', async () => {
  const ann = platform.user()
  const item_id = await published(ann)
  for (const referrer of [
    'https://news.example.com/a?token=secret',
    'https://NEWS.example.com/b',
    '',
    'not an address',
    'javascript:alert(1)',
  ])
    expect((await call('count-view', null, { item_id, referrer })).status).toBe(200)
  await call('count-view', ann, { item_id })
  await call('count-view', platform.user(), { item_id })
  await ordered(ann, item_id)
  await ordered(ann, item_id, { state: 'refunded', refunded_cents: 4900 })
  const { body } = await call('product-analytics', ann, { item_id, days: 7 })
  expect(body).toMatchObject({ views: 6, sales: 2, refunds: 1, revenue_cents: 4900, conversion_pct: 33.3 })
  expect(body.days).toHaveLength(7)
  expect(body.days.at(-1)).toMatchObject({ views: 6, sales: 2 })
  expect(body.referrers).toEqual([
    { referrer: '', views: 4 },
    { referrer: 'news.example.com', views: 2 },
  ])
  for (let n = 0; n < 60; n++) await call('count-view', null, { item_id, referrer: `https://s${n}.example.com` })
  const rows = await db.selectFrom('item_views').select('referrer').where('item_id', '=', item_id).execute()
  expect(rows.length).toBeLessThanOrEqual(41)
  expect((await call('product-analytics', platform.user(), { item_id })).status).toBe(404)
  await call('move-products', ann, { item_ids: [item_id], to: 'archive' })
  await call('count-view', null, { item_id })
  expect((await call('product-analytics', ann, { item_id, days: 7 })).body.views).toBe(66)
})

test('a product that was bought beside another counts as sold, with its part of what was paid and given back', async () => {
  const ann = platform.user()
  const [first, second] = [await published(ann), await published(ann)]
  const order_id = await ordered(ann, first, { state: 'open', amount_cents: 6000, paid_cents: 6000 })
  await update(db, 'order_lines', { order_id }, { amount_cents: 4000 })
  const line = { order_id, item_id: second, position: 1, title: 'x', list_cents: 2000, amount_cents: 2000 }
  await insert(db, 'order_lines', line)
  await update(db, 'orders', { id: order_id }, { state: 'delivered' })
  await update(db, 'orders', { id: order_id }, { refunded_cents: 3000 })
  const of = async (item_id: string) => (await call('product-analytics', ann, { item_id, days: 7 })).body
  expect(await of(first)).toMatchObject({ sales: 1, revenue_cents: 2000 })
  expect(await of(second)).toMatchObject({ sales: 1, revenue_cents: 1000 })
  expect((await call('marketplace-overview', ann)).body.revenue).toEqual([{ currency: 'usd', amount_cents: 3000 }])
})

test('what buyers wrote and nobody has read is counted, in all and for each product [spec-98] [spec-100]', async () => {
  const [ann, bob] = [platform.user(), platform.user()]
  const item_id = await published(ann)
  const { thread_id } = (await call('ask-seller', bob, { item_id, text: 'Does it work with HubSpot?' })).body
  const counted = async () => [
    (await call('marketplace-overview', ann)).body.unread_messages,
    (await call('list-products', ann)).body.products[0].messages,
  ]
  expect(await counted()).toEqual([1, 1])
  await call('show-thread', ann, { thread_id })
  expect(await counted()).toEqual([0, 0])
})

test('a licence key is activated on so many machines and not one more, however many ask at once, and ends with the refund', async () => {
  const ann = platform.user()
  const item_id = await published(ann)
  await call('update-product', ann, { item_id, activation_limit: 2 })
  await call('publish-product', ann, { item_id })
  const { current_version_id: version_id } = await db.selectFrom('items').selectAll().where('id', '=', item_id).executeTakeFirst()
  const order_id = await ordered(ann, item_id, { version_id })
  const { vault } = platform.services.marketplace!.rt
  for (const _ of [1, 2])
    await db.transaction().execute((trx: any) => issueKey(trx, vault, { order_id, item_id, version_id, seller_id: ann.id }))
  const rows = await db.selectFrom('license_keys').selectAll().where('order_id', '=', order_id).execute()
  expect(rows).toHaveLength(1)
  const key = openKey(vault, rows[0])
  expect(JSON.stringify(rows)).not.toContain(key)
  const ask = (name: string, body: object = {}) => call(name, null, { key, item_id, ...body })
  expect((await ask('check-licence')).body).toEqual({ valid: true, reason: null, activation_limit: 2, activations: 0 })
  expect((await ask('check-licence', { key: key.toLowerCase().replaceAll('-', ' ') })).body.valid).toBe(true)
  const asked = await Promise.all(['a', 'b', 'c', 'd', 'e', 'a'].map((machine) => ask('activate-licence', { machine })))
  const machines = new Set(asked.flatMap(({ body }, n) => (body.valid ? ['abcdea'[n]] : [])))
  expect(machines.size).toBe(2)
  expect(asked.filter(({ body }) => body.reason === 'limit_reached').length).toBeGreaterThanOrEqual(3)
  expect(await db.selectFrom('activations').select('key_id').where('key_id', '=', rows[0].id).execute()).toHaveLength(2)
  const [machine] = machines as Set<string>
  expect((await ask('deactivate-licence', { machine })).body).toMatchObject({ reason: 'not_activated', activations: 1 })
  expect((await ask('activate-licence', { machine: 'z' })).body.valid).toBe(true)
  expect((await ask('check-licence', { item_id: newId() })).body).toMatchObject({ valid: false, reason: 'unknown', activation_limit: null })
  await update(db, 'orders', { id: order_id }, { state: 'refunded' })
  expect((await ask('check-licence', { machine: 'z' })).body).toMatchObject({ valid: false, reason: 'refunded' })
  expect((await ask('activate-licence', { machine: 'y' })).body.valid).toBe(false)
})

test('a seller is told once in 30 days of a product that sells to few of its visitors, and not of one that sells or is hardly seen', async () => {
  const ann = platform.user()
  const [few, good, unseen] = [await published(ann), await published(ann), await published(ann)]
  const seen = (item_id: string, views: number) => insert(db, 'item_views', { item_id, day: sql`current_date - 3`, referrer: '', views })
  await seen(few, 250)
  await seen(good, 100)
  await seen(unseen, 99)
  for (const item_id of [few, few, good]) await ordered(ann, item_id)
  const { rt } = platform.services.marketplace!
  for (const _ of [1, 2]) await tellOfLowConversion(rt.ctx() as never)
  const told = await db
    .selectFrom('outbox')
    .select('payload')
    .where('user_id', '=', ann.id)
    .where('name', '=', 'marketplace.low_conversion')
    .execute()
  expect(told.map((row: any) => row.payload)).toEqual([{ item_id: few, title: 'Five questions', views: 250, sales: 2, days: 30 }])
})

test('views and decided reports go when nothing shows them any more, and open reports stay', async () => {
  const ann = platform.user()
  const item_id = await published(ann)
  const seen = (ago: number) => insert(db, 'item_views', { item_id, day: sql`current_date - ${ago}::int`, referrer: '', views: 1 })
  await seen(VIEWS_KEPT_DAYS)
  await seen(VIEWS_KEPT_DAYS + 1)
  const reported = async (ago: number | null) => {
    const id = newId()
    const closed_at = ago === null ? null : sql`now() - ${ago} * interval '1 day'`
    const created_at = sql`now() - interval '9 years'`
    await insert(db, 'reports', { id, item_id, seller_id: ann.id, reason: 'other', created_at, closed_at })
    return id
  }
  const [old, late, open] = [await reported(REPORTS_KEPT_DAYS + 1), await reported(REPORTS_KEPT_DAYS - 1), await reported(null)]
  await forgetOld(platform.services.marketplace!.rt.ctx() as never)
  expect(await db.selectFrom('item_views').select('day').where('item_id', '=', item_id).execute()).toHaveLength(1)
  const left = await db.selectFrom('reports').select('id').where('id', 'in', [old, late, open]).execute()
  expect(left.map((row: any) => row.id).toSorted()).toEqual([late, open].toSorted())
})
