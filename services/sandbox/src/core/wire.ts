import { createServer, type IncomingHttpHeaders, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { accountHeader, type Fault, type Faults, type Provider } from './faults.ts'

/** One request as every stand-in and every page sees it, whether it came through a listener or through Fastify. */
export type WireRequest = {
  method: string
  path: string
  query: URLSearchParams
  headers: IncomingHttpHeaders
  body: Buffer
  params: Record<string, string>
}
export type WireReply = { status?: number; headers?: Record<string, string>; body?: string | Buffer }
export type Handler = (request: WireRequest) => WireReply | Promise<WireReply>
export type Route = { method: string; pattern: RegExp; handle: Handler }

/** `/v1/customers/:id` becomes a route; parameters arrive decoded. */
export function route(method: string, path: string, handle: Handler): Route {
  const pattern = new RegExp(`^${path.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/:(\w+)/g, '(?<$1>[^/]+)')}$`)
  return { method, pattern, handle }
}

/** The answer of the first route that fits, or nothing. */
export async function dispatch(routes: Route[], request: WireRequest): Promise<WireReply | undefined> {
  for (const { method, pattern, handle } of routes) {
    if (method !== request.method) continue
    const found = pattern.exec(request.path)
    if (!found) continue
    const params = Object.fromEntries(Object.entries(found.groups ?? {}).map(([name, value]) => [name, decode(value)]))
    return handle({ ...request, params })
  }
  return undefined
}

export const json = (body: unknown, status = 200, headers: Record<string, string> = {}): WireReply => ({
  status,
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(body),
})
export const redirect = (location: string, status = 303): WireReply => ({ status, headers: { location } })
export const form = (request: WireRequest) => new URLSearchParams(request.body.toString('utf8'))

/** A form with files, or without. */
export const multipart = ({ body, headers }: WireRequest) =>
  new Response(new Uint8Array(body), { headers: { 'content-type': headers['content-type'] ?? '' } }).formData()

export function parseJson(request: WireRequest): Record<string, any> {
  if (request.body.length === 0) return {}
  const value: unknown = JSON.parse(request.body.toString('utf8'))
  if (typeof value !== 'object' || value === null) throw new SyntaxError('not an object')
  return value
}

export async function readBody(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part as Buffer)
  return parts.length === 1 ? parts[0]! : Buffer.concat(parts)
}

type ListenerOptions = {
  provider: Provider
  faults: Faults
  handle: Handler
  /** The provider's own way to say that it failed. */
  failure: (status: number) => unknown
  /** Whom a request is about, in the words of the provider. */
  accountsOf?: (request: WireRequest) => string[]
  onError: (error: unknown) => void
}

/** A listener for a provider that answers whole bodies; the ordered faults are applied around the handler. */
export function wireServer({ provider, faults, handle, failure, accountsOf = () => [], onError }: ListenerOptions): Server {
  const server = createServer(async (incoming, outgoing) => {
    try {
      const body = await readBody(incoming)
      const { pathname, searchParams } = new URL(incoming.url ?? '/', 'http://sandbox')
      const request = { method: incoming.method ?? 'GET', path: pathname, query: searchParams, headers: incoming.headers, body, params: {} }
      const accounts = () => [...accountHeader(incoming.headers), ...accountsOf(request)]
      const fault = faults.take(provider, `${request.method} ${pathname}`, accounts, incoming.headers['x-sandbox-fault'])
      if (fault && (await spoilBefore(fault, outgoing, failure))) return
      const reply = await handle(request)
      await send(reply, outgoing, fault)
    } catch (error) {
      onError(error)
      if (!outgoing.headersSent) outgoing.writeHead(500, { 'content-type': 'application/json' })
      outgoing.end(JSON.stringify(failure(500)))
    }
  })
  // A caller that was busy for a while finds its connection open.
  server.keepAliveTimeout = 60_000
  return server
}

/** Faults that strike before the request has any effect. Answers whether the request is over. */
async function spoilBefore(fault: Fault, outgoing: ServerResponse, failure: (status: number) => unknown): Promise<boolean> {
  if (fault.kind === 'slow_headers') await wait(fault.ms ?? 30_000, undefined, { ref: false })
  if (fault.kind === 'reset_before') outgoing.socket?.resetAndDestroy()
  if (fault.kind === 'status') {
    const status = fault.status ?? 500
    const retry = fault.retry_after === undefined ? {} : { 'retry-after': String(fault.retry_after) }
    outgoing.writeHead(status, { 'content-type': 'application/json', ...retry }).end(JSON.stringify(failure(status)))
  }
  if (fault.kind === 'wrong_content_type') {
    outgoing.writeHead(200, { 'content-type': 'text/html' }).end('<html><body>upstream is being maintained</body></html>')
  }
  return ['reset_before', 'status', 'wrong_content_type', 'hung'].includes(fault.kind)
}

/** Faults that strike after the effect: the caller cannot know whether it happened. */
async function send(reply: WireReply, outgoing: ServerResponse, fault?: Fault): Promise<void> {
  if (fault?.kind === 'reset_after') {
    outgoing.socket?.resetAndDestroy()
    return
  }
  const body = Buffer.from(reply.body ?? '')
  outgoing.writeHead(reply.status ?? 200, { 'content-length': String(body.length), ...reply.headers })
  if (fault?.kind === 'slow_body') {
    outgoing.write(body.subarray(0, 1))
    await wait(fault.ms ?? 30_000, undefined, { ref: false })
    outgoing.end(body.subarray(1))
    return
  }
  if (fault?.kind === 'truncate') {
    outgoing.write(body.subarray(0, body.length >> 1), () => outgoing.socket?.destroy())
    return
  }
  if (fault?.kind === 'malformed_event') {
    outgoing.end(Buffer.from(body.toString('utf8').replaceAll('"', "'")))
    return
  }
  outgoing.end(body)
}

export function decode(value: string): string {
  try {
    return decodeURIComponent(value)
  } catch {
    return value
  }
}
