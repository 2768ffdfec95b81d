import { now } from './clock.ts'

/** Sessions of one account that ended together: every id up to one, but for the session that was kept. */
export type EndedSessions = { user_id: string; up_to: string; kept: string | null }
type Ended = { at: number; upTo: string; kept: string | null }

const MAX_REMEMBERED = 100_000

/**
 * The tokens that identity took back, for as long as one could live. Maps keep their entries in the order they were revoked, so forgetting starts at
 * the front and stops at the first that still counts. Where there are more than can be remembered, the oldest are forgotten and every token
 * from before then has to be renewed, which an ended session cannot do.
 */
export class Revoked {
  readonly #ids = new Map<string, number>()
  readonly #accounts = new Map<string, Ended>()
  #lifetimeMs: number
  #renewBeforeS = Number.NEGATIVE_INFINITY

  constructor(lifetimeMs: number) {
    this.#lifetimeMs = lifetimeMs
  }

  set lifetimeMs(lifetimeMs: number) {
    this.#lifetimeMs = lifetimeMs
  }

  get size(): number {
    return this.#ids.size + this.#accounts.size
  }

  add(id: string): void {
    this.#ids.delete(id)
    this.#ids.set(id, performance.now())
    this.#forget(this.#ids, (at) => at)
  }

  /** For an id that may have been heard of before: how long it is remembered does not start over. */
  addUnlessKnown(id: string): void {
    if (!this.#ids.has(id)) this.add(id)
  }

  delete(id: string): void {
    this.#ids.delete(id)
  }

  addSessions({ user_id, up_to, kept }: EndedSessions): void {
    const known = this.#accounts.get(user_id)
    // Heard again, or older than what is known.
    if (known && known.upTo >= up_to && this.#counts(known.at)) return
    this.#accounts.delete(user_id)
    this.#accounts.set(user_id, { at: performance.now(), upTo: up_to, kept })
    this.#forget(this.#accounts, ({ at }) => at)
  }

  /** Tokens from before this second have to be renewed. */
  renewBefore(seconds: number): void {
    this.#renewBeforeS = Math.max(this.#renewBeforeS, seconds)
  }

  has(id: string): boolean {
    const at = this.#ids.get(id)
    return at !== undefined && this.#counts(at)
  }

  hasSession(userId: string, sessionId: string): boolean {
    if (this.has(sessionId)) return true
    const ended = this.#accounts.get(userId)
    return ended !== undefined && sessionId <= ended.upTo && sessionId !== ended.kept && this.#counts(ended.at)
  }

  mustRenew(issuedAtS: number): boolean {
    return issuedAtS <= this.#renewBeforeS
  }

  #counts(at: number): boolean {
    return performance.now() - at < this.#lifetimeMs
  }

  #forget<T>(entries: Map<string, T>, timeOf: (entry: T) => number): void {
    for (const [id, entry] of entries) {
      const at = timeOf(entry)
      if (this.#counts(at)) {
        if (entries.size <= MAX_REMEMBERED) return
        this.renewBefore(Math.ceil((now() - (performance.now() - at)) / 1000))
      }
      entries.delete(id)
    }
  }
}
