import { newId } from '@operon/kit/ids'
import { startTestService, type TestPlatform, type TestUser } from '@operon/kit/testing/service'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { marketplaceService } from '../service.ts'

let platform: TestPlatform
let db: any
beforeAll(async () => {
  platform = await startTestService(marketplaceService)
  db = platform.services.marketplace!.rt.db
})
afterAll(() => platform.close())

const png = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64')

async function upload(user: TestUser, content: Buffer): Promise<string> {
  const tus = { ...user.headers, 'tus-resumable': '1.0.0' }
  const at = `${platform.url()}/files/v1/marketplace/~uploads`
  const begun = await fetch(at, { method: 'POST', headers: { ...tus, 'upload-length': String(content.length) } })
  const id = begun.headers.get('location')!.split('/').at(-1)!
  const headers = { ...tus, 'content-type': 'application/offset+octet-stream', 'upload-offset': '0' }
  const sent = await fetch(`${at}/${id}`, { method: 'PATCH', headers, body: new Uint8Array(content) })
  expect(sent.status).toBe(204)
  return id
}
async function sell(user: TestUser, image_ids: string[]) {
  const id = newId()
  const made = { id, user_id: user.id, title: 'Guide', category: 'Sales', price_cents: 4900, item_type: 'pdf', is_active: true }
  await db
    .insertInto('items')
    .values({ ...made, image_ids })
    .execute()
  return id
}
const look = (id: string) => fetch(`${platform.url()}/files/v1/marketplace/~pictures/${id}`)

test('a picture of what is on sale is open to all and kept for ever; no other file of a seller is', async () => {
  const [ann, bob] = [platform.user(), platform.user()]
  const [picture, page] = [await upload(ann, png), await upload(ann, Buffer.from('<html><script>alert(1)</script></html>'))]
  expect((await look(picture)).status).toBe(404)
  // Another seller who names it gets nothing out of it.
  await sell(bob, [picture])
  expect((await look(picture)).status).toBe(404)
  const item = await sell(ann, [picture, page])
  const shown = await look(picture)
  expect([shown.status, shown.headers.get('content-type'), shown.headers.get('cache-control')]).toEqual([
    200,
    'image/png',
    'public, max-age=31536000, immutable',
  ])
  expect(Buffer.from(await shown.arrayBuffer())).toEqual(png)
  expect((await look(page)).status).toBe(404)
  expect((await look(newId())).status).toBe(404)
  await db.updateTable('items').set({ status: 'archived' }).where('id', '=', item).execute()
  expect((await look(picture)).status).toBe(404)
})
