import type { Cache } from './cache.ts'

const MAX_ENTRIES = 50_000

type Entry = { value: string; until: number }
type Bucket = { tokens: number; at: number; until: number }

/** Within one process; what was used longest ago goes first when it is full. */
export function createMemoryCache(max = MAX_ENTRIES): Cache {
  const entries = new Map<string, Entry>()
  const buckets = new Map<string, Bucket>()

  function read(key: string): string | null {
    const entry = entries.get(key)
    if (!entry) return null
    entries.delete(key)
    if (entry.until <= Date.now()) return null
    entries.set(key, entry)
    return entry.value
  }

  function write(key: string, value: string, ttlMs: number) {
    entries.delete(key)
    entries.set(key, { value, until: Date.now() + ttlMs })
    evict(entries, max)
  }

  return {
    get: async (key) => read(key),
    set: async (key, value, ttlMs) => write(key, value, ttlMs),
    delete: async (key) => void entries.delete(key),
    async add(key, value, ttlMs) {
      if (read(key) !== null) return false
      write(key, value, ttlMs)
      return true
    },
    take(key, limit, windowMs, cost = 1) {
      const now = Date.now()
      const perMs = limit / windowMs
      const bucket = buckets.get(key)
      const tokens = bucket ? Math.min(limit, bucket.tokens + Math.max(0, now - bucket.at) * perMs) : limit
      const ok = tokens >= cost
      const left = ok ? tokens - cost : tokens
      buckets.delete(key)
      buckets.set(key, { tokens: left, at: now, until: now + windowMs })
      evict(buckets, max)
      return { ok, remaining: Math.floor(left), retryAfterMs: ok ? 0 : Math.ceil((cost - left) / perMs) }
    },
    ready: () => true,
    close: async () => {},
  }
}

/** Maps keep the order of insertion, and each use inserts anew: the first is the one used longest ago. */
function evict(map: Map<string, unknown>, max: number) {
  while (map.size > max) map.delete(map.keys().next().value!)
}
