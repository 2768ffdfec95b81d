import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { storefrontPageRequest } from '@operon/contracts/marketplace/storefront'
import type { Bus } from '@operon/kit/bus/bus'
import { askOver } from '@operon/kit/requests'
import type { Infra } from '@operon/kit/service'
import type { Asset } from './assets.ts'

/** The rows behind an address; it rejects when the service does not answer in time. */
export type PageAt = (path: string, query: URLSearchParams) => Promise<unknown>
export type Found = { asset: Asset; status: number } | { to: string }
type Drawn = { status: number; head: string; body: string; after: string } | { status: 301; path: string }
export type Drawing = { frame: string; draw: (address: string, page: unknown) => Promise<Drawn> }

const KEPT_MS = 30_000
const AWAY_MS = 2_000
/** The memory a cached address takes beside its page. */
const ENTRY_BYTES = 500
const MAX_KEPT_BYTES = 32 * 1024 * 1024
/** Addresses that are asked for at the same moment. Beyond them the app is sent, whose own question counts against its caller's limit. */
const MAX_ASKING = 32
/** All that a page reads of its query; what else is in it makes no page of its own. */
const READ = { q: 100, category: 60, after: 120 }

/** The frame and what draws into it, as the web app's build left them. */
export async function readDrawing(dist: string): Promise<Drawing | undefined> {
  const [frame, draws] = [join(dist, '.server/frame.html'), join(dist, '.server/drawPage.js')]
  if (!existsSync(frame) || !existsSync(draws)) return undefined
  const { drawPage } = await import(pathToFileURL(draws).href)
  return { frame: readFileSync(frame, 'utf8'), draw: drawPage }
}

type Ways = { pageAt: PageAt; filled: (text: string) => Asset; failed: (error: unknown, path: string) => void }
type Kept = { until: number; bytes: number; answer: Promise<Found> }

/** Draws pages with their rows, each at most once in 30 seconds however many read it. Null: the empty frame is to be sent. */
export function serverPages({ frame, draw }: Drawing, { pageAt, filled, failed }: Ways) {
  const kept = new Map<string, Kept>()
  let keptBytes = 0
  let asking = 0

  return (path: string, query: string, away: Asset): Promise<Found> | null => {
    const read = readOf(query)
    const address = read.size ? `${path}?${read}` : path
    const known = kept.get(address)
    if (known && known.until > Date.now()) return known.answer
    if (asking >= MAX_ASKING) return null
    forget(address)
    const entry: Kept = { until: Date.now() + KEPT_MS, bytes: 0, answer: make(address, path, read) }
    kept.set(address, entry)
    count(entry, ENTRY_BYTES + address.length)
    entry.answer = entry.answer.then(
      (found) => {
        if (kept.get(address) === entry && 'asset' in found) count(entry, sizeOf(found.asset))
        return found
      },
      // No answer from the service decides nothing: the app finds out by itself.
      (error: unknown) => {
        failed(error, path)
        entry.until = Date.now() + AWAY_MS
        return { asset: away, status: 200 }
      },
    )
    return entry.answer
  }

  async function make(address: string, path: string, read: URLSearchParams): Promise<Found> {
    asking++
    try {
      const drawn = await draw(address, await pageAt(path, read))
      if ('path' in drawn) return { to: drawn.path }
      const { head, body, after, status } = drawn
      const html = frame
        .replace('<!--head-->', () => head)
        .replace('<!--app-->', () => body)
        .replace('</body>', () => `${after}</body>`)
      return { asset: { ...filled(html), hasty: false }, status }
    } finally {
      asking--
    }
  }

  function count(entry: Kept, bytes: number) {
    entry.bytes += bytes
    keptBytes += bytes
    while (keptBytes > MAX_KEPT_BYTES && kept.size) forget(kept.keys().next().value!)
  }
  function forget(address: string) {
    const entry = kept.get(address)
    if (!entry) return
    kept.delete(address)
    keptBytes -= entry.bytes
  }
}

/** In one order, so that one page has one address. */
function readOf(query: string): URLSearchParams {
  const given = new URLSearchParams(query)
  const read = new URLSearchParams()
  for (const [name, length] of Object.entries(READ)) {
    const value = given.get(name)?.slice(0, length)
    if (value) read.set(name, value)
  }
  return read
}

const sizeOf = ({ body, encoded }: Asset) => body.length + (encoded.br?.length ?? 0) + (encoded.gzip?.length ?? 0)

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
export const escaped = (text: string) => text.replace(/[&<>"']/g, (sign) => entities[sign]!)

/** Asks marketplace, in less time than a reader would notice. */
export const marketplacePages =
  ({ vault }: Infra, bus: Bus): PageAt =>
  async (path, query) => {
    const [, , slug, item] = path.split('/').map(decodeURIComponent)
    // Nobody can have such an address.
    if ((slug?.length ?? 0) > 63 || (item?.length ?? 0) > 80) return { kind: 'missing', seller: null }
    const asked = { slug: slug || null, item: item || null, ...Object.fromEntries(query) }
    return askOver({ bus, vault }, storefrontPageRequest, asked, { deadlineMs: 500 })
  }
