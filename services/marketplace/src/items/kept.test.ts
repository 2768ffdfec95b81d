import { userDeleted } from '@operon/contracts/identity/events'
import { newId } from '@operon/kit/ids'
import { insert } from '@operon/kit/testing/rows'
import { startTestService, type TestUser } from '@operon/kit/testing/service'
import { afterAll, expect, test } from 'vitest'
import { marketplaceService } from '../service.ts'

const platform = await startTestService(marketplaceService)
const db: any = platform.services.marketplace!.rt.db
afterAll(() => platform.close())

const at = '/files/v1/marketplace/~uploads'
const call = (user: TestUser, method: string, path: string, headers: Record<string, string>, body?: string) =>
  fetch(platform.url() + path, { method, headers: { ...user.headers, ...headers }, ...(body !== undefined && { body }) })

const upload = (user: TestUser) => platform.upload(user, 'abc')
const remove = (user: TestUser, file: string) => call(user, 'DELETE', `${at}/${file}`, { 'tus-resumable': '1.0.0' })

async function published(user: TestUser, file_id: string) {
  const [item_id, version_id] = [newId(), newId()]
  const made = { title: 'Guide', description: 'Long text.', category: 'Sales', price_cents: 4900, item_type: 'pdf' }
  await insert(db, 'items', { id: item_id, user_id: user.id, is_active: false, ...made })
  await insert(db, 'item_versions', { id: version_id, item_id, number: 1, price_cents: 4900, currency: 'usd' })
  const file = { file_id, name: 'a.zip', bytes: 3, sha256: 'x', type: 'application/zip', position: 0 }
  await insert(db, 'version_files', { version_id, ...file })
  const headers = { 'content-type': 'application/json' }
  const hashed = db.selectFrom('files').select('sha256').where('id', '=', file_id)
  await expect.poll(async () => (await hashed.executeTakeFirstOrThrow()).sha256).not.toBeNull()
  expect((await call(user, 'POST', '/functions/v1/publish-product', headers, JSON.stringify({ item_id }))).status).toBe(200)
  return { item_id, version_id }
}
const order = (seller_id: string, { item_id, version_id }: { item_id: string; version_id: string }, state: string) =>
  insert(db, 'orders', {
    ...{ id: newId(), item_id, version_id, seller_id, title: 'Guide', amount_cents: 4900, currency: 'usd', state },
    token_hash: Buffer.from(newId()),
  })
const idsOf = async (table: string, column: string, ids: string[]) =>
  (await db.selectFrom(table).select(column).where(column, 'in', ids).execute()).map((row: any) => row[column])

test('an upload that a product uses is not deleted, another is, and nobody deletes for another', async () => {
  const ann = platform.user()
  const [used, unused] = [await upload(ann), await upload(ann)]
  await published(ann, used)
  const refused = await remove(ann, used)
  expect([refused.status, await refused.json()]).toMatchObject([409, { code: 'file_in_use' }])
  expect((await remove(platform.user(), used)).status).toBe(404)
  expect((await remove(ann, unused)).status).toBe(204)
  expect(await idsOf('files', 'id', [used, unused])).toEqual([used])
  const { key } = await db.selectFrom('files').select('key').where('id', '=', used).executeTakeFirst()
  expect(await platform.services.marketplace!.rt.storage.head(key)).toMatchObject({ size: 3 })
})

test('a seller who is erased leaves buyers the versions they bought with their files, and nothing else', async () => {
  const ann = platform.user()
  const files = [await upload(ann), await upload(ann), await upload(ann)]
  const [sold, refunded, unsold] = [await published(ann, files[0]!), await published(ann, files[1]!), await published(ann, files[2]!)]
  await order(ann.id, sold, 'delivered')
  await order(ann.id, refunded, 'refunded')
  await platform.emit(userDeleted, ann.id, { version: 3 })
  const erased = db.selectFrom('outbox').select('payload').where('name', '=', 'marketplace.user_erased').where('user_id', '=', ann.id)
  await expect.poll(() => erased.execute()).toMatchObject([{ payload: { deleted: { items: 2 }, anonymised: { items: 1 } } }])
  expect(await idsOf('files', 'id', files)).toEqual([files[0]])
  expect(await idsOf('version_files', 'file_id', files)).toEqual([files[0]])
  const versions = [sold, refunded, unsold].map(({ version_id }) => version_id)
  expect(await idsOf('item_versions', 'id', versions)).toEqual([sold.version_id])
  expect(await db.selectFrom('items').selectAll().where('user_id', '=', ann.id).execute()).toMatchObject([
    { id: sold.item_id, title: 'Guide', description: '', status: 'archived', is_active: false, slug: null, current_version_id: null },
  ])
})
