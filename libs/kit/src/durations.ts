import type { Registry } from 'prom-client'

const BOUNDS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

type Labels = { service: string; route: string; method: string; status: number }

/** The durations of one route and outcome: a count within each bound, and the sum. */
class Series {
  sum = 0
  readonly labels: Labels
  readonly counts = new Float64Array(BOUNDS.length + 1)

  constructor(labels: Labels) {
    this.labels = labels
  }

  observe(seconds: number) {
    let at = 0
    while (at < BOUNDS.length && seconds > BOUNDS[at]!) at++
    this.counts[at]! += 1
    this.sum += seconds
  }
}

/**
 * A histogram as prom-client's registry prints it. Its own puts a key together and hashes it for each observation,
 * which cost a request of the gateway as much as its rate limits and its token together.
 */
export class Durations {
  readonly name: string
  readonly help: string
  readonly type = 'histogram'
  readonly aggregator = 'sum'
  readonly #series: Series[] = []
  readonly #known = new Map<string, Map<string, Map<string, Map<number, Series>>>>()

  constructor({ name, help, registry }: { name: string; help: string; registry: Registry }) {
    this.name = name
    this.help = help
    registry.registerMetric(this as unknown as Parameters<Registry['registerMetric']>[0])
  }

  observe(labels: Labels, seconds: number) {
    const { service, route, method, status } = labels
    const known = this.#known.get(service)?.get(route)?.get(method)?.get(status)
    ;(known ?? this.#begin(labels)).observe(seconds)
  }

  /** In how many seconds so many of a service's requests were answered, as the narrowest bound that holds them; null with nothing to count. */
  within(service: string, share: number): number | null {
    const own = this.#series.filter(({ labels }) => labels.service === service)
    const totals = Array.from(BOUNDS, (_, i) => own.reduce((sum, { counts }) => sum + counts[i]!, 0))
    const all = own.reduce((sum, { counts }) => sum + counts.reduce((a, b) => a + b, 0), 0)
    if (all === 0) return null
    let held = 0
    const bound = totals.findIndex((count) => {
      held += count
      return held >= all * share
    })
    return BOUNDS[bound] ?? Number.POSITIVE_INFINITY
  }

  async get() {
    return {
      name: this.name,
      help: this.help,
      type: this.type,
      aggregator: this.aggregator,
      values: this.#series.flatMap(valuesOf(this.name)),
    }
  }

  // By steps rather than by one key: a string that is put together has to be hashed anew each time.
  #begin(labels: Labels): Series {
    const { service, route, method, status } = labels
    const series = new Series(labels)
    const routes = setDefault(this.#known, service, () => new Map())
    const methods = setDefault(routes, route, () => new Map())
    setDefault(methods, method, () => new Map<number, Series>()).set(status, series)
    this.#series.push(series)
    return series
  }
}

function setDefault<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const value = map.get(key) ?? make()
  map.set(key, value)
  return value
}

const valuesOf =
  (name: string) =>
  ({ labels, counts, sum }: Series) => {
    let count = 0
    const buckets = Array.from(counts, (own, i) => {
      count += own
      return { metricName: `${name}_bucket`, labels: { le: BOUNDS[i] ?? '+Inf', ...labels }, value: count }
    })
    return [...buckets, { metricName: `${name}_sum`, labels, value: sum }, { metricName: `${name}_count`, labels, value: count }]
  }
