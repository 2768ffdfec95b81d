import { crc32 } from 'node:zlib'
import { Transformer } from '@napi-rs/image'
import { imageSize } from 'image-size'
import { expect, test } from 'vitest'
import { cleaned, finish, fitMask, lookAt, MOST_PIXELS, maskOf } from './pixels.ts'

const picture = (width: number, height: number, alpha = 255) => {
  const pixels = new Uint8Array(width * height * 4)
  for (let at = 0; at < width * height; at++) pixels.set([at % 256, (at * 7) % 256, 90, alpha], at * 4)
  return Transformer.fromRgbaPixels(pixels, width, height)
}
const SCRIPT = '<script>document.title="ran"</script>'
const refused = expect.objectContaining({ code: 'image_unreadable', status: 415 })

/** A JPEG as a camera makes it: with where it was taken. */
async function photographed(): Promise<Buffer> {
  const jpeg = await picture(64, 48).jpeg(90)
  const said = Buffer.from('Exif\0\0GPS 52.5200 N 13.4050 E Canon EOS of Mara Lindt')
  const head = Buffer.from([0xff, 0xe1, (said.length + 2) >> 8, (said.length + 2) & 255])
  return Buffer.concat([jpeg.subarray(0, 2), head, said, jpeg.subarray(2)])
}

/** A PNG whose header says how large it is, and that has next to nothing in it. */
function bomb(width: number, height: number): Buffer {
  const chunk = (name: string, body: Buffer) => {
    const named = Buffer.concat([Buffer.from(name, 'latin1'), body])
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
    length.writeUInt32BE(body.length)
    sum.writeUInt32BE(crc32(named))
    return Buffer.concat([length, named, sum])
  }
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 6, 0, 0, 0], 8)
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    chunk('IHDR', header),
    chunk('IDAT', Buffer.alloc(20)),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

test('where and with which camera a picture was taken is gone from what is kept', async () => {
  const photo = await photographed()
  expect(photo.includes('Mara Lindt')).toBe(true)
  for (const kept of [await cleaned(photo), (await finish(photo, 64, 48)).png, (await finish(photo, 64, 48)).thumb]) {
    for (const trace of ['Exif', 'GPS', 'Mara', 'Canon']) expect(kept.includes(trace), trace).toBe(false)
  }
})

test('a second file behind the pixels is not kept', async () => {
  const polyglot = Buffer.concat([await picture(32, 32).png(), Buffer.from(SCRIPT)])
  for (const kept of [await cleaned(polyglot), (await finish(polyglot, 32, 32)).png]) expect(kept.includes('<script>')).toBe(false)
})

test('what unpacks to more pixels than are looked at is refused by its header alone', async () => {
  const before = process.memoryUsage().rss
  const large = bomb(50_000, 50_000)
  expect(large.length).toBeLessThan(200)
  await expect(cleaned(large)).rejects.toEqual(refused)
  await expect(finish(large, 1024, 1024)).rejects.toEqual(refused)
  expect(process.memoryUsage().rss - before).toBeLessThan(100 * 1024 * 1024)
  expect(() => lookAt(bomb(Math.sqrt(MOST_PIXELS) + 1, Math.sqrt(MOST_PIXELS) + 1))).toThrow(refused as never)
  // Of a size that is looked at, and broken.
  await expect(cleaned(bomb(64, 64))).rejects.toEqual(refused)
})

test('other types are refused by their first bytes, whatever they are called', async () => {
  for (const bytes of [
    Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9">${SCRIPT}</svg>`),
    Buffer.from(`GIF89a/*${SCRIPT}*/`),
    Buffer.from(`<html>${SCRIPT}</html>`),
    Buffer.from('%PDF-1.7'),
    Buffer.alloc(0),
  ])
    await expect(cleaned(bytes)).rejects.toEqual(refused)
})

test('a large reference shrinks to what a model looks at, in its own shape', async () => {
  expect(imageSize(await cleaned(await picture(4000, 1000).png()))).toMatchObject({ width: 2048, height: 512, type: 'png' })
  expect(imageSize(await cleaned(await picture(300, 200).png()))).toMatchObject({ width: 300, height: 200 })
})

test('a mask has transparent parts and becomes as large as its picture; one without is refused', async () => {
  const mask = await maskOf(await picture(100, 100, 0).png())
  expect(imageSize(await fitMask(mask, await picture(256, 128).png()))).toMatchObject({ width: 256, height: 128 })
  await expect(maskOf(await picture(10, 10).png())).rejects.toEqual(refused)
  await expect(maskOf(await photographed())).rejects.toEqual(refused)
})
