import { randomBytes, randomFillSync } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { asAuthError, authErrorAnswer } from '@operon/kit/auth-errors'
import type { DomainError } from '@operon/kit/errors'
import { errorBody } from '@operon/kit/http'
import type { Quota } from '@operon/kit/limits'
import type { Span } from '@operon/kit/tracing'
import { isSmall, isUploading } from './body.ts'
import type { Fixed, RawHeaders } from './headers.ts'

/** One request while the gateway has it. */
export type Call = {
  request: IncomingMessage
  response: ServerResponse
  id: string
  path: string
  query: string
  /** Its header lines that are passed on. */
  lines: string
  client: string
  /** The route for the metrics: known paths only, so that strangers cannot make labels. */
  label: string
  startedAt: number
  /** Headers that every answer to this call carries, and the limit that it was counted against. */
  fixed: Fixed
  quota: Quota | null
  waitsForContinue: boolean
  /** Told when the answer is out or the caller has gone. */
  onClose: (() => void) | null
  /** This step of the trace, where traces are kept. */
  span: Span | null
  /** The trace sent along to the service and the owner of the request, once they are known; the log names both. */
  trace: string | null
  tenant: string | null
}

const boot = randomBytes(5).toString('hex')
let count = 0

/** The caller's own id when it is a plain one, else one that names this process and the request. */
export function requestId(given: string | string[] | undefined): string {
  if (typeof given === 'string' && /^[\w-]{8,64}$/.test(given)) return given
  count += 1
  return `${boot}-${count.toString(36)}`
}

const pool = Buffer.alloc(4096)
let used = pool.length
function randomHex(bytes: number): string {
  if (used + bytes > pool.length) {
    randomFillSync(pool)
    used = 0
  }
  used += bytes
  return pool.toString('hex', used - bytes, used)
}

/** The same trace, one step further. As the kit's, with fewer calls for randomness. */
export function stepTrace(header: string | string[] | undefined): string {
  const parent = typeof header === 'string' && header.length === 55 && /^00-([0-9a-f]{32})-[0-9a-f]{16}-([0-9a-f]{2})$/.exec(header)
  if (parent) return `00-${parent[1]}-${randomHex(8)}-${parent[2]}`
  const hex = randomHex(24)
  return `00-${hex.slice(0, 32)}-${hex.slice(32)}-01`
}

export function givenPairs({ id, fixed, quota }: Call): RawHeaders {
  const pairs = ['x-request-id', id, ...fixed.pairs]
  if (quota) pairs.push('ratelimit-policy', quota.policy, 'ratelimit', quota.state)
  return pairs
}

export const givenLines = ({ id, fixed, quota }: Call): string =>
  quota
    ? `x-request-id: ${id}\r\n${fixed.lines}ratelimit-policy: ${quota.policy}\r\nratelimit: ${quota.state}\r\n`
    : `x-request-id: ${id}\r\n${fixed.lines}`

export function answerJson(call: Call, status: number, body: unknown, extra: RawHeaders = [], type = 'application/json; charset=utf-8') {
  send(call, status, JSON.stringify(body), [...extra, 'content-type', type, 'cache-control', 'no-store'])
}

/** A refusal in the shape of the path's protocol. */
export function refuse(call: Call, thrown: DomainError) {
  const { request, response } = call
  const auth = call.path.startsWith('/auth/v1')
  const error = auth ? asAuthError(thrown) : thrown
  if (response.destroyed) return
  // Too late for an error: a cut answer must not end as if it were whole.
  if (response.headersSent) return void response.destroy()
  const version = request.headers['x-supabase-api-version']
  const { body, headers } = auth
    ? authErrorAnswer(error, typeof version === 'string' ? version : undefined)
    : { body: errorBody(call.path, error, call.id), headers: {} }
  const extra: RawHeaders = []
  for (const [name, value] of Object.entries({ ...error.headers, ...headers })) extra.push(name, value)
  const type = body.type === 'about:blank' ? 'application/problem+json; charset=utf-8' : 'application/json; charset=utf-8'
  answerJson(call, error.status, body, extra, type)
}

export function send(call: Call, status: number, body: string | Buffer, headers: RawHeaders) {
  const { request, response } = call
  const length = status === 204 || status === 304 ? [] : ['content-length', String(Buffer.byteLength(body))]
  // Of a small body the rest is read and the connection lives on; of a large one it is let go, and the connection with it.
  if (isUploading(request)) request.resume()
  if (isUploading(request) && !isSmall(request)) response.shouldKeepAlive = false
  response.writeHead(status, [...givenPairs(call), ...headers, ...length])
  if (request.method === 'HEAD') response.end()
  else response.end(body)
}
