import type { IncomingMessage, ServerResponse } from 'node:http'
import { checkAccess, isHalfSignedIn } from '@operon/kit/access'
import { callerAt } from '@operon/kit/addresses'
import type { KitConfig } from '@operon/kit/config'
import { type Actor, userIdOf } from '@operon/kit/context'
import { DomainError } from '@operon/kit/errors'
import type { Limits, Quota } from '@operon/kit/limits'
import type { Metrics } from '@operon/kit/metrics'
import type { Logger } from '@operon/kit/telemetry'
import { isTracing, openSpan } from '@operon/kit/tracing'
import type { Addresses } from './addresses.ts'
import { type Call, givenPairs, refuse, requestId, send, stepTrace } from './call.ts'
import type { Callers } from './callers.ts'
import { apiHeaders, fixed, isHost, nothingFixed, readLines, rewriteHeaders, securityHeaders, type Told, toldLines } from './headers.ts'
import type { Meter } from './meter.ts'
import { forwardRemote } from './remote.ts'
import { type Entry, isApi, type Route, type Routes } from './routes.ts'
import type { GatewaySettings } from './settings.ts'
import { originForm, readTarget } from './target.ts'
import type { OpenUpstreams } from './upstreams.ts'

export type Page = (call: Call) => void | Promise<void>
export type HandleOptions = {
  config: KitConfig
  settings: GatewaySettings
  log: Logger
  metrics: Metrics
  meter: Meter
  routes: Routes
  upstreams: OpenUpstreams
  callers: Callers
  limits: Limits
  addresses: Addresses
  /** Paths that the gateway answers itself. The web app answers everything that is not an API. */
  own: Map<string, Page>
  web: Page
  draining: () => boolean
}

const SLASH = 47
const badTarget = () => new DomainError('invalid', { message: 'The address of this request is not valid.' })
const unknownRpc = (name: string) =>
  new DomainError('PGRST202', {
    status: 404,
    message: `Could not find the function public.${name} in the schema cache`,
    details: `Searched for the function public.${name}, but no matches were found in the schema cache.`,
  })
const unknownTable = (name: string) => new DomainError('not_found', { message: `Could not find the table 'public.${name}'` })

