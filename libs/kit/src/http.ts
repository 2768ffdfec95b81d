import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import type { Endpoint, Input } from '@operon/contracts/contract'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest, LogController } from 'fastify'
import { serializerCompiler, validatorCompiler } from 'fastify-type-provider-zod'
import { checkAccess } from './access.ts'
import type { TokenVerifier } from './auth.ts'
import { asAuthError, authErrorAnswer } from './auth-errors.ts'
import { sayWhenBegun } from './begin.ts'
import { type Handler, nameOf, type Served, served } from './calls.ts'
import { type Ctx, userIdOf } from './context.ts'
import { DomainError } from './errors.ts'
import { newId } from './ids.ts'
import { checkScope } from './keys.ts'
import type { Metrics } from './metrics.ts'
import { asDomainError } from './problems.ts'
import { type Logger, nextTrace, tellTenant, withTrace } from './telemetry.ts'
import { traceRequests } from './tracing.ts'

type HttpOwner = {
  service: string
  db: Ctx['db']
  log: Logger
  verifier: TokenVerifier
  metrics: Metrics
  /** The capabilities that it serves, by name: for those who ask over the bus. */
  calls?: Map<string, Served>
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Of a request that was admitted. It stands here and in no WeakMap: that held each request until a full collection. */
    ctx: Ctx<any>
  }
}

const owners = new WeakMap<FastifyInstance, HttpOwner>()
const mounted = new WeakMap<FastifyInstance, string[]>()
/** Every route that a service answers, as `METHOD /path`: what the attack runner holds against the contracts. */
export const routesOf = (app: FastifyInstance): string[] => mounted.get(app) ?? []

/** The Fastify of one service: bodies and answers by zod, one error mapping, a request id and a trace for each call. */
export function createHttp(owner: HttpOwner): FastifyInstance {
  const app = Fastify({
    loggerInstance: owner.log,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: 1024 * 1024,
    genReqId: (raw) => header(raw.headers['x-request-id']) ?? newId(),
    forceCloseConnections: 'idle',
    routerOptions: { ignoreTrailingSlash: true },
  }) as unknown as FastifyInstance
  owners.set(app, owner)
  app.decorateRequest('ctx')
  const routes: string[] = []
  mounted.set(app, routes)
  app.addHook('onRoute', ({ method, url }) => void routes.push(...[method].flat().map((each) => `${each} ${url}`)))
  app.setValidatorCompiler(validatorCompiler)
  app.setSerializerCompiler(serializerCompiler)
  // Signed webhooks and uploads are read as bytes where their contract says so; everything else that is no JSON answers 415.
  app.removeContentTypeParser('text/plain')
  // Clients of the auth protocol say that they send JSON where they send nothing.
  app.removeContentTypeParser('application/json')
  const parseJson = app.getDefaultJsonParser('error', 'error')
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) =>
    body === '' ? done(null, undefined) : parseJson(request, body as string, done),
  )
  app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, body, done) =>
    done(null, Object.fromEntries(new URLSearchParams(body as string))),
  )
  app.setErrorHandler((error, request, reply) => sendError(reply, request, error))
  app.setNotFoundHandler((request, reply) => sendError(reply, request, new DomainError('not_found')))
  sayWhenBegun(app)
  if (!traceRequests(app, owner.service))
    app.addHook('onRequest', (request, _reply, done) =>
      withTrace(nextTrace(request.headers.traceparent), done, { requestId: request.id, tenant: null }),
    )
  let running = 0
  app.addHook('onRequest', (_request, _reply, done) => {
    running += 1
    done()
  })
  app.addHook(
    'onClose',
    owner.metrics.inFlight(() => [{ labels: { service: owner.service }, value: running }]),
  )
  app.addHook('onResponse', (request, reply, done) => {
    running -= 1
    const route = request.routeOptions.url ?? 'none'
    owner.metrics.requests.observe(
      { service: owner.service, route, method: request.method, status: reply.statusCode },
      reply.elapsedTime / 1000,
    )
    done()
  })
  return app
}

