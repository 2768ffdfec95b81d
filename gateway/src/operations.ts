import { setTimeout as delay } from 'node:timers/promises'
import type { ServiceName } from '@operon/contracts/services'
import { type ThirdParty, thirdParties } from '@operon/contracts/third-parties'
import type { TokenVerifier } from '@operon/kit/auth'
import type { KitConfig } from '@operon/kit/config'
import { DomainError } from '@operon/kit/errors'
import type { Metrics } from '@operon/kit/metrics'
import { showsMetricsToken } from '@operon/kit/scrape'
import { isLoopback } from './addresses.ts'
import { answerJson, type Call, refuse, send } from './call.ts'
import type { Page } from './handle.ts'
import type { OpenUpstreams, Readiness } from './upstreams.ts'

export type Platform = { product_name: string; version: string; demo_accounts: boolean }
type Options = {
  config: KitConfig
  metrics: Metrics
  verifier: TokenVerifier
  upstreams: OpenUpstreams
  busReady: () => boolean
  draining: () => boolean
  platform: Platform
}

const SEEN_FOR_MS = 500
/** Longer than a service takes to look at its parts, shorter than any probe waits. */
const ANSWER_WITHIN_MS = 180
const SAID_FOR_MS = 10_000

/** Answers for operators and pages that come from the gateway itself. */
export function operations({ config, metrics, verifier, upstreams, busReady, draining, platform }: Options): Map<string, Page> {
  const trustsProxies = config.TRUSTED_PROXIES !== ''

  const look = shared(() =>
    Promise.all(upstreams.names.map(async (name) => [name, await inTime(upstreams.of(name)!.ready()).catch(broken(name))] as const)),
  )

  const sandboxed = gathered(look)

  /** Of this gateway alone: a service that is away is no reason to take the whole platform out of a balancer. */
  function ready(call: Call) {
    const failing = draining() ? ['gateway: draining'] : []
    answerJson(call, failing.length ? 503 : 200, { ok: failing.length === 0, failing, version: platform.version })
  }

  /** Of the whole fleet, as this gateway sees it: 200 while nothing is away. */
  async function status(call: Call) {
    // Also how a gateway with another master key than the fleet's shows: nobody believes what it asks.
    const hasKeys = upstreams.names.includes('identity') ? inTime(verifier.hasKeys()).catch(() => false) : true
    const [states, isTold] = await Promise.all([look(), hasKeys])
    const own = [!isTold && 'gateway: identity tells it no keys', !busReady() && 'gateway: bus', draining() && 'gateway: draining'].filter(
      (what) => what !== false,
    )
    const services = Object.fromEntries(
      states.map(([name, { ok, instances }]) => [name, { ok, ...(instances ?? { running: 1, of: 1, versions: [platform.version] }) }]),
    )
    const failing = [...states.flatMap(([, state]) => state.failing), ...own]
    const ok = failing.length === 0 && states.every(([, state]) => state.ok)
    answerJson(call, ok ? 200 : 503, { ok, version: platform.version, services, failing })
  }

  /** For whoever holds METRICS_TOKEN; without one for the machine itself and the service key, never for someone behind a proxy that is not known as one. */
  async function showMetrics(call: Call) {
    const { headers, socket } = call.request
    const direct = isLoopback(socket.remoteAddress) && isLoopback(call.client) && (trustsProxies || !headers['x-forwarded-for'])
    const key = String(headers.authorization ?? headers.apikey ?? '').replace(/^bearer /i, '')
    const mayRead = showsMetricsToken(config, headers) || (config.METRICS_TOKEN ? false : direct || verifier.isServiceKey(key))
    if (config.METRICS_PORT !== undefined || !mayRead)
      return refuse(call, new DomainError('not_found', { message: 'There is nothing at this address.' }))
    send(call, 200, await metrics.registry.metrics(), ['content-type', metrics.registry.contentType])
  }

  return new Map<string, Page>([
    ['/healthz', (call) => answerJson(call, 200, { ok: true })],
    ['/readyz', ready],
    ['/statusz', status],
    ['/metrics', showMetrics],
    ['/functions/v1/platform-info', async (call) => answerJson(call, 200, { ...platform, sandboxed: await sandboxed() })],
  ])
}

type States = (readonly [ServiceName, Readiness])[]

/** The services' own reports. The first caller waits for them, later ones get the last report; a service that is away keeps its last one. */
function gathered(look: () => Promise<States>): () => Promise<ThirdParty[]> {
  const said = new Map<ServiceName, ThirdParty[]>()
  let asking: Promise<void> | null = null
  let askedAt = Number.NEGATIVE_INFINITY
  async function ask() {
    for (const [name, { sandboxed }] of await look()) if (sandboxed) said.set(name, sandboxed)
    if (said.size === 0) askedAt = Number.NEGATIVE_INFINITY
  }
  return async () => {
    if (performance.now() - askedAt > SAID_FOR_MS) {
      askedAt = performance.now()
      asking = ask()
    }
    if (said.size === 0) await asking
    const named = new Set([...said.values()].flat())
    return (Object.keys(thirdParties) as ThirdParty[]).filter((name) => named.has(name))
  }
}

/** One look at a time, and its answer for a moment longer: however many ask, the services are asked as often as by one. */
function shared<T>(look: () => Promise<T>): () => Promise<T> {
  let last: Promise<T> | null = null
  return () => {
    last ??= look().finally(() => setTimeout(() => (last = null), SEEN_FOR_MS).unref())
    return last
  }
}

function inTime<T>(answer: Promise<T>): Promise<T> {
  const late = new AbortController()
  const tooLate = delay(ANSWER_WITHIN_MS, null, { signal: late.signal, ref: false }).then(() =>
    Promise.reject(new Error('no answer in time')),
  )
  tooLate.catch(() => {})
  return Promise.race([answer, tooLate]).finally(() => late.abort())
}

const broken =
  (name: string) =>
  (error: unknown): Readiness => ({
    ok: false,
    failing: [`${name}: ${error instanceof Error ? error.message : 'failed'}`],
  })
