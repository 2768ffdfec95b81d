import { lookup as resolve } from 'node:dns/promises'
import { isIP } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import ipaddr from 'ipaddr.js'
import type { Agent, Dispatcher, RequestInit, Response } from 'undici'
import { DomainError } from './errors.ts'
import { stayInside } from './trial.ts'

type Options = Omit<RequestInit, 'signal' | 'dispatcher'> & {
  deadlineMs?: number
  /** Tries in all, for what may be repeated. GET and HEAD may; anything else only where the caller says so. */
  tries?: number
  repeatable?: boolean
  /** With `redirect: 'manual'` a redirect is answered as it is. */
  maxRedirects?: number
  maxBytes?: number
  signal?: AbortSignal
}
export type GuardedFetch = (url: string, options?: Options) => Promise<Response>
type GuardOptions = {
  allowOrigins?: string[]
  /** An address of ours that is only known later: the sandbox's. */
  trusted?: (() => Promise<string>) | null
  /** This machine's own addresses as well: for developers alone. */
  loopback?: boolean
  /** Off where strangers share a host, and one of them could open the circuit for all. */
  breaks?: boolean
  /** For tests: what a name resolves to. */
  resolveHost?: (host: string) => Promise<string[]>
}

type Undici = typeof import('undici')
type Opened = { undici: Undici; guarded: Dispatcher; open: Dispatcher }

const MAX_REDIRECTS = 3
const MAX_BYTES = 8 * 1024 * 1024
const blocked = (why: string) => new DomainError('blocked_address', { details: { why } })

/**
 * A fetch for addresses that a user can choose: only http and https, only public addresses, checked on the address that is really connected
 * to (so that a name which resolves differently the second time gains nothing), again after each redirect; with a deadline, a bounded retry and a circuit per host.
 */
export function createGuardedFetch({
  allowOrigins = [],
  trusted = null,
  loopback = false,
  breaks = true,
  resolveHost = resolveAll,
}: GuardOptions = {}): GuardedFetch {
  const isAllowedAddress = (address: string) => isPublicAddress(address) || (loopback && isLoopback(address))
  const allowed = new Set(allowOrigins.map((origin) => new URL(origin).origin))
  // Loaded with the first call: a process at rest is 13 MB smaller without it.
  let loading: Promise<Opened> | null = null
  const load = () =>
    (loading ??= import('undici').then((undici) => ({
      undici,
      guarded: new undici.Agent(guard),
      open: new undici.Agent({ connections: 50 }),
    })))
  const guard: Agent.Options = {
    connections: 50,
    connect: {
      timeout: 5000,
      // Undici connects to exactly what this answers; there is no second look-up to rebind.
      lookup: (host, options, done) => {
        resolveHost(host).then(
          (addresses) => {
            const bad = addresses.find((address) => !isAllowedAddress(address))
            if (bad || addresses.length === 0) return done(blocked(`${host} is not a public address`), '', 0)
            const all = addresses.map((address) => ({ address, family: isIP(address) }))
            if ((options as { all?: boolean }).all) (done as unknown as (e: null, a: typeof all) => void)(null, all)
            else done(null, all[0]!.address, all[0]!.family)
          },
          (error) => done(error, '', 0),
        )
      },
    },
  }
  const circuits = new Map<string, Circuit>()

  async function once(url: URL, options: Options, signal: AbortSignal, redirects: number): Promise<Response> {
    const isAllowed = allowed.has(url.origin) || (trusted !== null && new URL(await trusted()).origin === url.origin)
    if (!isAllowed) checkUrl(url, isAllowedAddress)
    const { undici, open, guarded } = await load()
    const dispatcher: Dispatcher = isAllowed ? open : guarded
    const { deadlineMs: _d, tries: _t, repeatable: _r, maxRedirects = MAX_REDIRECTS, maxBytes: _m, signal: _s, ...init } = options
    const response = await undici.fetch(url, { ...init, redirect: 'manual', signal, dispatcher }).catch((error) => {
      throw error?.cause instanceof DomainError ? error.cause : error
    })
    const location = response.headers.get('location')
    if (response.status < 300 || response.status >= 400 || !location || options.redirect === 'manual') return response
    await response.body?.cancel()
    if (redirects >= maxRedirects) throw blocked('too many redirects')
    const next = new URL(location, url)
    const crossed = next.origin !== url.origin
    const keepsMethod = response.status === 307 || response.status === 308
    const headers = new Headers(init.headers as never)
    // Credentials are for the host they were meant for.
    if (crossed) for (const name of ['authorization', 'cookie', 'apikey', 'x-api-key']) headers.delete(name)
    const following = {
      ...options,
      headers: Object.fromEntries(headers),
      ...(!keepsMethod && { method: init.method === 'HEAD' ? 'HEAD' : 'GET', body: null }),
    }
    return once(next, following as Options, signal, redirects + 1)
  }

  function circuitOf(host: string): Circuit {
    const circuit = circuits.get(host) ?? new Circuit()
    circuits.set(host, circuit)
    if (circuits.size > 1000) circuits.delete(circuits.keys().next().value!)
    return circuit
  }

  return async (address, options = {}) => {
    stayInside('an address')
    const { deadlineMs = 10_000, signal } = options
    const url = parse(address)
    const method = (options.method ?? 'GET').toUpperCase()
    const repeatable = options.repeatable ?? (method === 'GET' || method === 'HEAD')
    const tries = repeatable ? (options.tries ?? 3) : 1
    const deadline = AbortSignal.any([AbortSignal.timeout(deadlineMs), ...(signal ? [signal] : [])])
    const work = () => withRetry(() => once(url, options, deadline, 0), { tries, signal: deadline })
    const response = await (breaks ? circuitOf(url.host).run(work) : work())
    return bounded(response, options.maxBytes ?? MAX_BYTES, (await load()).undici)
  }
}

