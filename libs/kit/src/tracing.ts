import type { FastifyInstance } from 'fastify'
import type { LogConfig, LogEvent } from 'kysely'
import type { KitConfig } from './config.ts'
import { type About, currentTrace, type Logger, newTrace, withTrace } from './telemetry.ts'

export type SpanKind = 'server' | 'client' | 'producer' | 'consumer'
/** Names, numbers and ids of ours only: no address with its query, no text of a person, no header. */
type Attributes = Record<string, string | number>
export type Step = {
  service: string
  kind: SpanKind
  name: string
  /** The context that came along; without one a trace begins here. */
  parent?: unknown
  attributes?: Attributes
  startedAt?: number | Date
  /** Further contexts that this step works for: of work that many share, only one can be the parent. */
  links?: string[]
}
export type Outcome = { name?: string; attributes?: Attributes; failure?: string | undefined }
/** One step of a trace while it lasts; `trace` goes along with whatever it causes. */
export type Span = { trace: string; end(outcome?: Outcome): void }
export type Tracing = { open(step: Step): Span; flush(): Promise<void> }

// Null unless an endpoint is set: then the exporter is loaded, and only then does a step cost anything.
let tracing: Tracing | null = null

export async function startTracing(config: KitConfig, log: Logger): Promise<void> {
  if (!config.OTEL_EXPORTER_OTLP_ENDPOINT || tracing) return
  const { createTracing } = await import('./tracing-otlp.ts')
  tracing = createTracing(config, log)
}

/** Sends what has ended and was not sent yet; a collector that is away keeps nobody from stopping. */
export const flushTraces = async (): Promise<void> => tracing?.flush()

export const isTracing = (): boolean => tracing !== null
export const openSpan = (step: Step): Span | null => tracing?.open(step) ?? null

/** Runs work as one step of a trace. Without an exporter the context is carried, and that is all. */
export async function inSpan<T>(
  step: Step & { parent?: string | null | undefined; about?: About },
  work: () => Promise<T> | T,
): Promise<T> {
  if (!tracing) return withTrace(step.parent ?? newTrace(), work, step.about)
  const span = tracing.open(step)
  try {
    const result = await withTrace(span.trace, work, step.about)
    span.end()
    return result
  } catch (error) {
    span.end({ failure: kindOfFailure(error) })
    throw error
  }
}

const UNTRACED = new Set(['/healthz', '/readyz', '/metrics'])

/** A span for each request, until its answer is out or its caller has gone. */
export function traceRequests(app: FastifyInstance, service: string): boolean {
  if (!tracing) return false
  const { open } = tracing
  app.addHook('onRequest', (request, reply, done) => {
    const route = request.routeOptions.url ?? 'none'
    if (UNTRACED.has(route)) return done()
    const attributes = { 'http.request.method': request.method, 'http.route': route, 'operon.request_id': request.id }
    const span = open({ service, kind: 'server', name: `${request.method} ${route}`, parent: request.headers.traceparent, attributes })
    reply.raw.once('close', () => {
      const { statusCode, writableFinished } = reply.raw
      const failure = !writableFinished ? 'aborted' : statusCode >= 500 ? String(statusCode) : undefined
      span.end({ attributes: { 'http.response.status_code': statusCode }, failure })
    })
    withTrace(span.trace, done, { requestId: request.id, tenant: null })
  })
  return true
}

type Row = { id: string; name: string; trace: string | null; created_at: Date }
/** Rows of the outbox on their way: the step between who published one and who hears it. */
export function carrying<R extends Row>(service: string, rows: R[]): { rows: R[]; end(error?: unknown): void } {
  if (!tracing) return { rows, end() {} }
  const { open } = tracing
  const spans: Span[] = []
  const carried = rows.map((row) => {
    if (!row.trace) return row
    const attributes = { 'messaging.message.id': row.id, 'operon.waited_ms': Date.now() - row.created_at.getTime() }
    const span = open({ service, kind: 'producer', name: `publish ${row.name}`, parent: row.trace, attributes })
    spans.push(span)
    return { ...row, trace: span.trace }
  })
  return {
    rows: carried,
    end(error) {
      const failure = error === undefined ? undefined : kindOfFailure(error)
      for (const span of spans) span.end({ failure })
    },
  }
}

/** Statements as steps, by what they do to which table; the text and the values stay here. */
export function sqlLog(service: string): { log?: LogConfig } {
  if (!tracing) return {}
  const { open } = tracing
  return {
    log(event: LogEvent) {
      const parent = currentTrace()
      if (!parent) return
      const [operation, table] = summaryOf(event.query.sql)
      const startedAt = Date.now() - event.queryDurationMillis
      const attributes = { 'db.system.name': 'postgresql', 'db.operation.name': operation, 'db.collection.name': table }
      const span = open({ service, kind: 'client', name: `${operation} ${table}`.trim(), parent, attributes, startedAt })
      span.end({ failure: event.level === 'error' ? kindOfFailure(event.error) : undefined })
    },
  }
}

/** The verb and the first table named, as in `insert outbox`; of several statements in one, the first that changes something. */
export function summaryOf(statement: string): [operation: string, table: string] {
  const operation = /[a-z]+/i.exec(statement)?.[0].toLowerCase() ?? ''
  const change = operation === 'with' && /\b(insert\s+into|delete\s+from|update(?!\s+(?:set|skip|of)\b))\s+"?([a-z_]\w*)/i.exec(statement)
  if (change) return [change[1]!.split(/\s/)[0]!.toLowerCase(), change[2]!]
  const table = /\b(?:from|into|update|join)\s+"?([a-z_]\w*)/i.exec(statement)?.[1] ?? ''
  return [operation === 'with' ? 'select' : operation, table]
}

/** Its code or its name. Messages may tell of persons. */
export function kindOfFailure(error: unknown): string {
  const { code, name } = (error ?? {}) as { code?: unknown; name?: unknown }
  return typeof code === 'string' ? code : typeof name === 'string' ? name : 'error'
}
