import { randomUUID } from 'node:crypto'
import { Transformer } from '@napi-rs/image'
import type { AllInOne } from '@operon/deploy/all-in-one'
import { paint } from '@operon/sandbox/images/paint'

const GRAIN = 4
const goods = ['Lead qualification', 'Invoice reminders', 'Support routing', 'Content calendar', 'Meeting scheduler']

/** A seller with things for sale, written to the tables: the address of the storefront, and of one product. */
export async function openStorefront({ services }: AllInOne): Promise<{ storefront: string; product: string }> {
  const { db, storage } = services.marketplace!.rt
  const photos = await Promise.all(Array.from({ length: 9 }, (_, at) => photo(goods[at % goods.length]!, at)))
  const user_id = randomUUID()
  await db
    .insertInto('profiles')
    .values({ user_id, display_name: 'Mara Lindt Automations', marketplace_slug: 'mara', version: 1, deleted_at: null })
    .execute()
  await db
    .insertInto('items')
    .values(
      Array.from({ length: 9 }, (_, at) => ({
        id: randomUUID(),
        user_id,
        title: `${goods[at % goods.length]} ${at + 1}`,
        description: 'Asks the five questions, scores the answers and offers a meeting. Works with any form.',
        category: 'Marketing',
        price_cents: 1900 + at * 1000,
        item_type: 'Workflow',
        is_active: true,
        slug: `product-${at + 1}`,
        image_ids: [photos[at]!.id],
      })),
    )
    .execute()
  for (const { id, bytes } of photos) {
    const key = `files/${user_id}/${id}`
    await storage.put(key, bytes, { contentType: 'image/jpeg' })
    const file = {
      id,
      user_id,
      key,
      name: `${id}.jpg`,
      bytes: bytes.length,
      received: bytes.length,
      said_type: 'image/jpeg',
      type: 'image/jpeg',
    }
    await db
      .insertInto('files')
      .values({ ...file, state: 'ready' } as never)
      .execute()
  }
  console.log(`pictures of ${Math.round(photos.reduce((sum, { bytes }) => sum + bytes.length, 0) / photos.length / 1000)} kB, 1600 x 1000`)
  return { storefront: '/marketplace/mara', product: '/marketplace/mara/product-1' }
}

/** As large as a photo is, and as its smaller copies are: a painting with a grain that is coarse enough to be left in those. */
async function photo(subject: string, seed: number): Promise<{ id: string; bytes: Buffer }> {
  const [width, height] = [1600, 1000]
  const pixels = await new Transformer(await paint({ prompt: subject, width, height, seed })).rawPixels()
  const channels = pixels.length / (width * height)
  const random = randomsOf(seed)
  const across = Math.ceil(width / GRAIN)
  const grain = Array.from({ length: across * Math.ceil(height / GRAIN) }, () => Math.round((random() - 0.5) * 32))
  const grainy = Buffer.alloc(width * height * 4, 255)
  for (let at = 0; at < width * height; at++) {
    const much = grain[Math.floor(at / width / GRAIN) * across + Math.floor((at % width) / GRAIN)]!
    for (let c = 0; c < 3; c++) grainy[at * 4 + c] = Math.max(0, Math.min(255, pixels[at * channels + c]! + much))
  }
  return { id: randomUUID(), bytes: await Transformer.fromRgbaPixels(grainy, width, height).jpeg(88) }
}
function randomsOf(seed: number): () => number {
  let state = seed + 1
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}