/** One line a route: the contract says who may call, what goes in and what comes out; the domain function does it. A capability is answered over the bus too. */
export function serve<E extends Endpoint>(app: FastifyInstance, contract: E, handler: Handler<E>) {
  const known = served(contract, handler)
  if (contract.action) owners.get(app)!.calls?.set(nameOf(contract), known)
  route(app, contract, async (ctx, input, request, reply) => {
    const answer = await known.run(ctx, input, header(request.headers['idempotency-key']))
    return reply.code(contract.status ?? 200).send(answer)
  })
}

/** For what is not one JSON answer: the handler owns the reply. Access, input and errors are as everywhere. */
export function serveRaw<E extends Endpoint>(
  app: FastifyInstance,
  contract: E,
  handler: (ctx: Ctx<any>, input: Input<E>, reply: FastifyReply, request: FastifyRequest) => Promise<unknown>,
  look?: Look,
) {
  route(app, contract, (ctx, input, request, reply) => handler(ctx, input, reply, request), look)
}

type RouteHandler = (ctx: Ctx<any>, input: any, request: FastifyRequest, reply: FastifyReply) => Promise<unknown>
/** Refuses a large body by its beginning, while the rest has not been read: what it throws is the answer. */
export type Look = (ctx: Ctx<any>, beginning: Buffer, request: FastifyRequest) => Promise<unknown>
const BEGINNING_BYTES = 1024

function route(app: FastifyInstance, contract: Endpoint, handler: RouteHandler, look?: Look) {
  const { method, path, params, query, body, reply, raw, bytes, maxBytes, status = 200 } = contract
  const schema = {
    ...(params && { params }),
    ...(query && { querystring: query }),
    ...(body && !bytes && { body }),
    ...(!raw && { response: { [status]: reply } }),
  }
  const options = {
    method,
    url: path,
    schema,
    ...(maxBytes && { bodyLimit: maxBytes }),
    handler: async (request: FastifyRequest, answer: FastifyReply) => {
      const { ctx } = request
      // A query that no schema has looked at must not stand in for a field of the body.
      const asked = query && (request.query as object)
      const input = bytes ? request.body : { ...asked, ...(request.body as object), ...(request.params as object) }
      return handler(ctx, input, request, answer)
    },
    onRequest: admit(app, contract),
    ...(look && { preParsing: lookFirst(look) }),
  }
  if (!bytes) return void app.route(options)
  // A scope of its own, so that this route alone reads its body as it came.
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, payload, done) => done(null, payload))
    scope.route(options)
  })
}

function lookFirst(look: Look) {
  return async (request: FastifyRequest, reply: FastifyReply, payload: NodeJS.ReadableStream): Promise<Readable> => {
    const body = payload as Readable
    const parts: Buffer[] = []
    let bytes = 0
    for await (const part of body.iterator({ destroyOnReturn: false })) {
      parts.push(part)
      bytes += part.length
      if (bytes >= BEGINNING_BYTES) break
    }
    const read = Buffer.concat(parts)
    try {
      await look(request.ctx, read.subarray(0, BEGINNING_BYTES), request)
    } catch (error) {
      // The rest of the body may still be coming, and nobody will read it.
      if (!body.readableEnded) reply.header('connection', 'close')
      throw error
    }
    if (body.readableEnded) return Readable.from([read])
    body.unshift(read)
    return body
  }
}

type Guarded = Pick<Endpoint, 'access' | 'path' | 'rate' | 'apiKeys' | 'resource' | 'action' | 'halfSignedIn' | 'demo'> & {
  kind: 'endpoint' | 'table'
}

/** Before the body is read: who may not call does not get to send one. */
export function admit(app: FastifyInstance, contract: Guarded) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const owner = owners.get(app)!
    const ctx = contextOf(owner, request, reply)
    request.ctx = ctx
    const actor = await actorOf(owner, contract, request)
    tellTenant(userIdOf(actor))
    checkScope(contract, actor)
    ctx.actor = checkAccess(contract, actor, request.method as Endpoint['method'])
  }
}