/** Counted as it is read, after unpacking: a small answer can unpack to one that fills the memory. */
function bounded(response: Response, maxBytes: number, undici: Undici): Response {
  if (!response.body) return response
  // Of what is not packed, no more comes than is announced.
  const announced = response.headers.get('content-length')
  if (announced !== null && Number(announced) <= maxBytes && !response.headers.has('content-encoding')) return response
  let seen = 0
  const counted = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      seen += chunk.byteLength
      if (seen > maxBytes) throw new DomainError('upstream_failed', { cause: new Error(`an answer of more than ${maxBytes} bytes`) })
      controller.enqueue(chunk)
    },
  })
  const { status, statusText, headers } = response
  return new undici.Response(response.body.pipeThrough(counted as never) as never, { status, statusText, headers })
}

function parse(address: string): URL {
  try {
    return new URL(address)
  } catch {
    throw blocked('not an address')
  }
}

function checkUrl(url: URL, isAllowedAddress: (address: string) => boolean) {
  if (url.protocol !== 'https:' && url.protocol !== 'http:') throw blocked('only http and https')
  if (url.username || url.password) throw blocked('no credentials in an address')
  const host = url.hostname.replace(/^\[|\]$/g, '')
  // An address needs no look-up, so it is checked here; WHATWG URL has already normalised 0x7f.1, 2130706433 and the like.
  if (isIP(host) && !isAllowedAddress(host)) throw blocked(`${host} is not a public address`)
}

const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3')

const isLoopback = (address: string): boolean => ipaddr.isValid(address) && ipaddr.process(address).range() === 'loopback'

export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false
  let parsed = ipaddr.parse(address)
  if (parsed.kind() === 'ipv6') {
    const v6 = parsed as ipaddr.IPv6
    if (v6.isIPv4MappedAddress()) parsed = v6.toIPv4Address()
    // Only what is given out for the public network, and of that not what carries an IPv4 address inside (6to4, Teredo).
    else return v6.range() === 'unicast' && v6.match(GLOBAL_UNICAST)
  }
  return parsed.range() === 'unicast'
}

const resolveAll = async (host: string) => (await resolve(host, { all: true })).map((found) => found.address)

type RetryOptions = { tries: number; signal?: AbortSignal; baseMs?: number; retryOn?: (error: unknown) => boolean }

