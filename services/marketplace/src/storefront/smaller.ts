import { FastResizeFilter, ResizeFit, Transformer } from '@napi-rs/image'
import { besideKey } from '@operon/kit/files/files'
import type { Runtime } from '@operon/kit/service'
import { imageSize } from 'image-size'
import type { MarketplaceDb } from '../schema.ts'

type Storage = Runtime<MarketplaceDb>['storage']
/** A larger picture is not unpacked: a few kilobytes can hold billions of pixels. */
const MOST_PIXELS = 40_000_000
const READABLE = ['image/png', 'image/jpeg', 'image/webp']
const AT_ONCE = 2
/** As a photo looks in WebP at 70, in about half the bytes. The slower speeds save 3 % for four times the work. */
const AVIF = { quality: 50, speed: 8 }

const making = new Map<string, Promise<Buffer | null>>()
const turns: (() => void)[] = []
let busy = 0

export type Format = 'webp' | 'avif'
type Wanted = { width: number; format: Format }
/** The picture in the width of a place on a page, made now if it was not made before. Null where it is shown as it is. */
export async function smallerPicture(
  storage: Storage,
  file: { key: string; type: string | null },
  wanted: Wanted,
  whole = () => read(storage, file.key),
): Promise<Buffer | null> {
  if (!READABLE.includes(file.type ?? '')) return null
  const key = besideKey(file.key, wanted.width, wanted.format)
  if (await storage.head(key)) return read(storage, key)
  const begun = making.get(key)
  if (begun) return begun
  const made = make(storage, whole, key, wanted).finally(() => making.delete(key))
  making.set(key, made)
  return made
}

async function make(storage: Storage, from: () => Promise<Buffer>, key: string, { width, format }: Wanted): Promise<Buffer | null> {
  if (busy >= AT_ONCE) await new Promise<void>((resolve) => turns.push(resolve))
  else busy++
  try {
    const whole = await from()
    const seen = sizeOf(whole)
    if (!seen || seen.width * seen.height > MOST_PIXELS) return null
    const turned = (seen.orientation ?? 1) >= 5
    const [across, down] = turned ? [seen.height, seen.width] : [seen.width, seen.height]
    const small = Math.min(width, across)
    const height = Math.max(1, Math.round((down * small) / across))
    const resized = new Transformer(whole)
      .rotate()
      .fastResize({ width: small, height, fit: ResizeFit.Cover, filter: FastResizeFilter.Lanczos3 })
    const body = format === 'avif' ? await resized.avif(AVIF) : await resized.webp(small <= 480 ? 75 : 68)
    await storage.put(key, body, { contentType: `image/${format}` })
    return body
  } catch {
    // Not a picture that can be unpacked: a browser may still know what to do with it.
    return null
  } finally {
    const next = turns.shift()
    if (next) next()
    else busy--
  }
}

function sizeOf(bytes: Uint8Array) {
  try {
    return imageSize(bytes)
  } catch {
    return null
  }
}

export async function read(storage: Storage, key: string): Promise<Buffer> {
  const { body } = await storage.get(key)
  const pieces: Buffer[] = []
  for await (const piece of body) pieces.push(piece as Buffer)
  return Buffer.concat(pieces)
}
