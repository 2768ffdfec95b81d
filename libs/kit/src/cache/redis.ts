import { once } from 'node:events'
import { Redis } from 'ioredis'
import { DomainError } from '../errors.ts'
import { messageOf } from '../inbox.ts'
import { isTls, patiently, START_WAIT_MS } from '../patience.ts'
import type { Logger } from '../telemetry.ts'
import type { Cache } from './cache.ts'

// Redis's own clock, so that instances whose clocks differ share one bucket. Tokens are kept as they were at `at`.
const TAKE = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local limit, window, cost = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local bucket = redis.call('HMGET', KEYS[1], 'tokens', 'at')
local tokens = limit
if bucket[1] then tokens = math.min(limit, tonumber(bucket[1]) + math.max(0, now - tonumber(bucket[2])) * limit / window) end
local ok = 0
if tokens >= cost then
  tokens = tokens - cost
  ok = 1
end
redis.call('HSET', KEYS[1], 'tokens', string.format('%.6f', tokens), 'at', now)
redis.call('PEXPIRE', KEYS[1], math.ceil(window))
local retry = 0
if ok == 0 then retry = math.ceil((cost - tokens) * window / limit) end
return { ok, math.floor(tokens), retry }`

/**
 * For a `queue`, commands wait for Redis to come back, and a start waits for its first answer; a `cache` says at once that it is away, and a
 * start goes on without it: readiness tells.
 */
export async function connectRedis(url: string, log: Logger, use: 'queue' | 'cache', withinMs = START_WAIT_MS): Promise<Redis> {
  const backoff = { retryStrategy: (times: number) => Math.min(1000, 50 * times), connectTimeout: 3000, keepAlive: 10_000 }
  const redis = new Redis(
    url,
    use === 'queue'
      ? { ...backoff, maxRetriesPerRequest: null }
      : { ...backoff, maxRetriesPerRequest: 1, enableOfflineQueue: false, commandTimeout: ANSWERS_WITHIN_MS },
  )
  let told = ''
  let begun = false
  redis.on('error', (err) => {
    if (begun && messageOf(err) !== told) log.warn({ err: messageOf(err), use }, 'Redis does not answer, will try again')
    told = messageOf(err)
  })
  redis.on('ready', () => {
    told = ''
  })
  const { host } = new URL(url)
  const open = () => once(redis, 'ready', { signal: AbortSignal.timeout(ANSWERS_WITHIN_MS) })
  try {
    await patiently({ what: `Redis at ${host}`, open, isFinal: isRefusal, log, withinMs: use === 'queue' ? withinMs : ANSWERS_WITHIN_MS })
  } catch (error) {
    if (use === 'queue' || isRefusal((error as Error).cause)) {
      redis.disconnect()
      throw error
    }
  }
  begun = true
  return redis
}

// Redis holds a write for up to two seconds while its disk catches up (`appendfsync everysec`): that is no outage.
const ANSWERS_WITHIN_MS = 3000
const isRefusal = (error: unknown) => isTls(error) || /^(WRONGPASS|NOAUTH|NOPERM)|invalid username-password/i.test(messageOf(error))

export async function createRedisCache(url: string, log: Logger): Promise<Cache> {
  const redis = await connectRedis(url, log, 'cache')
  redis.defineCommand('operonTake', { numberOfKeys: 1, lua: TAKE })
  const take = redis as unknown as {
    operonTake(key: string, limit: number, windowMs: number, cost: number): Promise<[number, number, number]>
  }

  async function run<T>(command: () => Promise<T>): Promise<T> {
    try {
      return await command()
    } catch (cause) {
      throw new DomainError('unavailable', { cause })
    }
  }

  return {
    get: (key) => run(() => redis.get(`cache:${key}`)),
    set: async (key, value, ttlMs) => void (await run(() => redis.set(`cache:${key}`, value, 'PX', Math.max(1, Math.ceil(ttlMs))))),
    delete: async (key) => void (await run(() => redis.del(`cache:${key}`))),
    add: async (key, value, ttlMs) =>
      (await run(() => redis.set(`cache:${key}`, value, 'PX', Math.max(1, Math.ceil(ttlMs)), 'NX'))) === 'OK',
    async take(key, limit, windowMs, cost = 1) {
      const [ok, remaining, retryAfterMs] = await run(() => take.operonTake(`bucket:${key}`, limit, windowMs, cost))
      return { ok: ok === 1, remaining, retryAfterMs }
    },
    ready: () => redis.status === 'ready',
    close: async () => void redis.disconnect(),
  }
}
