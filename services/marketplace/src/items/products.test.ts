import { newId } from '@operon/kit/ids'
import { insert, update } from '@operon/kit/testing/rows'
import { startTestService, type TestUser } from '@operon/kit/testing/service'
import { sql } from 'kysely'
import { afterAll, expect, test } from 'vitest'
import { fill } from '../migrations/0003_products.ts'
import { marketplaceService } from '../service.ts'

const platform = await startTestService(marketplaceService)
const db: any = platform.services.marketplace!.rt.db
afterAll(() => platform.close())

const { call } = platform
const made = {
  title: 'Lead qualification',
  description: 'Five questions.',
  price_cents: 4900,
  category: 'Marketing',
  item_type: 'workflow',
}
test('nothing in a product’s name turns or hides what stands beside it', async () => {
  const seller = platform.user()
  const { body } = await call('create-product', seller, {
    ...made,
    title: ' Guide\u202e exe\u200b',
    category: 'Sa\u2066les',
    item_type: 'p\ndf',
  })
  expect(await itemOf(body.item_id)).toMatchObject({ title: 'Guide exe', category: 'Sa les', item_type: 'p df' })
  expect((await call('create-product', seller, { ...made, title: '\u202e\u200b' })).status).toBe(400)
})

const draft = async (user: TestUser) => (await call('create-product', user, made)).body.item_id as string
const itemOf = (id: string) => db.selectFrom('items').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
const versionsOf = (id: string) => db.selectFrom('item_versions').selectAll().where('item_id', '=', id).orderBy('number').execute()
const list = (version_id: string, file: object) => insert(db, 'version_files', { version_id, position: 0, ...file })
async function fileOf({ id: user_id }: TestUser, name: string) {
  const known = { name, bytes: 3, sha256: 'x', type: 'application/zip' }
  const file_id = newId()
  await insert(db, 'files', { id: file_id, user_id, key: file_id, said_type: '', state: 'ready', ...known })
  return { file_id, ...known }
}
const change = (id: string, values: object) => db.updateTable('items').set(values).where('id', '=', id).execute()

test('publishing makes a version, another price makes the next one with the same files, and nobody publishes for another [spec-99]', async () => {
  const ann = platform.user()
  const id = await draft(ann)
  expect(await itemOf(id)).toMatchObject({ status: 'draft', is_active: false, current_version_id: null })
  expect((await call('publish-product', platform.user(), { item_id: id })).status).toBe(404)
  expect(await versionsOf(id)).toEqual([])
  for (const _ of [1, 2]) expect((await call('publish-product', ann, { item_id: id })).status).toBe(200)
  const [first, ...others] = await versionsOf(id)
  expect([first, others]).toMatchObject([{ number: 1, price_cents: 4900, currency: 'usd', published_at: expect.any(Date) }, []])
  expect(await itemOf(id)).toMatchObject({ status: 'active', is_active: true, current_version_id: first.id })
  await change(id, { price_cents: 9900 })
  expect((await call('publish-product', ann, { item_id: id })).status).toBe(200)
  const versions = await versionsOf(id)
  expect(versions).toMatchObject([
    { number: 1, price_cents: 4900 },
    { number: 2, price_cents: 9900 },
  ])
  expect((await itemOf(id)).current_version_id).toBe(versions[1].id)
})

test('the files of a published version never change, and the next version has the same ones [spec-99]', async () => {
  const ann = platform.user()
  const id = await draft(ann)
  const waiting = newId()
  await insert(db, 'item_versions', { id: waiting, item_id: id, number: 1, price_cents: 1, currency: 'usd' })
  const [kept, late] = [await fileOf(ann, 'a.zip'), await fileOf(ann, 'b.zip')]
  await list(waiting, kept)
  await expect(list(waiting, { ...late, file_id: newId() })).rejects.toThrow('is not there')
  await call('publish-product', ann, { item_id: id })
  await expect(list(waiting, late)).rejects.toThrow('is published')
  const listed = (version: string) => db.selectFrom('version_files').select(['file_id', 'name']).where('version_id', '=', version).execute()
  await expect(db.deleteFrom('version_files').where('version_id', '=', waiting).execute()).rejects.toThrow('is published')
  const renamed = db.updateTable('version_files').set({ name: 'x' }).where('version_id', '=', waiting)
  await expect(renamed.execute()).rejects.toThrow('is published')
  await update(db, 'version_files', { version_id: waiting }, { scan: 'clean' })
  await change(id, { price_cents: 9900 })
  await call('publish-product', ann, { item_id: id })
  const next = (await itemOf(id)).current_version_id
  expect(next).not.toBe(waiting)
  for (const version of [waiting, next]) expect(await listed(version)).toEqual([{ file_id: kept.file_id, name: 'a.zip' }])
})

test('what an older instance puts on sale has a version at once', async () => {
  const id = await draft(platform.user())
  await change(id, { is_active: true })
  const [version, ...others] = await versionsOf(id)
  expect([version, others]).toMatchObject([{ number: 1, price_cents: 4900, published_at: expect.any(Date) }, []])
  expect(await itemOf(id)).toMatchObject({ status: 'active', current_version_id: version.id })
})

