import type { ThirdParty } from '@operon/contracts/third-parties'
import type { Metrics } from './metrics.ts'
import { blame } from './telemetry.ts'

export type ProviderName = ThirdParty | 'registrar' | 'clamav' | 'moderation'
/** `key_refused` is for an operator to mend, `refused` for whoever asked; the others pass or are the provider's own trouble. */
export type ProviderOutcome = 'ok' | 'key_refused' | 'limited' | 'refused' | 'failed' | 'timeout' | 'unreachable'

/** Counts and times the calls of one service to third parties, and names the third party in what fails. */
export class ProviderWatch {
  readonly #service: string
  readonly #metrics: Metrics

  constructor(service: string, metrics: Metrics) {
    this.#service = service
    this.#metrics = metrics
  }

  /** For a call that answers with a response, or throws. */
  async call<T>(provider: ProviderName, work: () => Promise<T>): Promise<T> {
    const startedAt = performance.now()
    try {
      const result = await work()
      this.saw(provider, outcomeOfStatus((result as { status?: unknown } | undefined)?.status), startedAt)
      return result
    } catch (error) {
      this.saw(provider, outcomeOf(error), startedAt)
      throw blame(error, provider)
    }
  }

  saw(provider: ProviderName, outcome: ProviderOutcome, startedAt: number) {
    const labels = { service: this.#service, provider }
    this.#metrics.providerRequests.inc({ ...labels, outcome })
    this.#metrics.providerSeconds.observe(labels, (performance.now() - startedAt) / 1000)
  }

  /** Shows whether it is left alone, from now on. */
  circuit(provider: ProviderName, circuit: { readonly isOpen: boolean }) {
    this.#metrics.circuits(() => [{ labels: { service: this.#service, provider }, value: Number(circuit.isOpen) }])
  }
}

export function outcomeOfStatus(status: unknown): ProviderOutcome {
  if (typeof status !== 'number' || status < 400 || status === 404) return 'ok'
  if (status === 401 || status === 403) return 'key_refused'
  if (status === 429) return 'limited'
  return status >= 500 ? 'failed' : 'refused'
}

const UNREACHABLE = /^(ECONN|ENOTFOUND|EAI_|EHOST|ENET|EPIPE|UND_ERR_(SOCKET|CONNECT))/
const CAUSES = 5

/** By the first in the chain of causes that says something: each client has its own way to tell. */
export function outcomeOf(thrown: unknown): ProviderOutcome {
  let at = thrown as { name?: string; code?: unknown; statusCode?: unknown; cause?: unknown; type?: string } | null | undefined
  for (let depth = 0; at && depth < CAUSES; depth++, at = at.cause as typeof at) {
    const code = typeof at.code === 'string' ? at.code : ''
    if (typeof at.statusCode === 'number') return outcomeOfStatus(at.statusCode)
    // nodemailer's words.
    if (code === 'EAUTH') return 'key_refused'
    if (code === 'EENVELOPE') return 'refused'
    if (at.name === 'TimeoutError' || code === 'ETIMEDOUT' || code === 'upstream_timeout' || /_TIMEOUT$/.test(code)) return 'timeout'
    if (UNREACHABLE.test(code) || code === 'ESOCKET' || at.type === 'StripeConnectionError') return 'unreachable'
  }
  return 'failed'
}
