import type { RateClass } from '@operon/contracts/contract'
import { z } from 'zod'
import type { Cache, Taken } from './cache/cache.ts'
import { DomainError } from './errors.ts'
import type { Logger } from './telemetry.ts'

export type Rate = { name: string; limit: number; windowMs: number; policy: string }

/** `300/1s`: so many within so long; the bucket holds that many and refills evenly. */
const rate = (name: string, fallback: string) =>
  z
    .string()
    .regex(/^\d+\/\d+s$/, { error: 'must look like 300/1s' })
    .default(fallback)
    .transform((text): Rate => {
      const [limit, seconds] = text.slice(0, -1).split('/').map(Number) as [number, number]
      return { name, limit, windowMs: seconds * 1000, policy: `"${name}";q=${limit};w=${seconds}` }
    })

/** How often each class of call may be made. The gateway counts what comes over HTTP, the service what comes over the bus, in the same buckets. */
export const RateSettings = z.object({
  RATE_ADDRESS: rate('address', '2000/1s'),
  RATE_AUTH_STRICT: rate('auth-strict', '30/60s'),
  RATE_PUBLIC_SEND: rate('public-send', '10/60s'),
  /** Wider than identity's own limits on signing in, which count each kind of attempt. */
  RATE_AUTH: rate('auth', '120/60s'),
  RATE_REFRESH: rate('refresh', '200/60s'),
  RATE_READ: rate('read', '300/1s'),
  RATE_WRITE: rate('write', '300/1s'),
  RATE_AI: rate('ai', '120/60s'),
  RATE_WEBHOOK: rate('webhook', '1000/1s'),
})
export type RateSettings = z.output<typeof RateSettings>

/** Each caller of a store that hangs would wait for it: one finds out, and the others are counted here for so long. */
const ALONE_MS = 2_000

/** The headers of an answer about the limit that it was counted against. */
export type Quota = { policy: string; state: string }

/** Token buckets by class of route and by who calls. Shared through the cache; by this process alone while the cache cannot be reached. */
export class Limits {
  readonly #cache: Cache
  readonly #log: Logger
  readonly #rates: Record<RateClass | 'refresh', Rate>
  readonly #address: Rate
  readonly #own = new LocalBuckets()
  #warnedAt = 0
  #askAgainAt = 0

  constructor(settings: RateSettings, cache: Cache, log: Logger) {
    this.#cache = cache
    this.#log = log
    this.#address = settings.RATE_ADDRESS
    this.#rates = {
      'auth-strict': settings.RATE_AUTH_STRICT,
      'public-send': settings.RATE_PUBLIC_SEND,
      auth: settings.RATE_AUTH,
      refresh: settings.RATE_REFRESH,
      read: settings.RATE_READ,
      write: settings.RATE_WRITE,
      ai: settings.RATE_AI,
      webhook: settings.RATE_WEBHOOK,
    }
  }

  /** The ceiling of one address, before anything is verified: it protects this process, so it is counted here. */
  admit(address: string): void {
    const taken = this.#own.take(address, this.#address)
    if (!taken.ok) throw tooMany(this.#address, taken)
  }

  /** The same for what is no request. */
  isOver(address: string): boolean {
    return !this.#own.take(address, this.#address).ok
  }

  /** At once where the cache is in this process, later where it is asked over a network. */
  take(rateClass: RateClass | 'refresh', who: string): Quota | Promise<Quota> {
    const rate = this.#rates[rateClass]
    const key = `rate:${rateClass}:${who}`
    if (Date.now() < this.#askAgainAt) return quotaOf(rate, this.#own.take(key, rate))
    const taken = this.#cache.take(key, rate.limit, rate.windowMs)
    if (!(taken instanceof Promise)) return quotaOf(rate, taken)
    return taken.catch((error: unknown) => this.#alone(key, rate, error)).then((later) => quotaOf(rate, later))
  }

  #alone(key: string, rate: Rate, error: unknown): Taken {
    this.#askAgainAt = Date.now() + ALONE_MS
    if (Date.now() - this.#warnedAt > 10_000) {
      this.#warnedAt = Date.now()
      this.#log.warn({ err: error }, 'the shared rate limits cannot be reached: this process counts by itself')
    }
    return this.#own.take(key, rate)
  }
}

function quotaOf(rate: Rate, taken: Taken): Quota {
  if (!taken.ok) throw tooMany(rate, taken)
  return { policy: rate.policy, state: stateOf(rate, taken) }
}

const stateOf = (rate: Rate, { remaining }: Taken) => {
  const left = Math.max(0, Math.floor(remaining))
  return `"${rate.name}";r=${left};t=${Math.ceil(((rate.limit - left) * rate.windowMs) / rate.limit / 1000)}`
}

function tooMany(rate: Rate, taken: Taken): DomainError {
  const headers = {
    'retry-after': String(Math.max(1, Math.ceil(taken.retryAfterMs / 1000))),
    'ratelimit-policy': rate.policy,
    ratelimit: stateOf(rate, taken),
  }
  return new DomainError('rate_limited', { headers })
}

const KEPT_BUCKETS = 50_000

/** The same buckets within one process, without a promise. */
class LocalBuckets {
  readonly #buckets = new Map<string, { tokens: number; at: number }>()

  take(key: string, { limit, windowMs }: Rate): Taken {
    const now = performance.now()
    let bucket = this.#buckets.get(key)
    if (!bucket) {
      // The oldest gives way: to forget all of them would let everybody begin anew.
      if (this.#buckets.size >= KEPT_BUCKETS) this.#buckets.delete(this.#buckets.keys().next().value!)
      bucket = { tokens: limit, at: now }
      this.#buckets.set(key, bucket)
    }
    bucket.tokens = Math.min(limit, bucket.tokens + ((now - bucket.at) * limit) / windowMs)
    bucket.at = now
    if (bucket.tokens < 1) return { ok: false, remaining: 0, retryAfterMs: ((1 - bucket.tokens) * windowMs) / limit }
    bucket.tokens -= 1
    return { ok: true, remaining: bucket.tokens, retryAfterMs: 0 }
  }
}
