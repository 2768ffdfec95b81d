/**
 * How long a loop waits before it looks again where nobody tells it to: the shortest after something was there, twice as long each time there
 * was nothing. Announced work starts at once; this finds the rest: a delay that is over, or the rows of an instance that died.
 */
export class Rest {
  readonly #shortestMs: number
  readonly #longestMs: number
  #nextMs: number

  constructor(shortestMs: number, longestMs: number) {
    this.#shortestMs = shortestMs
    this.#longestMs = longestMs
    this.#nextMs = shortestMs
  }

  /** Something was there, or will be soon. */
  end() {
    this.#nextMs = this.#shortestMs
  }

  /** A little apart from the others, who began at the same time. */
  next(): number {
    const ms = this.#nextMs * (0.75 + Math.random() / 2)
    this.#nextMs = Math.min(this.#longestMs, this.#nextMs * 2)
    return ms
  }
}
