import { storefrontOwner } from '@operon/contracts/marketplace/events'
import type { Bus } from '@operon/kit/bus/bus'
import { askOver } from '@operon/kit/requests'
import type { Infra } from '@operon/kit/service'
import { type Asset, asset, compressed } from './assets.ts'

/** Finds a page's owner by the part of the address that varies; null when it has none. */
export type NameOf = (value: string) => Promise<string | null>
export type Found = { asset: Asset; status: number }

const KEPT_MS = 30_000
const AWAY_MS = 2_000
const MAX_KEPT = 500

/** One frame drawn beforehand for every address of its kind: search and previews read whose page it is, and that it is nobody's. */
export function nameFrame(frame: Asset, nameOf: NameOf | undefined): (value: string) => Promise<Found> {
  const unnamed = withName(frame, null)
  const kept = new Map<string, { until: number; answer: Promise<Found> }>()
  if (!nameOf) return async () => ({ asset: unnamed, status: 200 })

  return (value) => {
    const known = kept.get(value)
    if (known && known.until > Date.now()) return known.answer
    const entry = { until: Date.now() + KEPT_MS, answer: ask(value) }
    kept.delete(value)
    kept.set(value, entry)
    if (kept.size > MAX_KEPT) kept.delete(kept.keys().next().value!)
    // No answer from the service decides nothing: the app finds out by itself.
    entry.answer = entry.answer.catch(() => {
      entry.until = Date.now() + AWAY_MS
      return { asset: unnamed, status: 200 }
    })
    return entry.answer
  }

  async function ask(value: string): Promise<Found> {
    const name = await nameOf!(value)
    return name === null ? { asset: unnamed, status: 404 } : { asset: withName(frame, name), status: 200 }
  }
}

/** `__NAME:what stands there without one__` */
function withName({ body, type, cache }: Asset, name: string | null): Asset {
  const text = body.toString().replaceAll(/__NAME:(.*?)__/g, (_, general: string) => (name === null ? general : escaped(name)))
  const bytes = Buffer.from(text)
  return { ...asset(bytes, type, cache, compressed(bytes)), hasty: true }
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
export const escaped = (text: string) => text.replace(/[&<>"']/g, (sign) => entities[sign]!)

/** Asks marketplace, in less time than a reader would notice. */
export const storefronts = ({ vault }: Infra, bus: Bus): Record<string, NameOf> => ({
  '/marketplace/:userSlug': async (slug) => (await askOver({ bus, vault }, storefrontOwner, { slug }, { deadlineMs: 500 }))?.name ?? null,
})
