import type { Cache } from './cache.ts'

const MAX_ENTRIES = 50_000
/** A bucket in use goes to the end of the row so often, not with each use: that would build the row anew all the time. */
const MOVE_EVERY_MS = 1_000

type Entry = { value: string; until: number }
type Bucket = { tokens: number; at: number; movedAt: number }

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
      let bucket = buckets.get(key)
      if (!bucket || now - bucket.movedAt > MOVE_EVERY_MS) {
        buckets.delete(key)
        bucket = { tokens: bucket?.tokens ?? limit, at: bucket?.at ?? now, movedAt: now }
        buckets.set(key, bucket)
        evict(buckets, max)
      }
      const tokens = Math.min(limit, bucket.tokens + Math.max(0, now - bucket.at) * perMs)
      const ok = tokens >= cost
      const left = ok ? tokens - cost : tokens
      bucket.tokens = left
      bucket.at = now
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