test('a seller whose name is a word of the site gets no address that reads as the site’s own [spec-100]', async () => {
  const seller = platform.user()
  await insert(db, 'profiles', { user_id: seller.id, display_name: 'Support', version: 1 })
  const { body } = await call('publish-product', seller, { item_id: await draft(seller) })
  expect(new URL(body.url).pathname.split('/')[2]).toBe(`support-${seller.id.slice(-8)}`)
})

test('sellers of one name who publish at once get an address each, and the event counts its changes [spec-100]', async () => {
  const name = `Jo ${newId().slice(-6)}`
  const sellers = Array.from({ length: 3 }, () => platform.user())
  await insert(
    db,
    'profiles',
    sellers.map(({ id }) => ({ user_id: id, display_name: name, version: 1, slug_version: 3 })),
  )
  const drafts = await Promise.all(sellers.map(async (user) => ({ user, item_id: await draft(user) })))
  // All of them have looked for a free address before the first one may write its own.
  const { asked } = await db.transaction().execute(async (trx: any) => {
    await sql`lock table profiles in share mode`.execute(trx)
    const asked = drafts.map(({ user, item_id }) => call('publish-product', user, { item_id }))
    const waiting = sql<{ count: number }>`select count(*)::int as count from pg_locks where not granted`
    await expect.poll(async () => (await waiting.execute(trx)).rows[0]!.count).toBeGreaterThanOrEqual(drafts.length)
    return { asked }
  })
  const answers = await Promise.all(asked)
  expect(answers.map(({ status }) => status)).toEqual(drafts.map(() => 200))
  const ids = sellers.map(({ id }) => id)
  const profiles = await db.selectFrom('profiles').select('marketplace_slug').where('user_id', 'in', ids).execute()
  expect(new Set(profiles.map((row: any) => row.marketplace_slug)).size).toBe(3)
  const said = db.selectFrom('outbox').select('payload').where('name', '=', 'marketplace.profile_changed').where('user_id', 'in', ids)
  expect((await said.execute()).map((row: any) => row.payload.version)).toEqual([4, 4, 4])
})

test('a name that leads to another seller by an old link is not given away', async () => {
  const [old, ann] = [platform.user(), platform.user()]
  const slug = `left-${newId().slice(-6)}`
  await insert(db, 'left_slugs', { slug, user_id: old.id })
  await insert(db, 'profiles', { user_id: ann.id, display_name: slug, version: 1 })
  const { body } = await call('publish-product', ann, { item_id: await draft(ann) })
  expect(body.url).toContain(`/marketplace/${slug}-${ann.id.slice(-8)}/`)
})

test('a version that waits is published with the price of the product, and then the database refuses to change it [spec-99]', async () => {
  const ann = platform.user()
  const id = await draft(ann)
  const waiting = { id: newId(), item_id: id, number: 1, price_cents: 1, currency: 'usd', notes: 'New questions.', published_at: null }
  await insert(db, 'item_versions', waiting)
  await call('publish-product', ann, { item_id: id })
  expect(await versionsOf(id)).toMatchObject([{ id: waiting.id, number: 1, price_cents: 4900, notes: 'New questions.' }])
  await expect(update(db, 'item_versions', { id: waiting.id }, { price_cents: 1 })).rejects.toThrow('is published')
})

test('is_active follows the status, an older instance moves both, and what staff suspended is on sale for nobody [spec-102]', async () => {
  const ann = platform.user()
  const id = await draft(ann)
  const standing = async () => {
    const { status, is_active } = await itemOf(id)
    return [status, is_active]
  }
  await change(id, { is_active: true })
  expect(await standing()).toEqual(['active', true])
  await change(id, { status: 'archived' })
  expect(await standing()).toEqual(['archived', false])
  await change(id, { status: 'active', suspended_at: new Date() })
  expect(await standing()).toEqual(['active', false])
  await call('publish-product', ann, { item_id: id })
  expect(await standing()).toEqual(['active', false])
  await change(id, { is_active: true })
  expect(await standing()).toEqual(['active', false])
})

test('what was on sale before there were versions gets its own, once, and a draft gets none', async () => {
  const ann = platform.user()
  const [sold, unsold] = [await draft(ann), await draft(ann)]
  await db.transaction().execute(async (trx: any) => {
    await sql`set local session_replication_role = replica`.execute(trx)
    await update(trx, 'items', { id: sold }, { is_active: true })
  })
  expect(await itemOf(sold)).toMatchObject({ status: 'draft', is_active: true })
  for (const _ of [1, 2]) await fill(db)
  const versions = await versionsOf(sold)
  expect(versions).toMatchObject([{ number: 1, price_cents: 4900, published_at: (await itemOf(sold)).created_at }])
  expect(await itemOf(sold)).toMatchObject({ status: 'active', is_active: true, current_version_id: versions[0].id })
  expect(await versionsOf(unsold)).toEqual([])
})
