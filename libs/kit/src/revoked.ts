import { now } from './clock.ts'

/** Sessions of one account that ended together: every id up to one, but for the session that was kept. */
export type EndedSessions = { user_id: string; up_to: string; kept: string | null }
type Ended = { at: number; upTo: string; kept: string | null }
type Entry = { at: number }

const MAX_REMEMBERED = 100_000

/**
 * The tokens that identity took back, for as long as one could live. Forgetting starts at the oldest and stops at the first that still counts.
 * Where there are more than can be remembered, the oldest are forgotten and every token from before then has to be renewed, which an ended
 * session cannot do.
 */
export class Revoked {
  readonly #ids = new Remembered<Entry>()
  readonly #accounts = new Remembered<Ended>()
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
    this.#ids.set(id, { at: performance.now() })
    this.#forget(this.#ids)
  }

  /** For an id that may have been heard of before: how long it is remembered does not start over. */
  addUnlessKnown(id: string): void {
    if (!this.#ids.get(id)) this.add(id)
  }

  delete(id: string): void {
    this.#ids.delete(id)
  }

  addSessions({ user_id, up_to, kept }: EndedSessions): void {
    const known = this.#accounts.get(user_id)
    // Heard again, or older than what is known.
    if (known && known.upTo >= up_to && this.#counts(known.at)) return
    this.#accounts.set(user_id, { at: performance.now(), upTo: up_to, kept })
    this.#forget(this.#accounts)
  }

  /** Tokens from before this second have to be renewed. */
  renewBefore(seconds: number): void {
    this.#renewBeforeS = Math.max(this.#renewBeforeS, seconds)
  }

  has(id: string): boolean {
    const known = this.#ids.get(id)
    return known !== undefined && this.#counts(known.at)
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

  #forget(entries: Remembered<Entry>): void {
    for (let oldest = entries.oldest(); oldest; oldest = entries.oldest()) {
      if (this.#counts(oldest.at)) {
        if (entries.size <= MAX_REMEMBERED) return
        this.renewBefore(Math.ceil((now() - (performance.now() - oldest.at)) / 1000))
      }
      entries.dropOldest()
    }
  }
}

/** So much of the order may be of entries that are gone. */
const SLACK = 1_000

/**
 * Entries by their id and in the order they came, with a list of its own for that: a Map that is emptied from its front walks over all that
 * was deleted there each time.
 */
class Remembered<T extends Entry> {
  readonly #entries = new Map<string, T>()
  #order: { id: string; entry: T }[] = []
  #first = 0

  get size(): number {
    return this.#entries.size
  }

  get(id: string): T | undefined {
    return this.#entries.get(id)
  }

  set(id: string, entry: T): void {
    this.#entries.set(id, entry)
    this.#order.push({ id, entry })
    if (this.#order.length < 2 * this.size + SLACK) return
    this.#order = this.#order.slice(this.#first).filter(({ id, entry }) => this.#entries.get(id) === entry)
    this.#first = 0
  }

  delete(id: string): void {
    this.#entries.delete(id)
  }

  oldest(): T | undefined {
    for (; this.#first < this.#order.length; this.#first++) {
      const { id, entry } = this.#order[this.#first]!
      if (this.#entries.get(id) === entry) return entry
    }
    return undefined
  }

  dropOldest(): void {
    if (this.oldest()) this.#entries.delete(this.#order[this.#first]!.id)
  }
}
