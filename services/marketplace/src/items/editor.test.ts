import { newId } from '@operon/kit/ids'
import { startTestService, type TestPlatform, type TestUser } from '@operon/kit/testing/service'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { marketplaceService } from '../service.ts'

let platform: TestPlatform
let db: any
beforeAll(async () => {
  platform = await startTestService(marketplaceService)
  db = platform.services.marketplace!.rt.db
})
afterAll(() => platform.close())

const call: TestPlatform['call'] = (...given) => platform.call(...given)
const made = {
  title: 'Five questions',
  description: 'Asks them.',
  price_cents: 4900,
  category: 'Marketing',
  item_type: 'workflow',
  kind: 'file',
}
const draft = async (user: TestUser, more: object = {}) => (await call('create-product', user, { ...made, ...more })).body.item_id as string
async function upload({ id: user_id }: TestUser, name: string, more: object = {}) {
  const id = newId()
  const file = { id, user_id, key: id, name, bytes: 3, received: 3, said_type: '', state: 'ready', sha256: 'x', type: 'application/zip' }
  await db
    .insertInto('files')
    .values({ ...file, ...more })
    .execute()
  return id
}
const published = async (user: TestUser, more: object = {}) => {
  const item_id = await draft(user, more)
  await call('attach-product-file', user, { item_id, file_id: await upload(user, 'a.zip') })
  expect((await call('publish-product', user, { item_id })).status).toBe(200)
  return item_id
}
const itemOf = (id: string) => db.selectFrom('items').selectAll().where('id', '=', id).executeTakeFirstOrThrow()

test('a product without a file is not put on sale, with one it is, at an address made of its name [spec-99]', async () => {
  const ann = platform.user()
  const item_id = await draft(ann)
  const refused = await call('publish-product', ann, { item_id })
  expect([refused.status, refused.body.code]).toEqual([409, 'product_incomplete'])
  expect((await itemOf(item_id)).status).toBe('draft')
  await call('attach-product-file', ann, { item_id, file_id: await upload(ann, 'a.zip', { sha256: null }) })
  expect((await call('publish-product', ann, { item_id })).body.detail).toContain('still being checked')
  await db.updateTable('files').set({ sha256: 'whole' }).where('user_id', '=', ann.id).execute()
  expect((await call('publish-product', ann, { item_id })).body.url).toMatch(/\/five-questions$/)
  const { body } = await call('read-product', ann, { item_id })
  expect(body).toMatchObject({ status: 'active', slug: 'five-questions', changed: false, missing: [] })
  expect(body.versions).toMatchObject([{ number: 1, on_sale: true, files: [{ name: 'a.zip' }] }])
  expect(await db.selectFrom('version_files').select('sha256').where('file_id', '=', body.versions[0].files[0].file_id).execute()).toEqual([
    { sha256: 'whole' },
  ])
  const again = await call('publish-product', ann, { item_id: await published(ann) })
  expect(again.body.url).toMatch(/\/five-questions-2$/)
})

test('files, notes and keys wait in the next version, and what is on sale stays as it is until it is published [spec-99]', async () => {
  const ann = platform.user()
  const item_id = await published(ann)
  const before = (await itemOf(item_id)).current_version_id
  const next = await upload(ann, 'b.zip')
  const attached = await call('attach-product-file', ann, { item_id, file_id: next })
  expect(attached.body).toMatchObject({ changed: true, next: { number: 2, files: [{ name: 'a.zip' }, { name: 'b.zip' }] } })
  const [{ file_id }] = attached.body.next.files
  await call('detach-product-file', ann, { item_id, file_id })
  await call('update-product', ann, { item_id, notes: 'Another file.', activation_limit: 3 })
  expect((await itemOf(item_id)).current_version_id).toBe(before)
  await call('publish-product', ann, { item_id })
  const { body } = await call('read-product', ann, { item_id })
  expect(body.versions).toMatchObject([
    { number: 2, on_sale: true, notes: 'Another file.', activation_limit: 3, files: [{ name: 'b.zip' }] },
    { number: 1, on_sale: false, notes: '', activation_limit: null, files: [{ name: 'a.zip' }] },
  ])
  // A version with nothing to download is not put on sale over one that has something.
  await call('detach-product-file', ann, { item_id, file_id: next })
  const emptied = await call('publish-product', ann, { item_id })
  expect([emptied.status, emptied.body.code]).toEqual([409, 'product_incomplete'])
})

test('another price is on sale at once, and what is being edited goes on waiting', async () => {
  const ann = platform.user()
  const item_id = await published(ann)
  await call('attach-product-file', ann, { item_id, file_id: await upload(ann, 'b.zip') })
  await call('update-product', ann, { item_id, notes: 'Two files.' })
  expect((await call('change-product-price', ann, { item_id, price_cents: 5900 })).body).toMatchObject({ price_cents: 5900, on_sale: true })
  const { body } = await call('read-product', ann, { item_id })
  expect(body.versions).toMatchObject([
    { number: 2, price_cents: 5900, on_sale: true, files: [{ name: 'a.zip' }] },
    { number: 1, price_cents: 4900, on_sale: false },
  ])
  expect(body.next).toMatchObject({ number: 3, notes: 'Two files.', files: [{ name: 'a.zip' }, { name: 'b.zip' }] })
  expect((await call('change-product-price', ann, { item_id, price_cents: 199 })).status).toBe(400)
  expect((await call('change-product-price', platform.user(), { item_id, price_cents: 300 })).status).toBe(404)
})

