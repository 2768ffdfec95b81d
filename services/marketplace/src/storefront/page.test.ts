import { userDeleted } from '@operon/contracts/identity/events'
import { storefrontPageRequest } from '@operon/contracts/marketplace/storefront'
import { newId } from '@operon/kit/ids'
import { insert, update } from '@operon/kit/testing/rows'
import { startTestService } from '@operon/kit/testing/service'
import { afterAll, expect, test } from 'vitest'
import { marketplaceService } from '../service.ts'

const platform = await startTestService(marketplaceService)
const db: any = platform.services.marketplace!.rt.db
afterAll(() => platform.close())

const page = (asked: object) => platform.services.marketplace!.rt.ask(storefrontPageRequest, asked) as Promise<any>
const titles = (answer: any) => answer.offers.map(({ title }: { title: string }) => title)

async function seller(name: string | null, slug = `shop-${newId()}`) {
  const user_id = newId()
  await insert(db, 'profiles', { user_id, display_name: name, marketplace_slug: slug, version: 1 })
  return { user_id, slug }
}
async function product(user_id: string, title: string, more: object = {}) {
  const id = newId()
  const made = { id, user_id, title, description: 'Five questions.', category: 'Marketing', price_cents: 4900, item_type: 'workflow' }
  await insert(db, 'items', { ...made, is_active: true, ...more })
  return id
}

test('a storefront lists what is on sale, newest first, and nothing of drafts, the suspended or others [spec-102]', async () => {
  const ann = await seller('Ann & Co')
  const bob = await seller('Bob')
  await product(ann.user_id, 'Old', { published_at: new Date(Date.now() - 60_000) })
  await product(ann.user_id, 'New', { published_at: new Date() })
  await product(ann.user_id, 'Draft', { is_active: false })
  await product(ann.user_id, 'Taken down', { suspended_at: new Date() })
  await product(bob.user_id, 'Of another')
  const shown = await page({ slug: ann.slug })
  expect(shown).toMatchObject({ kind: 'storefront', seller: { slug: ann.slug, name: 'Ann & Co' }, total: 2, next: null })
  expect(titles(shown)).toEqual(['New', 'Old'])
  expect(shown.categories).toEqual(['Marketing'])
  expect(JSON.stringify(shown)).not.toContain(ann.user_id)
  expect(await page({ slug: (await seller('Empty')).slug })).toMatchObject({ kind: 'storefront', offers: [], total: 0 })
  expect(await page({ slug: 'nobody-here' })).toEqual({ kind: 'missing', seller: null })
})

test('words, a category and the page narrow the list, and each product comes once [spec-102]', async () => {
  const { user_id, slug } = await seller('Mara')
  const published_at = new Date()
  // All of one moment: the id alone keeps them apart.
  for (let at = 0; at < 30; at++) await product(user_id, `Reminder ${at}`, { published_at, category: at % 2 ? 'Finance' : 'Sales' })
  await product(user_id, 'Überweisung', { published_at, description: "It's <b>50% off</b>", category: 'Finance' })
  const first = await page({ slug, category: '', q: 'remind' })
  expect(first.offers).toHaveLength(24)
  const second = await page({ slug, q: 'remind', after: first.next })
  expect(second).toMatchObject({ next: null, total: 31 })
  expect(new Set([...titles(first), ...titles(second)]).size).toBe(30)
  expect(titles(await page({ slug, q: 'überw' }))).toEqual(['Überweisung'])
  expect(titles(await page({ slug, q: "50 & off | ! ' :*" }))).toEqual(['Überweisung'])
  expect(titles(await page({ slug, q: 'remind', category: 'Finance' }))).toHaveLength(15)
  expect(titles(await page({ slug, q: 'no such thing' }))).toEqual([])
  const made = (text: string) => Buffer.from(text).toString('base64url')
  for (const after of [
    'x',
    made("2026-13-99 99:99:99+00|' or 1=1"),
    made(`2026-02-31 00:00:00+00|${newId()}`),
    made(`9999999999999999|${newId()}`),
  ])
    expect((await page({ slug, after })).offers, after).toHaveLength(24)
})

