import type { Metrics } from '@operon/kit/telemetry'
import type { Call } from './call.ts'

/** Counts what runs and observes what ended. */
export class Meter {
  running = 0
  readonly #metrics: Metrics
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

  #observe({ request, response, label, startedAt, span }: Call) {
    const status = response.headersSent ? response.statusCode : 499
    span?.end({ attributes: { 'http.response.status_code': status }, failure: status >= 499 ? String(status) : undefined })
    const labels = { service: 'gateway', route: label, method: request.method!, status }
    this.#metrics.requests.observe(labels, (performance.now() - startedAt) / 1000)
  }
}
