import { AsyncLocalStorage } from 'node:async_hooks'
import { type Logger, pino, stdSerializers } from 'pino'
import prom from 'prom-client'
import { Durations } from './durations.ts'
import { drawRandom } from './ids.ts'

export type { Logger } from 'pino'

const redact = {
  paths: [
    'password',
    'token',
    'access_token',
    'refresh_token',
    'secret',
    'authorization',
    'cookie',
    'apikey',
    'code',
    '*.password',
    '*.token',
    '*.access_token',
    '*.refresh_token',
    '*.secret',
    '*.authorization',
    '*.cookie',
    '*.apikey',
    // What a message says may be personal in any of its fields; its name and id tell what is needed.
    'payload',
    'envelope',
    '*.payload',
    '*.envelope',
    'email',
    'phone',
    '*.email',
    '*.phone',
    'req.headers.authorization',
    'req.headers.cookie',
    'req.headers.apikey',
  ],
  censor: '[hidden]',
}

/** PostgreSQL's errors quote the row that they are about, in `detail`: who and what that was belongs into no log. */
const serializers = {
  err(error: unknown) {
    if (typeof error !== 'object' || error === null) return error
    const { detail, where, parameters, ...told } = stdSerializers.err(error as Error) as Record<string, unknown>
    return told
  },
}

export function createLogger(level = process.env.LOG_LEVEL ?? 'info', destination?: { write(line: string): void }): Logger {
  const options = {
    level,
    redact,
    serializers,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    mixin: () => (currentTrace() ? { trace: traceId() } : {}),
  }
  return destination ? pino(options, destination) : pino(options)
}

// W3C trace context: carried over HTTP, the bus and jobs as one string.
const traces = new AsyncLocalStorage<string>()
export const currentTrace = () => traces.getStore()
const traceId = () => currentTrace()?.split('-')[1]
export const withTrace = <T>(trace: string, work: () => T): T => traces.run(trace, work)
/** For what goes on by itself: a timer set within a request would carry its trace for ever. */
export const withoutTrace = <T>(work: () => T): T => traces.exit(work)
export const newTrace = (): string => `00-${drawRandom(16).toString('hex')}-${drawRandom(8).toString('hex')}-01`
/** The same trace, one step further; a malformed header begins a new one. */
export function nextTrace(header: unknown): string {
  const parent = typeof header === 'string' && /^00-([0-9a-f]{32})-[0-9a-f]{16}-([0-9a-f]{2})$/.exec(header)
  return parent ? `00-${parent[1]}-${drawRandom(8).toString('hex')}-${parent[2]}` : newTrace()
}

export type Metrics = ReturnType<typeof createMetrics>
/** One registry a process: rate, errors and duration by route, and the lag of whatever waits. */
export function createMetrics() {
  const registry = new prom.Registry()
  prom.collectDefaultMetrics({ register: registry })
  const requests = new Durations({ name: 'operon_http_request_seconds', help: 'Requests by service, route and status', registry })
  const lag = new prom.Gauge({
    name: 'operon_lag',
    help: 'Rows or messages that wait',
    labelNames: ['service', 'what'],
    registers: [registry],
  })
  const counter = new prom.Counter({
    name: 'operon_events_total',
    help: 'What happened, by kind',
    labelNames: ['service', 'what'],
    registers: [registry],
  })
  return { registry, requests, lag, counter }
}
