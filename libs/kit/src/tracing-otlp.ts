import { channel } from 'node:diagnostics_channel'
import type { ClientRequest, IncomingMessage } from 'node:http'
import { hostname } from 'node:os'
import { type Context, DiagLogLevel, diag, ROOT_CONTEXT, SpanStatusCode, type Tracer, trace } from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { defaultResource, detectResources, resourceAttributesEnvDetector, resourceFromAttributes } from '@opentelemetry/resources'
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import type { KitConfig } from './config.ts'
import { currentTrace, type Logger, withoutTrace } from './telemetry.ts'
import { kindOfFailure, type Span, type SpanKind, type Step, type Tracing } from './tracing.ts'
import { VERSION } from './version.ts'

const FLUSH_WITHIN_MS = 2_000
/** A host may run several, and a container's process always has the same number. */
const instance = `${hostname()}-${process.pid}`
const kinds = { server: 1, client: 2, producer: 3, consumer: 4 } satisfies Record<SpanKind, number>

/** Spans by OTLP over HTTP. The queue is bounded: under pressure spans are dropped, never requests held up. */
export function createTracing(config: KitConfig, log: Logger): Tracing {
  tellProblems(log)
  const exporter = unseen(new OTLPTraceExporter({ url: `${config.OTEL_EXPORTER_OTLP_ENDPOINT!.replace(/\/$/, '')}/v1/traces` }))
  const processor = new BatchSpanProcessor({ exporter, maxQueueSize: 4096, scheduledDelayMillis: config.OTEL_BSP_SCHEDULE_DELAY })
  const sampler = samplerOf(config)
  const base = defaultResource().merge(detectResources({ detectors: [resourceAttributesEnvDetector] }))
  const tracers = new Map<string, Tracer>()
  const running = new Map<string, string>()

  function tracerOf(service: string): Tracer {
    let tracer = tracers.get(service)
    if (!tracer) {
      const own = {
        'service.name': service,
        'service.namespace': 'operon',
        'service.version': VERSION,
        'service.instance.id': instance,
      }
      const resource = base.merge(resourceFromAttributes(own))
      tracer = new TracerProvider({ resource, sampler, spanProcessors: [processor] }).getTracer('operon')
      tracers.set(service, tracer)
    }
    return tracer
  }

  function open({ service, kind, name, parent, attributes, startedAt, links = [] }: Step): Span {
    const options = {
      kind: kinds[kind],
      links: links.flatMap((link) => trace.getSpanContext(contextOf(link)) ?? []).map((context) => ({ context })),
      ...(attributes && { attributes }),
      ...(startedAt !== undefined && { startTime: startedAt }),
    }
    const span = tracerOf(service).startSpan(name, options, contextOf(parent))
    const { traceId, spanId, traceFlags } = span.spanContext()
    running.set(spanId, service)
    return {
      trace: `00-${traceId}-${spanId}-0${traceFlags & 1}`,
      end({ name: renamed, attributes: more, failure } = {}) {
        if (renamed) span.updateName(renamed)
        if (more) span.setAttributes(more)
        if (failure) span.setAttribute('error.type', failure).setStatus({ code: SpanStatusCode.ERROR })
        span.end()
        running.delete(spanId)
      },
    }
  }

  // The enclosing step tells which code calls out.
  watchOutgoing((parent, step) => open({ ...step, parent, service: running.get(parent.split('-')[2]!) ?? 'outgoing' }))
  return {
    open,
    async flush() {
      let timer: NodeJS.Timeout | undefined
      const late = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, FLUSH_WITHIN_MS)
      })
      await Promise.race([processor.forceFlush().catch(() => {}), late])
      clearTimeout(timer)
    },
  }
}

function contextOf(parent: unknown): Context {
  const given = typeof parent === 'string' && /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/.exec(parent)
  if (!given) return ROOT_CONTEXT
  const [, traceId, spanId, flags] = given as unknown as [string, string, string, string]
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true })
}

function samplerOf({ OTEL_TRACES_SAMPLER: name, OTEL_TRACES_SAMPLER_ARG: ratio }: KitConfig): Sampler {
  const root = name.endsWith('always_off')
    ? new AlwaysOffSampler()
    : name.endsWith('traceidratio')
      ? new TraceIdRatioBasedSampler(ratio)
      : new AlwaysOnSampler()
  return name.startsWith('parentbased_') ? new ParentBasedSampler({ root }) : root
}

/** The exporter's own calls belong to no trace: a step that reports itself would never end. */
const unseen = (exporter: SpanExporter): SpanExporter => ({
  export: (spans, done) => withoutTrace(() => exporter.export(spans, done)),
  shutdown: () => exporter.shutdown(),
  forceFlush: async () => exporter.forceFlush?.(),
})

/** A collector that is away says so once, not every few seconds. */
function tellProblems(log: Logger) {
  let told = ''
  const tell = (message: string) => {
    const problem = message.slice(0, 300)
    if (problem !== told) log.warn({ problem }, 'traces could not be sent')
    told = problem
  }
  const silent = () => {}
  diag.setLogger({ error: tell, warn: tell, info: silent, debug: silent, verbose: silent }, { logLevel: DiagLogLevel.WARN })
}

/**
 * Calls to third parties, whichever client makes them (fetch, undici or node:http), heard on Node's own channels. They are told nothing of
 * the trace, and of the address only the host is kept.
 */
function watchOutgoing(open: (parent: string, step: Pick<Step, 'kind' | 'name' | 'attributes'>) => Span) {
  const spans = new WeakMap<object, Span>()
  const begin = (request: object, method: string, host: string) => {
    const parent = currentTrace()
    if (!parent) return
    const attributes = { 'http.request.method': method, 'server.address': host }
    spans.set(request, open(parent, { kind: 'client', name: `${method} ${host}`, attributes }))
  }
  const end = (request: object, status?: number, error?: unknown) => {
    const failure = error !== undefined ? kindOfFailure(error) : status !== undefined && status >= 400 ? String(status) : undefined
    spans.get(request)?.end({ ...(status !== undefined && { attributes: { 'http.response.status_code': status } }), failure })
    spans.delete(request)
  }
  type Undici = { request: { method: string; origin: string | URL }; response: { statusCode: number }; error: unknown }
  type Http = { request: ClientRequest; response: IncomingMessage; error: unknown }
  const on = <M>(name: string, hear: (message: M) => void) => channel(name).subscribe((message) => hear(message as M))
  on<Undici>('undici:request:create', ({ request }) => begin(request, request.method, new URL(request.origin).hostname))
  on<Undici>('undici:request:headers', ({ request, response }) => end(request, response.statusCode))
  on<Undici>('undici:request:error', ({ request, error }) => end(request, undefined, error))
  on<Http>('http.client.request.start', ({ request }) => begin(request, request.method, request.host))
  on<Http>('http.client.response.finish', ({ request, response }) => end(request, response.statusCode))
  on<Http>('http.client.request.error', ({ request, error }) => end(request, undefined, error))
}
