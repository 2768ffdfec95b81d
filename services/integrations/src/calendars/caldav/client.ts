import { DomainError } from '@operon/kit/errors'
import type { GuardedFetch } from '@operon/kit/fetch'
import type { DAVResponse } from 'tsdav'

// The one file that knows tsdav. Every request of it goes through the guarded fetch.

export type Server = {
  fetch: GuardedFetch
  user: string
  password: string
  signal?: AbortSignal | undefined
  /** Where all requests have to stay; null while the calendars of an account are looked for. */
  origin: string | null
}
export type Dav = {
  /** One request with an answer in XML: what it says of each thing. */
  ask(url: string, method: 'PROPFIND' | 'REPORT', body: object, namespace: 'd' | 'c', depth?: string): Promise<DAVResponse[]>
  /** A file: the status, and nothing of the answer. */
  put(url: string, data: string, condition: Record<string, string>): Promise<number>
  remove(url: string, etag?: string): Promise<number>
  homeOf(server: string): Promise<string>
}

/** An answer in place of the deed. */
export class Refused extends Error {
  readonly status: number
  constructor(status: number, message = `it answered ${status}`) {
    super(message)
    this.status = status
  }
}

const DEADLINE_MS = 20_000
const MOST_BYTES = 8 * 1024 * 1024
const MOST_REDIRECTS = 3
const TEXT = { 'content-type': 'text/calendar; charset=utf-8' }

const load = () => import('tsdav')
type Tsdav = Awaited<ReturnType<typeof load>>

/** Runs `work` with a client whose requests all end within one deadline. */
export async function withDav<T>(server: Server, work: (dav: Dav) => Promise<T>): Promise<T> {
  const tsdav = await load()
  const signal = AbortSignal.any([AbortSignal.timeout(DEADLINE_MS), ...(server.signal ? [server.signal] : [])])
  const headers = { authorization: `Basic ${Buffer.from(`${server.user}:${server.password}`).toString('base64')}` }
  let failure: unknown
  const request: typeof fetch = async (address, init = {}) => {
    try {
      const response = await sent({ ...server, signal }, String(address), init)
      // Read here, so that an answer that breaks off or is too long is told as that.
      const body = await response.text()
      failure = undefined
      const { status, headers: said } = response
      return new Response(status === 204 || status === 304 ? null : body, { status, headers: [...said] })
    } catch (error) {
      failure = error
      throw error
    }
  }
  const options = { headers, fetch: request }
  const dav: Dav = {
    async ask(url, method, body, namespace, depth) {
      const init = { method, namespace, body, headers: { ...headers, ...(depth && { depth }) } }
      const found = await tsdav.davRequest({ url, init, fetch: request })
      const [first] = found
      if (!first?.raw?.multistatus) {
        if (first?.status && first.status >= 300) throw new Refused(first.status)
        throw new DomainError('caldav_server')
      }
      return found.filter(({ href }) => href)
    },
    put: async (url, data, condition) =>
      (await tsdav.createObject({ url, data, ...options, headers: { ...headers, ...TEXT, ...condition } })).status,
    remove: async (url, etag) => (await tsdav.deleteObject({ url, ...(etag && { etag }), ...options })).status,
    homeOf: (address) => homeOf(tsdav, address, options, () => failure),
  }
  try {
    return await work(dav)
  } catch (error) {
    if (error instanceof DomainError || error instanceof Refused) throw error
    if (failure instanceof DomainError) throw failure
    if (signal.aborted) throw new DomainError('upstream_timeout', { cause: error })
    throw new DomainError('upstream_failed', { cause: error })
  }
}

/** A redirect keeps the method, as servers of calendars mean it. While a calendar is read and written it may not lead elsewhere. */
async function sent({ fetch: guarded, origin, signal }: Server, address: string, init: RequestInit): Promise<Response> {
  for (let url = new URL(address), hops = 0; ; hops++) {
    demandSafe(url)
    if (origin !== null && url.origin !== origin) throw new DomainError('blocked_address')
    const response = (await guarded(url.href, {
      method: init.method ?? 'GET',
      headers: Object.fromEntries(new Headers(init.headers)),
      ...(typeof init.body === 'string' && { body: init.body }),
      ...{ redirect: 'manual', deadlineMs: DEADLINE_MS, maxBytes: MOST_BYTES, tries: 1 },
      ...(signal && { signal }),
    })) as unknown as Response
    const location = response.headers.get('location')
    if (init.redirect === 'manual' || response.status < 300 || response.status >= 400 || !location || hops >= MOST_REDIRECTS)
      return response
    await response.body?.cancel()
    url = new URL(location, url)
  }
}

/** The password travels with each request. */
function demandSafe({ protocol, hostname }: URL) {
  const isOwn = hostname === 'localhost' || hostname === '127.0.0.1' || hostname === '[::1]'
  if (protocol !== 'https:' && !isOwn)
    throw new DomainError('blocked_address', { message: 'Use an address that begins with https, so that the password stays secret.' })
}

type Options = { headers: Record<string, string>; fetch: typeof fetch }
/** Where the calendars of the account are: from the address that was given, else from the one that its host names for CalDAV. */
async function homeOf(tsdav: Tsdav, serverUrl: string, options: Options, failure: () => unknown): Promise<string> {
  const account = { accountType: 'caldav' as const, serverUrl }
  const from = async (rootUrl: string) => {
    const principalUrl = await tsdav.fetchPrincipalUrl({ account: { ...account, rootUrl }, ...options })
    return tsdav.fetchHomeUrl({ account: { ...account, rootUrl, principalUrl }, ...options })
  }
  try {
    if (new URL(serverUrl).pathname !== '/') return await from(serverUrl)
  } catch (error) {
    if (failure()) throw failure()
    if (isUnauthorized(error)) throw refusal(error)
  }
  const root = await tsdav.serviceDiscovery({ account, ...options })
  const blocked = failure()
  // Discovery itself goes on after any failure.
  if (blocked instanceof DomainError && blocked.code === 'blocked_address') throw blocked
  return from(root).catch((error: unknown) => {
    throw failure() ?? refusal(error)
  })
}
const isUnauthorized = (error: unknown) => /\b401\b/.test(String((error as Error)?.message))
const refusal = (error: unknown) => (isUnauthorized(error) ? new Refused(401) : new DomainError('caldav_server', { cause: error }))

export const textOf = (value: unknown): string | null => {
  const inner = typeof value === 'object' && value !== null ? ((value as any)._cdata ?? (value as any)._text) : value
  return inner === undefined || inner === null || typeof inner === 'object' || inner === '' ? null : String(inner)
}
/** The path of a thing within the calendar, which is its id here: an address that an answer names is not called. */
export function pathWithin(base: string, href: unknown): string | null {
  const text = textOf(href)
  if (!text || !URL.canParse(text, base)) return null
  const [at, home] = [new URL(text, base), new URL(base)]
  const [path, from] = [plain(at.pathname), plain(home.pathname)]
  return at.origin === home.origin && path.startsWith(from) && path.length > from.length && !/[#?]/.test(path.slice(from.length))
    ? at.pathname
    : null
}
function plain(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}
