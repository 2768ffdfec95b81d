import { newId } from '@operon/kit/ids'
import { startTestService, type TestPlatform, type TestUser } from '@operon/kit/testing/service'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { fill } from '../migrations/0003_products.ts'
import { marketplaceService } from '../service.ts'

let platform: TestPlatform
let db: any
beforeAll(async () => {
  platform = await startTestService(marketplaceService)
  db = platform.services.marketplace!.rt.db
})
afterAll(() => platform.close())

async function call(name: string, user: TestUser, body: object) {
  const headers = { ...user.headers, 'content-type': 'application/json' }
  const response = await fetch(`${platform.url()}/functions/v1/${name}`, { method: 'POST', headers, body: JSON.stringify(body) })
  return { status: response.status, body: (await response.json()) as any }
}
const made = {
  title: 'Lead qualification',
  description: 'Five questions.',
  price_cents: 4900,
  category: 'Marketing',
  item_type: 'workflow',
}
const draft = async (user: TestUser) => (await call('create-product', user, made)).body.item_id as string
const itemOf = (id: string) => db.selectFrom('items').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
const versionsOf = (id: string) => db.selectFrom('item_versions').selectAll().where('item_id', '=', id).orderBy('number').execute()
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
  const file = { file_id: newId(), name: 'a.zip', bytes: 3, sha256: 'x', type: 'application/zip', position: 0 }
  await db
    .insertInto('version_files')
    .values({ version_id: first.id, ...file })
    .execute()
  await change(id, { price_cents: 9900 })
  expect((await call('publish-product', ann, { item_id: id })).status).toBe(200)
  const versions = await versionsOf(id)
  expect(versions).toMatchObject([
    { number: 1, price_cents: 4900 },
    { number: 2, price_cents: 9900 },
  ])
  expect((await itemOf(id)).current_version_id).toBe(versions[1].id)
  expect(await db.selectFrom('version_files').select(['file_id', 'name']).where('version_id', '=', versions[1].id).execute()).toEqual([
    { file_id: file.file_id, name: 'a.zip' },
  ])
})

test('a version that waits is published with the price of the product, and then the database refuses to change it [spec-99]', async () => {
  const ann = platform.user()
  const id = await draft(ann)
  const waiting = { id: newId(), item_id: id, number: 1, price_cents: 1, currency: 'usd', notes: 'New questions.', published_at: null }
  await db.insertInto('item_versions').values(waiting).execute()
  await call('publish-product', ann, { item_id: id })
  expect(await versionsOf(id)).toMatchObject([{ id: waiting.id, number: 1, price_cents: 4900, notes: 'New questions.' }])
  await expect(db.updateTable('item_versions').set({ price_cents: 1 }).where('id', '=', waiting.id).execute()).rejects.toThrow(
    'is published',
  )
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
    await trx.updateTable('items').set({ is_active: true }).where('id', '=', sold).execute()
  })
  expect(await itemOf(sold)).toMatchObject({ status: 'draft', is_active: true })
  for (const _ of [1, 2]) await fill(db)
  const versions = await versionsOf(sold)
  expect(versions).toMatchObject([{ number: 1, price_cents: 4900, published_at: (await itemOf(sold)).created_at }])
  expect(await itemOf(sold)).toMatchObject({ status: 'active', is_active: true, current_version_id: versions[0].id })
  expect(await versionsOf(unsold)).toEqual([])
})
