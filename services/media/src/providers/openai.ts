import { IMAGE_QUALITY } from '@operon/contracts/media/images'
import { DomainError } from '@operon/kit/errors'
import {
  brokenAnswer,
  type Drawn,
  type Hears,
  imageFrom,
  nothingDrawn,
  type Order,
  type Place,
  refusalOf,
  sandboxHeaders,
  type Wire,
} from './wire.ts'

const LARGEST_EVENT = 64 * 1024 * 1024

/** A server that speaks like OpenAI's. Whether it draws from pictures is known once it was asked. */
export type Compatible = { edits: boolean }
/** OpenAI's own family, wherever it is served. It always answers with bytes, and refuses to be asked for them. */
const NEWER = /^gpt-image/
const NO_SUCH_CALL = [404, 405, 501]

/** OpenAI's images, streamed with two previews. Of a compatible server's other models the older form of the call is asked. */
export function openaiWire(place: Place, compatible?: Compatible): Wire {
  return {
    remembers: false,
    takesSeed: false,
    takesSource: compatible?.edits ?? true,
    takesMask: compatible?.edits ?? true,
    async draw(order, hears) {
      const plain = Boolean(compatible) && !NEWER.test(order.model)
      const response = await fetch(`${place.url}/images/${order.sources.length ? 'edits' : 'generations'}`, {
        method: 'POST',
        ...requestOf(place, order, plain),
        signal: hears.signal,
      })
      if (compatible && order.sources.length > 0 && NO_SUCH_CALL.includes(response.status)) {
        compatible.edits = false
        throw new DomainError('image_no_source', { cause: await refusalOf(response) })
      }
      if (!response.ok) throw await refusalOf(response)
      if (response.headers.get('content-type')?.startsWith('text/event-stream')) return readStream(response, order, hears)
      const { data } = (await response.json()) as { data?: { b64_json?: string; url?: string }[] }
      if (!data?.[0]) throw nothingDrawn('an empty list')
      if (!data[0].b64_json && data[0].url) throw brokenAnswer('an address where the bytes were asked for')
      return { image: imageFrom(data[0].b64_json), seed: null, answeredBy: order.model }
    },
  }
}

function requestOf(place: Place, order: Order, plain: boolean): Pick<RequestInit, 'headers' | 'body'> {
  const headers = { authorization: `Bearer ${place.key}`, ...sandboxHeaders(place, order.userId) }
  const size = `${order.width}x${order.height}`
  const fields = plain
    ? { model: order.model, prompt: order.prompt, size, n: 1, response_format: 'b64_json' }
    : {
        model: order.model,
        prompt: order.prompt,
        size,
        n: 1,
        quality: IMAGE_QUALITY,
        output_format: 'png',
        stream: true,
        partial_images: 2,
      }
  if (order.sources.length === 0) return { headers: { ...headers, 'content-type': 'application/json' }, body: JSON.stringify(fields) }
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.set(name, String(value))
  const name = order.sources.length > 1 ? 'image[]' : 'image'
  for (const [at, source] of order.sources.entries()) form.append(name, blobOf(source), `image-${at}.png`)
  if (order.mask) form.set('mask', blobOf(order.mask), 'mask.png')
  return { headers, body: form }
}

const blobOf = (png: Uint8Array) => new Blob([png as never], { type: 'image/png' })

type Told = { type?: string; b64_json?: string; partial_image_index?: number; error?: { message?: string; code?: string } }

async function readStream(response: Response, order: Order, { onPreview }: Hears): Promise<Drawn> {
  for await (const told of eventsOf(response)) {
    if (told.type === 'error' || told.error)
      throw await refusalOf({ status: told.error?.code === 'moderation_blocked' ? 400 : 502, text: async () => JSON.stringify(told) })
    if (told.type?.endsWith('.partial_image')) onPreview(imageFrom(told.b64_json), 35 + 25 * (told.partial_image_index ?? 0))
    if (told.type?.endsWith('.completed')) return { image: imageFrom(told.b64_json), seed: null, answeredBy: order.model }
  }
  throw brokenAnswer('the stream ended without a picture')
}

async function* eventsOf(response: Response): AsyncGenerator<Told> {
  const decoder = new TextDecoder()
  let waiting = ''
  for await (const chunk of response.body as never as AsyncIterable<Uint8Array>) {
    waiting += decoder.decode(chunk, { stream: true })
    if (waiting.length > LARGEST_EVENT) throw brokenAnswer('an event without an end')
    for (let end = waiting.indexOf('\n\n'); end >= 0; end = waiting.indexOf('\n\n')) {
      const data = waiting
        .slice(0, end)
        .split('\n')
        .filter((line) => line.startsWith('data:'))
        .map((line) => line.slice(5).trim())
        .join('')
      waiting = waiting.slice(end + 2)
      if (data && data !== '[DONE]') yield parse(data)
    }
  }
}

function parse(data: string): Told {
  try {
    return JSON.parse(data) as Told
  } catch {
    throw brokenAnswer('an event that is not JSON')
  }
}
