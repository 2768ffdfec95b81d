import type { IncomingMessage } from 'node:http'
import type { KitConfig } from '@operon/kit/config'
import type { GatewaySettings } from './settings.ts'

/** Flat, as Node writes them: name, value, name, value. */
export type RawHeaders = string[]
/** Headers that many answers share: as pairs for Node, and as the lines that they are in a head. */
export type Fixed = { pairs: RawHeaders; lines: string }

export function fixed(...pairs: RawHeaders): Fixed {
  let lines = ''
  for (let i = 0; i < pairs.length; i += 2) lines += `${pairs[i]}: ${pairs[i + 1]}\r\n`
  return { pairs, lines }
}
export const nothingFixed = fixed()

// Meant for one connection, said anew by the gateway, or nobody's business from outside.
const notForwarded = [
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'http2-settings',
  'expect',
  'forwarded',
  'x-real-ip',
  'x-request-id',
  'traceparent',
  'tracestate',
]
// Headers that must come once: two of them could be read in two ways. Each has its bit.
const single = [
  'host',
  'content-length',
  'transfer-encoding',
  'authorization',
  'apikey',
  'content-type',
  'idempotency-key',
  'range',
  'expect',
  'origin',
]

type Kind = { name: string; passes: boolean; bit: number }
const kinds = new Map<string, Kind>()

// Asked for every header of every request, by the name as it was written; the names are few, and those that strangers make up are not kept for ever.
function kindOf(raw: string): Kind {
  const known = kinds.get(raw)
  if (known) return known
  const name = raw.toLowerCase()
  const kind = { name, passes: !isStripped(name), bit: single.includes(name) ? 1 << single.indexOf(name) : 0 }
  if (kinds.size < 500) kinds.set(raw, kind)
  return kind
}

const isStripped = (name: string) => notForwarded.includes(name) || name.startsWith('x-forwarded-') || name.startsWith('x-operon-')

// Far below what Node reads: of a longer list it would read the first ones only, without a word.
const MAX_HEADERS = 200

/** The header lines that a service gets of a request, without what the gateway tells it. Null where two parties could read them differently. */
export function readLines({ headers, rawHeaders, httpVersion }: IncomingMessage): string | null {
  const encoding = headers['transfer-encoding']
  if (encoding !== undefined && encoding.toLowerCase() !== 'chunked') return null
  // Chunks came with HTTP/1.1: an older party in between has not seen them, and read the body in another way.
  if (encoding !== undefined && (headers['content-length'] !== undefined || httpVersion !== '1.1')) return null
  if ((headers.host && !isHost(headers.host)) || rawHeaders.length > MAX_HEADERS * 2) return null
  const named = namedByConnection(headers.connection)
  let lines = ''
  let seen = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const { name, passes, bit } = kindOf(rawHeaders[i]!)
    if (seen & bit) return null
    seen |= bit
    if (passes && !named?.has(name)) lines += `${name}: ${rawHeaders[i + 1]}\r\n`
  }
  return lines
}
const host = /^(?:[\w.~-]+|\[[\da-f:.]+\])(?::\d*)?$/i
export const isHost = (text: string): boolean => host.test(text)

export type Told = { client: string; proto: string; host: string; requestId: string; traceparent: string }

/** Headers from the gateway to a service on another connection. They come first, so they are read, whatever a caller sends. */
export const toldLines = ({ client, proto, host, requestId, traceparent }: Told): string =>
  `x-forwarded-for: ${client}\r\nx-forwarded-proto: ${proto}\r\nx-forwarded-host: ${host}\r\nx-request-id: ${requestId}\r\ntraceparent: ${traceparent}\r\n`

/** Both for a service in this process, which is handed the request itself. */
export function rewriteHeaders(request: IncomingMessage, told: Told) {
  const { headers } = request
  const named = namedByConnection(headers.connection)
  for (const name in headers) {
    // Fastify reads the framing of the body from here.
    if (name !== 'transfer-encoding' && (!kindOf(name).passes || named?.has(name))) delete headers[name]
  }
  headers['x-forwarded-for'] = told.client
  headers['x-forwarded-proto'] = told.proto
  headers['x-forwarded-host'] = told.host
  headers['x-request-id'] = told.requestId
  headers.traceparent = told.traceparent
}

// A client may name headers that end here, but not those that decide who it is, where its body ends and whether it may be sent again.
const neverNamed = new Set([
  'host',
  'authorization',
  'apikey',
  'content-length',
  'content-type',
  'transfer-encoding',
  'origin',
  'idempotency-key',
])

