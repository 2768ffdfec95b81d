import type { Metrics } from '@operon/kit/metrics'
import type { Logger } from '@operon/kit/telemetry'
import type { Call } from './call.ts'

/** Counts what runs and observes what ended. */
export class Meter {
  running = 0
  readonly #metrics: Metrics
  readonly #accessLog: Logger | null
  readonly #onIdle: (() => void)[] = []

  constructor(metrics: Metrics, accessLog: Logger | null = null) {
    this.#metrics = metrics
    this.#accessLog = accessLog
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

  #observe({ request, response, label, startedAt, span, id, tenant, trace }: Call) {
    const status = response.headersSent ? response.statusCode : 499
    span?.end({ attributes: { 'http.response.status_code': status }, failure: status >= 499 ? String(status) : undefined })
    const labels = { service: 'gateway', route: label, method: request.method!, status }
    const seconds = (performance.now() - startedAt) / 1000
    this.#metrics.requests.observe(labels, seconds)
    // The route and no address: that could hold what belongs in no log.
    const told = { requestId: id, tenant, method: request.method, route: label, status, ms: Math.round(seconds * 1000) }
    this.#accessLog?.info({ ...told, ...(trace && { trace: trace.split('-')[1] }) }, 'answered')
  }
}
