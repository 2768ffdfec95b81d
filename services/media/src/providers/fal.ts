import { setTimeout as wait } from 'node:timers/promises'
import { ENLARGES_BY } from '@operon/contracts/media/images'
import type { GuardedFetch } from '@operon/kit/fetch'
import { brokenAnswer, type Drawn, type Hears, nothingDrawn, type Order, type Place, refusalOf, sandboxHeaders, type Wire } from './wire.ts'

const LARGEST = 64 * 1024 * 1024
const LOOKS_EVERY_MS = 500

type Queued = { request_id?: string }
type Status = { status?: 'IN_QUEUE' | 'IN_PROGRESS' | 'COMPLETED'; queue_position?: number }
type Result = { images?: { url?: string }[]; image?: { url?: string }; seed?: number; has_nsfw_concepts?: boolean[] }

/**
 * fal's queue: an order is taken with an id, looked at until it is done, and can be found again by that id after any crash here. The
 * address of the picture is the provider's word, so it is opened through the guarded fetch.
 */
export function falWire(place: Place, open: GuardedFetch, { enlarges = false }: { enlarges?: boolean } = {}): Wire {
  const headers = (order: Order) => ({ authorization: `Key ${place.key}`, ...sandboxHeaders(place, order.userId) })
  // Requests of a model with a path of its own are looked at under its first two parts.
  const requests = ({ model }: Order) => `${place.url}/${model.split('/').slice(0, 2).join('/')}/requests`

  async function begin(order: Order, signal: AbortSignal): Promise<string> {
    const response = await fetch(`${place.url}/${order.model}`, {
      method: 'POST',
      headers: { ...headers(order), 'content-type': 'application/json' },
      body: JSON.stringify(enlarges ? toEnlarge(order) : toDraw(order)),
      signal,
    })
    if (!response.ok) throw await refusalOf(response)
    const { request_id } = (await response.json()) as Queued
    if (!request_id) throw brokenAnswer('an order without an id')
    return request_id
  }

  async function resultOf(order: Order, ref: string, { signal, onPercent }: Hears): Promise<Result> {
    for (let looks = 1; ; looks++) {
      const response = await fetch(`${requests(order)}/${ref}/status`, { headers: headers(order), signal })
      if (!response.ok) throw await refusalOf(response)
      const { status } = (await response.json()) as Status
      if (status === 'COMPLETED') break
      onPercent(Math.min(85, 15 + looks * 5))
      await wait(LOOKS_EVERY_MS, undefined, { signal })
    }
    const response = await fetch(`${requests(order)}/${ref}`, { headers: headers(order), signal })
    if (!response.ok) throw await refusalOf(response)
    return (await response.json()) as Result
  }

  return {
    remembers: true,
    takesSeed: true,
    takesSource: enlarges,
    takesMask: false,
    async draw(order, hears): Promise<Drawn> {
      const ref = order.ref ?? (await begin(order, hears.signal))
      if (!order.ref) await hears.onRef(ref)
      const { images, image = images?.[0], seed, has_nsfw_concepts } = await resultOf(order, ref, hears)
      if (has_nsfw_concepts?.[0]) throw await refusalOf({ status: 400, text: async () => 'blocked by the safety checker' })
      if (!image?.url) throw nothingDrawn('no picture in the answer')
      const response = await open(image.url, { signal: hears.signal, deadlineMs: 60_000, maxBytes: LARGEST })
      if (!response.ok) throw await refusalOf(response)
      return { image: new Uint8Array(await response.arrayBuffer()), seed: seed ?? order.seed, answeredBy: order.model }
    },
    async cancel(order) {
      if (order.ref)
        await fetch(`${requests(order)}/${order.ref}/cancel`, { method: 'PUT', headers: headers(order), signal: AbortSignal.timeout(5000) })
    },
  }
}

const toDraw = ({ prompt, width, height, seed }: Order) => ({
  prompt,
  image_size: { width, height },
  num_images: 1,
  ...(seed !== null && { seed }),
})

/** The picture travels in the request, so that none of ours needs a public address. */
const toEnlarge = ({ sources }: Order) => ({
  image_url: `data:image/png;base64,${Buffer.from(sources[0]!).toString('base64')}`,
  scale: ENLARGES_BY,
  output_format: 'png',
})