export function contextOf(owner: HttpOwner, request: FastifyRequest, reply: FastifyReply): Ctx<any> {
  let gone: AbortSignal | null = null
  return {
    db: owner.db as never,
    actor: { kind: 'anonymous' },
    log: request.log as unknown as Logger,
    requestId: request.id,
    // The gateway writes this header anew; a service is reached only through it.
    ip: header(request.headers['x-forwarded-for'])?.split(',')[0]?.trim() || request.ip,
    userAgent: header(request.headers['user-agent'])?.slice(0, 300) ?? '',
    // Made for those who ask: most calls are over before anybody would.
    get signal() {
      gone ??= goneSignal(reply.raw)
      return gone
    },
  }
}

/** Aborted once the caller has gone before the answer was out. */
function goneSignal(response: ServerResponse): AbortSignal {
  const gone = new AbortController()
  const onClose = () => void (response.writableFinished || gone.abort())
  if (response.closed) onClose()
  else response.once('close', onClose)
  return gone.signal
}

async function actorOf(owner: HttpOwner, contract: Guarded, request: FastifyRequest): Promise<Ctx['actor']> {
  try {
    return await owner.verifier.actorOf(request.headers, contract)
  } catch (error) {
    // A public page stays public for somebody whose token has just run out; what needs a person refuses it.
    if (
      contract.access === 'public' &&
      error instanceof DomainError &&
      error.code === 'not_authenticated' &&
      !contract.path.startsWith('/auth/v1/user')
    )
      return { kind: 'anonymous' }
    throw error
  }
}

const header = (value: string | string[] | undefined): string | undefined => (Array.isArray(value) ? value[0] : value)

/** Each path speaks its protocol's errors; what is no DomainError is a bug and says nothing of itself. */
function sendError(reply: FastifyReply, request: FastifyRequest, thrown: unknown) {
  const error = asDomainError(thrown)
  if (error.status >= 500) {
    const told = { route: request.routeOptions.url, status: error.status, errorCode: error.code }
    if (error.code === 'internal') request.log.error({ err: error.cause ?? error, ...told }, 'unexpected error')
    else request.log.warn({ err: error.cause ?? error, ...told }, 'a request could not be served')
  }
  if (request.url.startsWith('/auth/v1')) {
    const known = asAuthError(error)
    const { body, headers } = authErrorAnswer(known, header(request.headers['x-supabase-api-version']))
    return reply
      .code(known.status)
      .headers({ ...known.headers, ...headers })
      .type('application/json; charset=utf-8')
      .serializer(JSON.stringify)
      .send(body)
  }
  const body = errorBody(request.url, error, request.id)
  const type = body.type === 'about:blank' ? 'application/problem+json' : 'application/json'
  return reply
    .code(error.status)
    .headers(error.headers)
    .header('content-type', `${type}; charset=utf-8`)
    .serializer(JSON.stringify)
    .send(body)
}

export function errorBody(url: string, error: DomainError, requestId: string): Record<string, unknown> {
  const { code, status, message, details } = error
  if (url.startsWith('/auth/v1')) return authErrorAnswer(asAuthError(error), undefined).body
  if (url.startsWith('/rest/v1') && (details as { reason?: string } | undefined)?.reason === 'expired_jwt')
    return { code: 'PGRST303', message: 'JWT expired', details: null, hint: null }
  if (url.startsWith('/rest/v1'))
    return { code: postgrestCode(code), message, details: typeof details === 'string' ? details : null, hint: null }
  if (url.startsWith('/ai/v1'))
    return {
      error: {
        message,
        type: status === 429 ? 'rate_limit_error' : status >= 500 ? 'server_error' : 'invalid_request_error',
        param: paramOf(details),
        code,
      },
    }
  // `message` and `error` beside problem+json's own: clients of the named functions read either.
  return {
    type: 'about:blank',
    title: message,
    status,
    detail: message,
    code,
    message,
    error: message,
    request_id: requestId,
    ...(details !== undefined && { details }),
  }
}

/** The field that is meant, in the words of the OpenAI protocol. */
function paramOf(details: unknown): string | null {
  const { param, fields } = (details ?? {}) as { param?: string; fields?: { field: string }[] }
  return param ?? fields?.[0]?.field ?? null
}

const postgrestCode = (code: string) =>
  ({ not_authenticated: 'PGRST301', forbidden: '42501', not_found: 'PGRST205', invalid: 'PGRST100' })[code] ?? code
