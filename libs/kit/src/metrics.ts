import prom from 'prom-client'
import { Durations } from './durations.ts'

export type Metrics = ReturnType<typeof createMetrics>

type Sample = { labels: Record<string, string>; value: number }
/** How often the event loop is timed. `nodejs_eventloop_lag_*` of an idle process is as much: what is above it is delay. */
const LOOP_LOOK_MS = 500
const SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300]

/**
 * One registry a process. Labels have few values: services, routes, jobs, third parties, models; never a person, a tenant or an address.
 * `deploy/observability` says what a number means and which alert asks for it.
 */
export function createMetrics(version = 'unknown') {
  const registry = new prom.Registry()
  const registers = [registry]
  // Its own 10 ms would wake an idle process a hundred times a second.
  prom.collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: LOOP_LOOK_MS })
  const leading = new Map<string, boolean>()

  /** Looked at when somebody scrapes. */
  function watched(name: string, help: string, labelNames: string[]) {
    const looks = new Set<() => Sample[]>()
    new prom.Gauge({
      name,
      help,
      labelNames,
      registers,
      collect() {
        this.reset()
        for (const look of looks) for (const { labels, value } of look()) this.inc(labels, value)
      },
    })
    return (look: () => Sample[]) => {
      looks.add(look)
      return () => void looks.delete(look)
    }
  }

  /** A figure that all instances of a service share: only the one that leads shows it, so that a sum over instances counts it once. */
  function shared(name: string, help: string) {
    const told = new Map<string, { labels: { service: string; what: string }; value: number }>()
    const gauge = new prom.Gauge({
      name,
      help,
      labelNames: ['service', 'what'],
      registers,
      collect() {
        this.reset()
        for (const { labels, value } of told.values()) if (leading.get(labels.service) !== false) this.set(labels, value)
      },
    })
    return {
      set: (labels: { service: string; what: string }, value: number) =>
        void told.set(`${labels.service} ${labels.what}`, { labels, value }),
      get: () => gauge.get(),
    }
  }

  const requests = new Durations({ name: 'operon_http_request_seconds', help: 'Requests by service, route and status', registry })
  const build = new prom.Gauge({ name: 'operon_build_info', help: 'The version that runs', labelNames: ['version'], registers })
  build.set({ version }, 1)
  return {
    registry,
    requests,
    /** Whether this instance tells what its service's instances share; a service that is not named here always does. */
    leading,
    lag: shared('operon_lag', 'Rows or messages that wait'),
    oldest: shared('operon_oldest_seconds', 'How long the first in line has waited'),
    counter: new prom.Counter({ name: 'operon_events_total', help: 'What happened, by kind', labelNames: ['service', 'what'], registers }),
    jobs: new prom.Histogram({
      name: 'operon_job_seconds',
      help: 'How long a job ran, by how it ended',
      labelNames: ['service', 'job', 'outcome'],
      buckets: SECONDS,
      registers,
    }),
    providerRequests: new prom.Counter({
      name: 'operon_provider_requests_total',
      help: 'Calls to third parties by how they ended',
      labelNames: ['service', 'provider', 'outcome'],
      registers,
    }),
    providerSeconds: new prom.Histogram({
      name: 'operon_provider_seconds',
      help: 'How long third parties took to answer, or to begin a streamed answer',
      labelNames: ['service', 'provider'],
      buckets: SECONDS,
      registers,
    }),
    tokens: new prom.Counter({
      name: 'operon_ai_tokens_total',
      help: 'Tokens of models, as booked',
      labelNames: ['provider', 'model', 'direction'],
      registers,
    }),
    costUsd: new prom.Counter({
      name: 'operon_ai_cost_usd_total',
      help: 'What models cost, in dollars, as booked',
      labelNames: ['provider', 'model'],
      registers,
    }),
    circuits: watched('operon_circuit_open', '1 while a third party is left alone after failures', ['service', 'provider']),
    inFlight: watched('operon_requests_in_flight', 'Requests that are being answered', ['service']),
    pools: watched('operon_pool_connections', 'Connections to PostgreSQL by state; waiting counts callers', ['service', 'pool', 'state']),
    upstreams: watched('operon_upstream_instances', 'Instances of a service as the gateway sees them', ['upstream', 'state']),
    sandboxed: watched('operon_sandboxed', '1 for each third party that the sandbox plays', ['service', 'provider']),
  }
}
