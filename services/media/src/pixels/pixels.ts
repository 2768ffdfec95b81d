import { createHash } from 'node:crypto'
import { FastResizeFilter, ResizeFit, Transformer } from '@napi-rs/image'
import type { ImageFormat } from '@operon/contracts/media/images'
import { DomainError } from '@operon/kit/errors'
import { imageSize } from 'image-size'
import { rgbaToThumbHash } from 'thumbhash'

/** A picture of more pixels is not unpacked: a few kilobytes can hold billions. */
export const MOST_PIXELS = 40_000_000
const THUMB_EDGE = 512
const HASH_EDGE = 96
const PREVIEW_EDGE = 256
/** The types that are unpacked here. Everything else is refused by its first bytes. */
const readable: Record<string, string> = { png: 'image/png', jpg: 'image/jpeg', webp: 'image/webp' }

const unreadable = (cause?: unknown) => new DomainError('image_unreadable', { cause })

/** The type and size that the bytes themselves show. */
export function lookAt(bytes: Uint8Array): { type: string; width: number; height: number } {
  let seen: ReturnType<typeof imageSize>
  try {
    seen = imageSize(bytes)
  } catch (error) {
    throw unreadable(error)
  }
  const type = readable[seen.type ?? '']
  if (!type || !(seen.width > 0) || !(seen.height > 0)) throw unreadable()
  if (seen.width * seen.height > MOST_PIXELS) throw unreadable(new Error(`${seen.width}x${seen.height} is too large`))
  return { type, width: seen.width, height: seen.height }
}

export type Finished = { png: Buffer; thumb: Buffer; thumbhash: string; sha256: string }

/** Exactly these pixels and nothing else of the file: what stood beside them (EXIF, a second file) is gone. */
export async function finish(bytes: Uint8Array, width: number, height: number): Promise<Finished> {
  const seen = lookAt(bytes)
  try {
    const isExact = seen.width === width && seen.height === height
    const exact = isExact ? await new Transformer(bytes).rotate().png() : await scaled(bytes, width, height).png()
    const edge = Math.max(width, height)
    const small = scaled(exact, ...within(width, height, edge, THUMB_EDGE))
    const [hashWidth, hashHeight] = within(width, height, edge, HASH_EDGE)
    const pixels = await scaled(exact, hashWidth, hashHeight).rawPixels()
    return {
      png: exact,
      thumb: await small.webp(80),
      thumbhash: Buffer.from(rgbaToThumbHash(hashWidth, hashHeight, rgba(pixels, hashWidth * hashHeight))).toString('base64'),
      sha256: createHash('sha256').update(exact).digest('hex'),
    }
  } catch (error) {
    throw unreadable(error)
  }
}

const REFERENCE_EDGE = 2048

/** A picture of somebody's as PNG: its pixels alone, and no more of them than a model looks at. */
export async function cleaned(bytes: Uint8Array): Promise<Buffer> {
  const { width, height } = lookAt(bytes)
  try {
    const edge = Math.max(width, height)
    if (edge <= REFERENCE_EDGE) return await new Transformer(bytes).rotate().png()
    return await scaled(await new Transformer(bytes).rotate().png(), ...within(width, height, edge, REFERENCE_EDGE)).png()
  } catch (error) {
    throw unreadable(error)
  }
}

/** A mask as PNG; a picture without transparency would change nothing or everything, so it is refused. */
export async function maskOf(bytes: Uint8Array): Promise<Buffer> {
  const { type, width, height } = lookAt(bytes)
  if (type !== 'image/png') throw unreadable(new Error('a mask is a PNG'))
  try {
    const pixels = await new Transformer(bytes).rawPixels()
    const hasAlpha = pixels.length === width * height * 4
    if (!hasAlpha || isOpaque(pixels)) throw new Error('a mask needs transparent parts')
    return await new Transformer(bytes).png()
  } catch (error) {
    throw unreadable(error)
  }
}

function isOpaque(pixels: Uint8Array): boolean {
  for (let at = 3; at < pixels.length; at += 4) if (pixels[at]! < 255) return false
  return true
}

/** As large as the picture it belongs to, as models want it. */
export async function fitMask(mask: Uint8Array, picture: Uint8Array): Promise<Uint8Array> {
  const [own, { width, height }] = [lookAt(mask), lookAt(picture)]
  if (own.width === width && own.height === height) return mask
  return new Transformer(mask).fastResize({ width, height, fit: ResizeFit.Fill, filter: FastResizeFilter.Box }).png()
}

/** A small WebP of something that is still being drawn. */
export async function preview(bytes: Uint8Array): Promise<string> {
  const { width, height } = lookAt(bytes)
  return (await scaled(bytes, ...within(width, height, Math.max(width, height), PREVIEW_EDGE)).webp(60)).toString('base64')
}

/** The file as somebody asked for it, never larger than it is. */
export async function encode(png: Buffer, format: ImageFormat, width?: number): Promise<{ body: Buffer; type: string; ending: string }> {
  const seen = lookAt(png)
  const isSmaller = width !== undefined && width < seen.width
  const picture = isSmaller ? scaled(png, width, Math.max(1, Math.round((seen.height * width) / seen.width))) : new Transformer(png)
  if (format === 'webp') return { body: await picture.webp(90), type: 'image/webp', ending: 'webp' }
  if (format === 'jpeg') return { body: await picture.jpeg(92), type: 'image/jpeg', ending: 'jpg' }
  return { body: isSmaller ? await picture.png() : png, type: 'image/png', ending: 'png' }
}

/** As JPEG, which knows no transparency: what shows through is white, as the page of an email is. */
export async function onWhite(png: Buffer, most: number): Promise<Buffer> {
  const seen = lookAt(png)
  const [width, height] = within(seen.width, seen.height, seen.width, most)
  const pixels = rgba(await scaled(png, width, height).rawPixels(), width * height)
  for (let at = 0; at < pixels.length; at += 4) {
    const share = pixels[at + 3]! / 255
    for (let channel = 0; channel < 3; channel++) pixels[at + channel] = Math.round(pixels[at + channel]! * share + 255 * (1 - share))
    pixels[at + 3] = 255
  }
  return Transformer.fromRgbaPixels(pixels, width, height).jpeg(88)
}

export async function thumbOf(png: Buffer): Promise<Buffer> {
  const { width, height } = lookAt(png)
  return scaled(png, ...within(width, height, Math.max(width, height), THUMB_EDGE)).webp(80)
}

const scaled = (bytes: Uint8Array, width: number, height: number) =>
  new Transformer(bytes).fastResize({ width, height, fit: ResizeFit.Cover, filter: FastResizeFilter.Lanczos3 })

function within(width: number, height: number, edge: number, most: number): [number, number] {
  const share = Math.min(1, most / edge)
  return [Math.max(1, Math.round(width * share)), Math.max(1, Math.round(height * share))]
}

/** Pixels come with three or four bytes each. */
function rgba(pixels: Buffer, count: number): Uint8Array {
  if (pixels.length === count * 4) return pixels
  const all = new Uint8Array(count * 4).fill(255)
  for (let at = 0; at < count; at++) all.set(pixels.subarray(at * 3, at * 3 + 3), at * 4)
  return all
}
