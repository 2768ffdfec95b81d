import type { Metrics } from '@operon/kit/telemetry'
import type { Call } from './call.ts'

/** Counts what runs and observes what ended. The children of the histogram are kept, since finding one costs more than observing. */
export class Meter {
  running = 0
  readonly #metrics: Metrics
  readonly #children = new Map<string, { observe(seconds: number): void }>()
  readonly #onIdle: (() => void)[] = []

  constructor(metrics: Metrics) {
    this.#metrics = metrics
  }

  begin(call: Call) {
    this.running += 1
    call.response.on('close', () => {
      this.running -= 1
      call.onClose?.()
      this.#observe(call)
      if (this.running === 0) for (const tell of this.#onIdle.splice(0)) tell()
    })
  }

  /** Resolves when nothing runs any more. */
  idle(): Promise<void> {
    return this.running === 0 ? Promise.resolve() : new Promise((resolve) => this.#onIdle.push(resolve))
  }

  #observe({ request, response, label, startedAt }: Call) {
    const status = response.headersSent ? response.statusCode : 499
    const key = `${label} ${request.method} ${status}`
    let child = this.#children.get(key)
    if (!child) {
      child = this.#metrics.requests.labels({ service: 'gateway', route: label, method: request.method ?? '', status })
      this.#children.set(key, child)
    }
    child.observe((performance.now() - startedAt) / 1000)
  }
}
