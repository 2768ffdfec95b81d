/** Answers of this process that can be stopped by whoever asked for them. */
export class Running {
  readonly #stops = new Map<string, { userId: string; stop: AbortController }>()

  begin(userId: string, id: string): AbortController {
    const stop = new AbortController()
    this.#stops.set(id, { userId, stop })
    return stop
  }

  end(id: string) {
    this.#stops.delete(id)
  }

  stop(userId: string, id: string): boolean {
    const found = this.#stops.get(id)
    if (!found || found.userId !== userId) return false
    found.stop.abort()
    return true
  }
}