test('a product has a page of its own by its slug, and by its id while it has none', async () => {
  const { user_id, slug } = await seller('Ida')
  const id = await product(user_id, 'Lead qualification')
  const other = await product(user_id, 'Another')
  expect(await page({ slug, item: id })).toMatchObject({
    kind: 'product',
    product: { id, key: id, description: 'Five questions.', price_cents: 4900, seller: { slug, name: 'Ida' } },
    more: [{ id: other }],
  })
  await update(db, 'items', { id }, { slug: 'lead' })
  const picture = newId()
  await update(db, 'items', { id }, { image_ids: [picture] })
  await update(db, 'profiles', { user_id }, { accent: 'teal' })
  const at = `/files/v1/marketplace/~pictures/${picture}`
  const shown = { id, key: 'lead', picture: at, pictures: [at], accent: 'teal' }
  expect(await page({ slug, item: 'lead' })).toMatchObject({ kind: 'product', product: shown })
  expect(await page({ slug, item: id })).toEqual({ kind: 'moved', path: `/marketplace/${slug}/lead` })
  expect(await page({ slug: (await seller('Eve')).slug, item: id })).toMatchObject({ kind: 'missing', seller: { name: 'Eve' } })
  await update(db, 'items', { id }, { status: 'archived' })
  expect(await page({ slug, item: 'lead' })).toEqual({ kind: 'missing', seller: { slug, name: 'Ida' } })
})

test('an address that was left leads on until somebody else has it, and ends with its person', async () => {
  const old = `old-${newId()}`
  const { user_id } = await seller('Noa', old)
  const id = await product(user_id, 'Guide', { slug: 'guide' })
  const now = `new-${newId()}`
  await update(db, 'profiles', { user_id }, { marketplace_slug: now })
  await update(db, 'items', { id }, { slug: 'the-guide' })
  expect(await page({ slug: old })).toEqual({ kind: 'moved', path: `/marketplace/${now}` })
  expect(await page({ slug: old, item: 'guide' })).toEqual({ kind: 'moved', path: `/marketplace/${now}/guide` })
  expect(await page({ slug: now, item: 'guide' })).toEqual({ kind: 'moved', path: `/marketplace/${now}/the-guide` })
  await seller('Squatter', old)
  expect(await page({ slug: old })).toMatchObject({ kind: 'storefront', seller: { name: 'Squatter' } })
  await platform.emit(userDeleted, user_id, { version: 3 })
  await expect.poll(() => page({ slug: now }), { timeout: 10_000 }).toEqual({ kind: 'missing', seller: null })
  await expect.poll(() => db.selectFrom('left_slugs').select('slug').where('user_id', '=', user_id).execute()).toEqual([])
})

test('the directory holds what all sellers with an address sell, and every category', async () => {
  const { user_id, slug } = await seller('Zoe')
  const word = `w${newId().replaceAll('-', '')}`
  await product(user_id, `${word} one`, { category: `C-${word}` })
  const hidden = newId()
  await insert(db, 'profiles', { user_id: hidden, display_name: 'No address', marketplace_slug: null, version: 1 })
  await product(hidden, `${word} two`)
  const shown = await page({ q: word })
  expect(shown).toMatchObject({ kind: 'directory', offers: [{ title: `${word} one`, seller: { slug, name: 'Zoe' } }], next: null })
  expect(shown.categories).toContain(`C-${word}`)
  expect(new Set(shown.categories).size).toBe(shown.categories.length)
  const response = await fetch(`${platform.url()}/functions/v1/storefront-page`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ q: word }),
  })
  expect(await response.json()).toEqual(shown)
})

test('search engines are told of every storefront and product on sale, and of no other', async () => {
  const { user_id, slug } = await seller('Una')
  const id = await product(user_id, 'Open', { slug: 'open' })
  const hidden = await product(user_id, 'Draft', { is_active: false })
  const response = await fetch(`${platform.url()}/functions/v1/storefront-sitemap`)
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/xml; charset=utf-8'])
  const map = await response.text()
  for (const path of [`/marketplace</loc>`, `/marketplace/${slug}</loc>`, `/marketplace/${slug}/open</loc>`]) expect(map).toContain(path)
  for (const unknown of [id, hidden]) expect(map).not.toContain(unknown)
})
