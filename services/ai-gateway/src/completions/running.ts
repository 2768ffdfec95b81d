const EARLY_MS = 10_000

/** Answers of this process that can be stopped by whoever asked for them. */
export class Running {
  readonly #stops = new Map<string, { userId: string; stop: AbortController }>()
  /** A stop may overtake the question it ends: it is remembered for a while. */
  readonly #early = new Set<string>()

  begin(userId: string, ...ids: string[]): AbortController {
    const stop = new AbortController()
    for (const id of ids) {
      this.#stops.set(id, { userId, stop })
      if (this.#early.delete(`${userId} ${id}`)) stop.abort()
    }
    return stop
  }

  end(...ids: string[]) {
    for (const id of ids) this.#stops.delete(id)
  }

  stop(userId: string, id: string): boolean {
    const found = this.#stops.get(id)
    if (!found) this.#remember(`${userId} ${id}`)
    if (!found || found.userId !== userId) return false
    found.stop.abort()
    return true
  }

  #remember(early: string) {
    this.#early.add(early)
    setTimeout(() => this.#early.delete(early), EARLY_MS).unref()
  }
}