/** Full-jitter back-off. A refusal (a DomainError) is final; an answer of 502-504 or 429 is tried again. */
async function withRetry<T>(
  run: () => Promise<T>,
  { tries, signal, baseMs = 150, retryOn = (error) => !(error instanceof DomainError) }: RetryOptions,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      const result = await run()
      const status = (result as { status?: unknown })?.status
      if (attempt >= tries || typeof status !== 'number' || ![429, 502, 503, 504].includes(status)) return result
      await (result as { body?: { cancel?(): Promise<void> } }).body?.cancel?.()
    } catch (error) {
      if (attempt >= tries || signal?.aborted || !retryOn(error)) throw asUpstreamError(error)
    }
    await wait(Math.random() * baseMs * 2 ** attempt, undefined, signal ? { signal } : {}).catch(() => {
      throw new DomainError('upstream_timeout', { cause: signal?.reason })
    })
  }
}

function asUpstreamError(error: unknown): unknown {
  if (error instanceof DomainError) return error
  const name = (error as { name?: string })?.name
  if (name === 'TimeoutError' || name === 'AbortError') return new DomainError('upstream_timeout', { cause: error })
  return new DomainError('upstream_failed', { cause: error })
}

type CircuitOptions = {
  /** Failures in a row that open it. */
  threshold?: number
  coolMs?: number
  /** So many calls that have waited this long, with no answer to anyone since they began, say that the other side hangs. */
  hangsAfterMs?: number
  /** Tells whether an error is the other side's failure; any other is an answer. */
  counts?: (error: unknown) => boolean
  refusal?: () => DomainError
}

/** Opens after failures in a row, or while nobody is answered; lets one through after a while, closes when that succeeds. */
export class Circuit {
  #failures = 0
  #openUntil = 0
  #probing = false
  #answeredAt = 0
  readonly #waiting = new Map<symbol, number>()
  readonly #options: Required<CircuitOptions>
  constructor({ threshold = 5, coolMs = 10_000, hangsAfterMs = 3_000, counts = () => true, refusal = leftAlone }: CircuitOptions = {}) {
    this.#options = { threshold, coolMs, hangsAfterMs, counts, refusal }
  }

  get isOpen(): boolean {
    return (this.#isFailing && (Date.now() < this.#openUntil || this.#probing)) || this.#hangs
  }

  get #isFailing(): boolean {
    return this.#failures >= this.#options.threshold
  }

  /** Their own deadlines would tell as well, but only when every new caller waits for one too. */
  get #hangs(): boolean {
    const { threshold, hangsAfterMs } = this.#options
    if (this.#waiting.size < threshold) return false
    const since = [...this.#waiting.values()].filter((at) => at >= this.#answeredAt && Date.now() - at >= hangsAfterMs)
    return since.length >= threshold
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.isOpen) throw this.#options.refusal()
    this.#probing = this.#isFailing
    const call = Symbol()
    this.#waiting.set(call, Date.now())
    try {
      const result = await work()
      const status = (result as { status?: unknown })?.status
      if (typeof status === 'number' && status >= 500) this.failed()
      else this.succeeded()
      return result
    } catch (error) {
      // A call that we refused ourselves, or that nobody waited for, says nothing about the other side.
      if (saysNothing(error)) this.#probing = false
      else if (this.#options.counts(error)) this.failed()
      else this.succeeded()
      throw error
    } finally {
      this.#waiting.delete(call)
    }
  }

  succeeded() {
    this.#failures = 0
    this.#probing = false
    this.#answeredAt = Date.now()
  }

  failed() {
    this.#failures++
    this.#probing = false
    if (this.#isFailing) this.#openUntil = Date.now() + this.#options.coolMs
  }
}

const leftAlone = () =>
  new DomainError('upstream_failed', {
    message: 'The provider has been failing; it is being left alone for a moment. Try again shortly.',
  })

const saysNothing = (error: unknown) =>
  error instanceof DomainError && (error.code === 'blocked_address' || (error.cause as Error | undefined)?.name === 'AbortError')