test('nobody reads, changes, copies or moves the product of another, or sells their file', async () => {
  const [ann, bob] = [platform.user(), platform.user()]
  const item_id = await published(ann)
  const before = await itemOf(item_id)
  const file_id = await upload(bob, 'b.zip')
  for (const [name, body] of [
    ['read-product', { item_id }],
    ['update-product', { item_id, title: 'Mine' }],
    ['attach-product-file', { item_id, file_id }],
    ['detach-product-file', { item_id, file_id }],
    ['duplicate-product', { item_id }],
  ] as const)
    expect((await call(name, bob, body)).status, name).toBe(404)
  for (const to of ['archive', 'publish', 'restore'])
    expect((await call('move-products', bob, { item_ids: [item_id], to })).body).toEqual({ moved: [], refused: [] })
  expect((await call('delete-products', bob, { item_ids: [item_id] })).body).toEqual({ moved: [], refused: [] })
  expect(await itemOf(item_id)).toEqual(before)
  expect((await call('attach-product-file', ann, { item_id, file_id })).body.code).toBe('file_not_yours')
  expect((await call('update-product', ann, { item_id, image_ids: [file_id] })).body.code).toBe('file_not_yours')
  expect((await call('list-products', bob)).body.products).toEqual([])
})

test('programs and files with malware are not sold, by what they hold and by their name', async () => {
  const ann = platform.user()
  const item_id = await draft(ann)
  const refused = async (name: string, more: object) =>
    (await call('attach-product-file', ann, { item_id, file_id: await upload(ann, name, more) })).body.code
  expect(await refused('notes.txt', { type: 'application/x-msdownload' })).toBe('file_forbidden')
  expect(await refused('setup.exe', { type: 'application/octet-stream' })).toBe('file_forbidden')
  expect(await refused('photo.jpg.scr ', { type: 'application/octet-stream' })).toBe('file_forbidden')
  expect(await refused('a.zip', { scan: 'infected' })).toBe('file_infected')
  expect(await refused('unfinished.zip', { state: 'uploading' })).toBe('file_not_yours')
  expect((await call('read-product', ann, { item_id })).body.next.files).toEqual([])
  expect(await refused('old.doc', { type: 'application/x-cfb' })).toBeUndefined()
})

test('archived products come back as they were: what was on sale is on sale, a draft is a draft [spec-99]', async () => {
  const ann = platform.user()
  const [sold, waiting] = [await published(ann), await draft(ann)]
  const item_ids = [sold, waiting]
  const archived = await call('move-products', ann, { item_ids, to: 'archive' })
  expect(archived.body.moved.toSorted()).toEqual(item_ids.toSorted())
  expect((await itemOf(sold)).is_active).toBe(false)
  expect((await call('list-products', ann, { status: 'archived' })).body).toMatchObject({ counts: { draft: 0, active: 0, archived: 2 } })
  await call('move-products', ann, { item_ids, to: 'restore' })
  expect([(await itemOf(sold)).status, (await itemOf(waiting)).status]).toEqual(['active', 'draft'])
  const moved = await call('move-products', ann, { item_ids, to: 'publish' })
  expect(moved.body).toMatchObject({ moved: [sold], refused: [{ item_id: waiting, reason: expect.stringContaining('Add a file') }] })
  const gone = await call('delete-products', ann, { item_ids })
  expect(gone.body).toMatchObject({ moved: [waiting], refused: [{ item_id: sold }] })
})

test('a part of a name finds a product of any age, page by page, and the states are counted without looking at any', {
  timeout: 30_000,
}, async () => {
  const [ann, bob] = [platform.user(), platform.user()]
  await sql`
    insert into items (id, user_id, title, category, price_cents, item_type, updated_at)
    select gen_random_uuid(), ${ann.id}::uuid, case when n > 2000 then 'Old 50%_course ' || n else 'Lead qualification' end, 'Sales', 4900, 'workflow',
      now() - n * interval '1 minute' from generate_series(1, 2060) n`.execute(db)
  const find = async (more: object, who = ann) => (await call('list-products', who, more)).body
  const first = await find({ q: '50%_COURSE' })
  expect([first.products.length, first.products[0].name]).toEqual([50, 'Old 50%_course 2001'])
  const rest = await find({ q: '50%_COURSE', after: first.next })
  expect([rest.products.map(({ name }: any) => name).at(-1), rest.products.length, rest.next]).toEqual(['Old 50%_course 2060', 10, null])
  expect((await find({ q: 'ourse 2060', status: 'draft' })).products).toHaveLength(1)
  expect((await find({ q: 'ourse 2060', status: 'active' })).products).toEqual([])
  expect((await find({ q: '2055' })).products).toHaveLength(1)
  // Two letters are looked for in those that changed last.
  expect((await find({ q: '0%' })).products).toEqual([])
  expect((await find({ q: 'QU' })).products).toHaveLength(50)
  expect((await find({ q: '50xxcourse' })).products).toEqual([])
  expect((await find({ q: 'course' }, bob)).products).toEqual([])
  expect((await find({})).counts).toEqual({ draft: 2060, active: 0, archived: 0 })
})

