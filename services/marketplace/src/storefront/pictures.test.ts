import { ResizeFit, Transformer } from '@napi-rs/image'
import { newId } from '@operon/kit/ids'
import { insert, update } from '@operon/kit/testing/rows'
import { startTestService, type TestUser } from '@operon/kit/testing/service'
import { imageSize } from 'image-size'
import { afterAll, expect, test, vi } from 'vitest'
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

test('a product that is published has the copies of its pictures before anybody looks, and one on sale those of a picture that is added', {
  timeout: 60_000,
}, async () => {
  const ann = platform.user()
  const { storage } = platform.services.marketplace!.rt
  const [first, second] = [await upload(ann, await photoOf(1200)), await upload(ann, await photoOf(600))]
  const made = { title: 'Guide', description: 'One two three.', category: 'Sales', item_type: 'pdf', price_cents: 4900, kind: 'service' }
  const { item_id } = (await platform.call('create-product', ann, made)).body
  await platform.call('update-product', ann, { item_id, image_ids: [first] })
  const names = async (id: string) => (await storage.list(`files/${ann.id}/${id}.`)).map(({ key }) => key.split(`${id}.`)[1]).toSorted()
  expect(await names(first)).toEqual([])
  expect((await platform.call('publish-product', ann, { item_id })).status).toBe(200)
  const all = ['w480', 'w480.avif', 'w720', 'w720.avif', 'w960', 'w960.avif']
  await vi.waitFor(async () => expect(await names(first)).toEqual(all), 20_000)
  await platform.call('update-product', ann, { item_id, image_ids: [first, second] })
  await vi.waitFor(async () => expect(await names(second)).toEqual(all), 20_000)
  const bytes = await whole(await storage.get(`files/${ann.id}/${first}.w720.avif`))
  expect(imageSize(bytes)).toMatchObject({ width: 720, height: 450, type: 'avif' })
})

test('the picture of a storefront has its copies as well, and is shown as wide as a screen', async () => {
  const ann = platform.user()
  const { storage } = platform.services.marketplace!.rt
  const picture_id = await upload(ann, await photoOf(1600))
  expect((await platform.call('save-business-profile', ann, { slug: `head-${ann.id.slice(-8)}`, picture_id })).status).toBe(200)
  await vi.waitFor(async () => expect(await storage.list(`files/${ann.id}/${picture_id}.`)).toHaveLength(6), 20_000)
  const wide = await look(`${picture_id}?w=1280&f=avif`)
  expect(imageSize(Buffer.from(await wide.arrayBuffer()))).toMatchObject({ width: 1280, height: 800, type: 'avif' })
})

const photoOf = (width: number) => new Transformer(png).fastResize({ width, height: (width * 5) / 8, fit: ResizeFit.Fill }).jpeg(90)
async function whole({ body }: { body: AsyncIterable<unknown> }) {
  const pieces: Buffer[] = []
  for await (const piece of body) pieces.push(piece as Buffer)
  return Buffer.concat(pieces)
}
