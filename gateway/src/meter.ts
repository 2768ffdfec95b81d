import type { Metrics } from '@operon/kit/telemetry'
import type { Call } from './call.ts'

type Child = { observe(seconds: number): void }

/** Counts what runs and observes what ended. The children of the histogram are kept, since finding one costs more than observing. */
export class Meter {
  running = 0
  readonly #metrics: Metrics
  readonly #routes = new Map<string, Map<string, Map<number, Child>>>()
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
    this.#childOf(label, request.method!, status).observe((performance.now() - startedAt) / 1000)
  }

  // By steps rather than by one key: a string that is put together has to be hashed anew each time.
  #childOf(route: string, method: string, status: number): Child {
    const known = this.#routes.get(route)?.get(method)?.get(status)
    if (known) return known
    const methods = this.#routes.get(route) ?? new Map<string, Map<number, Child>>()
    const statuses = methods.get(method) ?? new Map<number, Child>()
    const child = this.#metrics.requests.labels({ service: 'gateway', route, method, status })
    this.#routes.set(route, methods.set(method, statuses.set(status, child)))
    return child
  }
}