function namedByConnection(connection: string | undefined): Set<string> | null {
  if (connection === undefined || connection === 'keep-alive' || connection === 'close') return null
  return new Set(
    connection
      .split(',')
      .map((name) => name.trim().toLowerCase())
      .filter((name) => !neverNamed.has(name)),
  )
}

/** Built once: what each kind of answer always carries. */
export function securityHeaders(config: KitConfig, inlineScripts: string[] = []) {
  const live = config.PUBLIC_URL.replace(/^http/, 'ws')
  const page = [
    "default-src 'self'",
    ["script-src 'self'", ...inlineScripts].join(' '),
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "media-src 'self' data: blob:",
    "font-src 'self' data:",
    `connect-src 'self' ${live}`,
    "worker-src 'self' blob:",
    "manifest-src 'self'",
    "frame-ancestors 'none'",
    "object-src 'none'",
    "base-uri 'self'",
    // A storefront's form redirects to the payment page, and browsers hold redirects to this as well.
    "form-action 'self' https://checkout.stripe.com",
  ].join('; ')
  const always: RawHeaders = ['x-content-type-options', 'nosniff', 'referrer-policy', 'strict-origin-when-cross-origin']
  if (config.PUBLIC_URL.startsWith('https:')) always.push('strict-transport-security', 'max-age=31536000; includeSubDomains')
  const shared: RawHeaders = [
    'permissions-policy',
    'camera=(), geolocation=(), payment=(), usb=(), microphone=(self)',
    'x-frame-options',
    'DENY',
  ]
  const pages: RawHeaders = [...shared, 'cross-origin-opener-policy', 'same-origin-allow-popups']
  return {
    always,
    apiPolicy: "default-src 'none'; frame-ancestors 'none'",
    /** Files of users run nothing, wherever they are opened. */
    filePolicy: "default-src 'none'; img-src 'self'; media-src 'self'; style-src 'unsafe-inline'; sandbox; frame-ancestors 'none'",
    page: fixed(...always, ...pages, 'content-security-policy', page),
    /** Where a connected app sends the window back to: it stays the window that our page opened, so that it can close itself. */
    returning: fixed(...always, ...shared, 'content-security-policy', page),
    /** A worker's policy comes with its own file: it alone may run WebAssembly, which pages may not. */
    worker: fixed(
      ...always,
      ...pages,
      'content-security-policy',
      page.replace("script-src 'self'", "script-src 'self' 'wasm-unsafe-eval'"),
    ),
    docs: fixed(...always, ...pages),
  }
}

const allowedHeaders =
  'apikey, authorization, content-type, x-client-info, x-supabase-api-version, prefer, range, accept-profile, content-profile, idempotency-key, x-request-id, x-retry-count, traceparent, tus-resumable, upload-length, upload-offset, upload-metadata, mcp-session-id, mcp-protocol-version, last-event-id'
const exposedHeaders =
  'content-range, content-location, content-disposition, location, retry-after, www-authenticate, ratelimit, ratelimit-policy, x-request-id, x-total-count, link, x-supabase-api-version, tus-resumable, tus-version, tus-extension, tus-max-size, upload-offset, upload-length, upload-expires, mcp-session-id, mcp-protocol-version'

/**
 * Every answer of the API carries these. Any origin may call it, without credentials: there are no cookies to misuse.
 * An allow-list names origins instead.
 */
export function apiHeaders(settings: GatewaySettings, always: RawHeaders) {
  const allowing = (origin: string) => [...always, 'access-control-allow-origin', origin, 'access-control-expose-headers', exposedHeaders]
  const anyone = settings.CORS_ORIGINS.includes('*') ? fixed(...allowing('*')) : null
  const allowed = new Map(settings.CORS_ORIGINS.map((origin) => [origin, fixed(...allowing(origin), 'vary', 'origin')]))
  const refused = fixed(...always, 'vary', 'origin')
  return {
    forOrigin: (origin: string | undefined): Fixed => anyone ?? ((origin && allowed.get(origin)) || refused),
    /** Extra headers for a preflight's answer. */
    preflight: (allow: string): RawHeaders => [
      'access-control-allow-headers',
      allowedHeaders,
      'access-control-max-age',
      '7200',
      'access-control-allow-methods',
      allow,
    ],
  }
}