/** The way of a request: read, find, admit, hand over. */
export function createHandler(options: HandleOptions) {
  const { config, settings, log, meter, routes, upstreams, callers, limits, addresses, own, web, draining } = options
  const security = securityHeaders(config)
  const api = apiHeaders(settings, security.always)
  const plain = fixed(...security.always)

  return function handle(request: IncomingMessage, response: ServerResponse, waitsForContinue = false) {
    const { headers, socket } = request
    if (request.url!.charCodeAt(0) !== SLASH) request.url = originForm(request.url!, headers.host)
    const target = readTarget(request.url!)
    const id = requestId(headers['x-request-id'])
    const client = addresses.client(socket.remoteAddress, headers['x-forwarded-for'])
    const path = target?.path ?? '/'
    const call: Call = {
      request,
      response,
      id,
      path,
      query: target?.query ?? '',
      lines: '',
      client,
      label: 'none',
      startedAt: performance.now(),
      fixed: nothingFixed,
      quota: null,
      waitsForContinue,
      onClose: null,
      span: null,
      trace: null,
      tenant: null,
    }
    meter.begin(call)
    if (draining()) response.shouldKeepAlive = false
    const lines = target && readLines(request)
    if (lines === null) {
      call.fixed = plain
      return refuse(call, badTarget())
    }
    call.lines = lines
    const entry = routes.find(path)
    if (entry) return pass(call, entry)
    const page = own.get(path)
    if (!page && isApi(path)) {
      call.fixed = api.forOrigin(headers.origin)
      return refuse(
        call,
        path.startsWith('/rest/v1/')
          ? path.startsWith('/rest/v1/rpc/')
            ? unknownRpc(path.slice(13))
            : unknownTable(path.slice(9))
          : new DomainError('not_found', { message: 'There is nothing at this address.' }),
      )
    }
    call.label = page ? path : 'web'
    if (!page) return void web(call)
    call.fixed = security.docs
    if (request.method !== 'GET' && request.method !== 'HEAD') return refuse(call, notAllowed('GET, HEAD'))
    answerOwn(call, page)
  }

  function answerOwn(call: Call, page: Page) {
    Promise.resolve(page(call)).catch((error: unknown) => failed(call, error))
  }

  // A token that was just seen and a limit that is counted here need no waiting: most calls are handed over in the turn that they came in.
  function pass(call: Call, entry: Entry) {
    const { method, headers } = call.request
    call.fixed = api.forOrigin(headers.origin)
    if (method === 'OPTIONS') return preflight(call, entry)
    const route = entry.methods.get(method!)
    if (!route) return refuse(call, notAllowed(entry.allow))
    call.label = route.label
    try {
      limits.admit(callerAt(call.client))
      if (Number(headers['content-length'] ?? 0) > route.maxBytes) throw new DomainError('too_large')
      const actor = callers.of(headers, route)
      if (!(actor instanceof Promise)) return admit(call, route, actor)
      actor.then((known) => admit(call, route, known)).catch((error: unknown) => failed(call, error))
    } catch (error) {
      failed(call, error)
    }
  }

  function admit(call: Call, route: Route, actor: Actor) {
    call.tenant = userIdOf(actor)
    // The owning service may know an API key that identity has not taken over yet.
    const caller = route.apiKeys && actor.kind === 'anonymous' ? actor : checkAccess(route, actor)
    if (caller.kind === 'service') return handOver(call, route)
    const counted = (quota: Quota) => {
      call.quota = quota
      handOver(call, route)
    }
    const quota = limits.take(classOf(route, call), whoIsLimited(route, caller, call))
    if (!(quota instanceof Promise)) return counted(quota)
    quota.then(counted).catch((error: unknown) => failed(call, error))
  }

  function handOver(call: Call, route: Route) {
    const { request, response } = call
    if (response.destroyed) return
    if (route.service === 'gateway') return answerOwn(call, own.get(route.label)!)
    const upstream = upstreams.of(route.service)
    if (!upstream) throw new DomainError('unavailable', { headers: { 'retry-after': '5' } })
    const told = toldOf(call)
    const policy = route.isFile ? security.filePolicy : security.apiPolicy
    if (call.waitsForContinue) response.writeContinue()
    if (upstream.kind === 'local') {
      rewriteHeaders(request, told)
      const given = givenPairs(call)
      for (let i = 0; i < given.length; i += 2) response.setHeader(given[i]!, given[i + 1]!)
      response.setHeader('content-security-policy', policy)
      return void upstream.app.routing(request, response)
    }
    const repeatable =
      request.method === 'GET' || request.method === 'HEAD' || (route.idempotent && request.headers['idempotency-key'] !== undefined)
    call.onClose = forwardRemote(
      { call, lines: toldLines(told) + call.lines, policy, repeatable, maxBytes: route.maxBytes, draining, fail: failed },
      upstream.instances,
    )
  }

  function toldOf(call: Call): Told {
    const { headers, socket } = call.request
    const believed = addresses.isTrusted(socket.remoteAddress)
    const forwarded = believed ? first(headers['x-forwarded-host']) : ''
    const host = forwarded && isHost(forwarded) ? forwarded : (headers.host ?? '')
    const proto = believed && first(headers['x-forwarded-proto']) === 'https' ? 'https' : 'http'
    if (isTracing()) call.span = spanOf(call)
    call.trace = call.span?.trace ?? stepTrace(headers.traceparent)
    return { client: call.client, proto, host, requestId: call.id, traceparent: call.trace }
  }

  function preflight(call: Call, entry: Entry) {
    call.label = 'preflight'
    send(call, 204, '', api.preflight(entry.allow))
  }

  function failed(call: Call, thrown: unknown) {
    const error = thrown instanceof DomainError ? thrown : new DomainError('internal', { cause: thrown })
    if (error.status >= 500)
      log.warn(
        {
          err: error.cause ?? error,
          requestId: call.id,
          errorCode: error.code,
          tenant: call.tenant,
          ...(call.trace && { trace: call.trace.split('-')[1] }),
          route: call.label,
          status: error.status,
        },
        'a request failed at the gateway',
      )
    refuse(call, error)
  }
}

const first = (value: string | string[] | undefined) =>
  String(value ?? '')
    .split(',')[0]!
    .trim()

const spanOf = ({ request, label, id, startedAt }: Call) =>
  openSpan({
    service: 'gateway',
    kind: 'server',
    name: `${request.method} ${label}`,
    parent: request.headers.traceparent,
    startedAt: Date.now() - (performance.now() - startedAt),
    attributes: { 'http.request.method': request.method!, 'http.route': label, 'operon.request_id': id },
  })

const notAllowed = (allow: string) =>
  new DomainError('method_not_allowed', {
    status: 405,
    message: 'This address does not take that method.',
    headers: { allow },
  })

/** Refreshing happens by itself, in many tabs at once; signing in is done by a person. */
const classOf = (route: Route, { query }: Call) =>
  route.label === '/auth/v1/token' && query.includes('grant_type=refresh_token') ? 'refresh' : route.rate

/** By person where there is one; callbacks and callers who are not signed in, or not wholly, by address. */
function whoIsLimited({ rate }: Route, actor: Actor, call: Call): string {
  return actor.kind === 'user' && !isHalfSignedIn(actor) && rate !== 'auth-strict' && rate !== 'webhook'
    ? `u:${actor.id}`
    : callerAt(call.client)
}