test('a copy is a draft with the same texts and files, and has no address of its own yet', async () => {
  const ann = platform.user()
  const item_id = await published(ann)
  const { body } = await call('duplicate-product', ann, { item_id })
  expect((await call('read-product', ann, body)).body).toMatchObject({
    title: 'Five questions (copy)',
    status: 'draft',
    slug: null,
    next: { number: 1, files: [{ name: 'a.zip' }] },
    versions: [],
  })
})

test('a seller has at most 10,000 products, made or copied', async () => {
  const ann = platform.user()
  const item_id = await draft(ann)
  await db.updateTable('item_counts').set({ archived: 9_999 }).where('user_id', '=', ann.id).execute()
  const answers = [await call('create-product', ann, made), await call('duplicate-product', ann, { item_id })]
  expect(answers.map(({ body }) => body.code)).toEqual(['too_many_products', 'too_many_products'])
  expect((await call('list-products', ann, {})).body.products).toHaveLength(1)
})

test('a made-up place in a list begins at its start instead of failing', async () => {
  const ann = platform.user()
  const item_id = await draft(ann)
  for (const place of ['2026-02-30 00:00:00.000000+00', '99999-01-01 00:00:00+00', '9999999999999999', '-1'])
    for (const name of ['list-products', 'template-library']) {
      const after = Buffer.from(`${place}|${item_id}`).toString('base64url')
      expect([place, name, (await call(name, ann, { after })).status]).toEqual([place, name, 200])
    }
})

test('the list has the specified fields, pages by its place, and counts what was sold [spec-98] [spec-99]', async () => {
  const ann = platform.user()
  const item_id = await published(ann)
  const order = { seller_id: ann.id, title: 'x', currency: 'usd', amount_cents: 4900 }
  for (const state of ['delivered', 'delivered', 'refunded', 'open'])
    await db
      .insertInto('orders')
      .values({ id: newId(), item_id, state, refunded_cents: state === 'refunded' ? 4900 : 0, token_hash: Buffer.from(newId()), ...order })
      .execute()
  await db.updateTable('items').set({ rating_sum: 9, rating_count: 2 }).where('id', '=', item_id).execute()
  const { body } = await call('list-products', ann)
  expect(body.products).toMatchObject([
    {
      name: 'Five questions',
      description: 'Asks them.',
      category: 'Marketing',
      price: 49,
      sales: 2,
      messages: 0,
      status: 'active',
      rating: 4.5,
      image: null,
    },
  ])
  expect((await call('marketplace-overview', ann)).body).toMatchObject({
    sales: 2,
    revenue: [{ currency: 'usd', amount_cents: 9800 }],
    active_products: 1,
    unread_messages: 0,
    best: [{ id: item_id }],
  })
  for (let n = 0; n < 51; n++) await draft(ann, { title: `Draft ${n}` })
  const first = (await call('list-products', ann)).body
  const second = (await call('list-products', ann, { after: first.next })).body
  expect([first.products.length, second.products.length, second.next]).toEqual([50, 2, null])
  expect((await call('list-products', ann, { q: 'draft 50' })).body.products).toHaveLength(1)
})

test('a manifest is kept with its version, and one with ids, keys or loose ends is refused', async () => {
  const ann = platform.user()
  const item_id = await draft(ann, { kind: 'template' })
  const graph = { nodes: [{ id: 'start', type: 'trigger.manual', params: {} }], edges: [] }
  const manifest = { format: 'workflow/1', graph, slots: [], variables: [], sample_input: {} }
  const save = (more: object) => call('update-product', ann, { item_id, manifest: { ...manifest, ...more } })
  for (const bad of [
    { sample_input: { owner: ann.id } },
    { sample_input: { token: 'sk_live_0123456789abcdef' } },
    { graph: { ...graph, edges: [{ from: 'start', to: 'nowhere' }] } },
    { graph: { nodes: [...graph.nodes, { id: 'mail', type: 'app.gmail.send' }], edges: [] } },
    { graph: { nodes: [{ id: 'mail', type: 'do.send' }], edges: [] } },
  ])
    expect((await save(bad)).status, JSON.stringify(bad)).toBe(400)
  expect((await save({})).body.next.manifest).toEqual(manifest)
  // Until templates are installed, buyers download a file.
  expect((await call('publish-product', ann, { item_id })).body.code).toBe('product_incomplete')
  await call('attach-product-file', ann, { item_id, file_id: await upload(ann, 'flow.json', { type: 'application/json' }) })
  expect((await call('publish-product', ann, { item_id })).status).toBe(200)
  const [{ manifest: kept }] = await db.selectFrom('item_versions').select('manifest').where('item_id', '=', item_id).execute()
  expect(kept).toEqual(manifest)
})
