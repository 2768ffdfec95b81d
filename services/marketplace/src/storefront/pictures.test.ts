import { ResizeFit, Transformer } from '@napi-rs/image'
import { newId } from '@operon/kit/ids'
import { insert, update } from '@operon/kit/testing/rows'
import { startTestService, type TestUser } from '@operon/kit/testing/service'
import { imageSize } from 'image-size'
import { afterAll, expect, test } from 'vitest'
import { marketplaceService } from '../service.ts'

const platform = await startTestService(marketplaceService)
const db: any = platform.services.marketplace!.rt.db
afterAll(() => platform.close())

const png = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64')

const { upload } = platform
async function sell(user: TestUser, image_ids: string[]) {
  const id = newId()
  const made = { id, user_id: user.id, title: 'Guide', category: 'Sales', price_cents: 4900, item_type: 'pdf', is_active: true }
  await insert(db, 'items', { ...made, image_ids })
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
  await update(db, 'items', { id: item }, { status: 'archived' })
  expect((await look(picture)).status).toBe(404)
})

test('a picture is sent in the width of its place, made once, without what stood beside its pixels, and goes with its file', async () => {
  const ann = platform.user()
  const { storage } = platform.services.marketplace!.rt
  const wide = await new Transformer(png).fastResize({ width: 2000, height: 1250, fit: ResizeFit.Fill }).jpeg(90)
  const secret = Buffer.from('Exif\0\0 GPS 38.72,-9.14')
  const photo = Buffer.concat([wide.subarray(0, 2), Buffer.from([0xff, 0xe1, 0, secret.length + 2]), secret, wide.subarray(2)])
  const picture = await upload(ann, photo)
  await sell(ann, [picture])
  const [small, again] = [await look(`${picture}?w=480`), await look(`${picture}?w=480`)]
  expect([small.status, small.headers.get('content-type')]).toEqual([200, 'image/webp'])
  const bytes = Buffer.from(await small.arrayBuffer())
  expect(imageSize(bytes)).toMatchObject({ width: 480, height: 300 })
  expect(bytes.includes('GPS')).toBe(false)
  expect(Buffer.from(await again.arrayBuffer())).toEqual(bytes)
  const sized = async (query: string) => {
    const shown = await look(`${picture}?${query}`)
    return { ...imageSize(Buffer.from(await shown.arrayBuffer())), said: shown.headers.get('content-type') }
  }
  expect(await sized('w=960')).toMatchObject({ width: 960, height: 600, type: 'webp', said: 'image/webp' })
  expect(await sized('w=720&f=avif')).toMatchObject({ width: 720, height: 450, type: 'avif', said: 'image/avif' })
  expect(Buffer.from(await (await look(picture)).arrayBuffer())).toEqual(photo)
  expect((await look(`${picture}?w=481`)).status).toBe(400)
  const keys = async () => (await storage.list(`files/${ann.id}/`)).length
  expect(await keys()).toBe(4)
  await db.deleteFrom('items').where('user_id', '=', ann.id).execute()
  expect((await look(`${picture}?w=480`)).status).toBe(404)
  const gone = await fetch(`${platform.url()}/files/v1/marketplace/~uploads/${picture}`, {
    method: 'DELETE',
    headers: { ...ann.headers, 'tus-resumable': '1.0.0' },
  })
  expect(gone.status).toBe(204)
  expect(await keys()).toBe(0)
})

test('what says it is a picture and is none, or holds too many pixels, is not unpacked', async () => {
  const ann = platform.user()
  const broken = Buffer.concat([png.subarray(0, 40), Buffer.alloc(40)])
  const bomb = Buffer.from(png)
  bomb.writeUInt32BE(60_000, 16)
  bomb.writeUInt32BE(60_000, 20)
  for (const content of [broken, bomb]) {
    const picture = await upload(ann, content)
    await sell(ann, [picture])
    const shown = await look(`${picture}?w=480`)
    expect([shown.status, shown.headers.get('content-type')]).toEqual([200, 'image/png'])
    expect(Buffer.from(await shown.arrayBuffer())).toEqual(content)
  }
})
