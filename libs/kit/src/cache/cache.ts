export type Taken = { ok: boolean; remaining: number; retryAfterMs: number }
/** Shared, short-lived state: never the only copy of anything. */
export interface Cache {
  get(key: string): Promise<string | null>
  set(key: string, value: string, ttlMs: number): Promise<void>
  delete(key: string): Promise<void>
  /** Sets only where absent; true when it did. */
  add(key: string, value: string, ttlMs: number): Promise<boolean>
  /** Takes `cost` from a token bucket that holds `limit` and refills evenly over `windowMs`. Atomic across instances; one round trip, or none in memory. */
  take(key: string, limit: number, windowMs: number, cost?: number): Taken | Promise<Taken>
  ready(): boolean
  close(): Promise<void>
}
