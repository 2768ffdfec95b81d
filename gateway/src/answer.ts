import type { RawHeaders } from './headers.ts'

/** The head of an answer, checked; what belongs to the connection alone is taken out of `headers`. */
export type AnswerHead = {
  status: number
  /** Names in lower case. */
  headers: RawHeaders
  /** How the body ends: after so many bytes, by chunks, or with the connection. */
  framing: number | 'chunks' | 'close'
  keepAlive: boolean
  /** How long the service says it keeps an idle connection. */
  keepAliveMs: number | null
  ownPolicy: boolean
}

export class BadAnswer extends Error {
  override name = 'BadAnswer'
}

type Kind = 'keep' | 'drop' | 'length' | 'encoding' | 'connection' | 'keep-alive' | 'policy'
type Known = { name: string; kind: Kind }

const kinds: Record<string, Kind> = {
  'content-length': 'length',
  'transfer-encoding': 'encoding',
  connection: 'connection',
  'keep-alive': 'keep-alive',
  'content-security-policy': 'policy',
}
const dropped = new Set([
  'proxy-authenticate',
  'proxy-connection',
  'te',
  'trailer',
  'upgrade',
  'server',
  'x-powered-by',
  'x-request-id',
  'strict-transport-security',
  'x-content-type-options',
  'referrer-policy',
  'permissions-policy',
  'cross-origin-opener-policy',
  'ratelimit',
  'ratelimit-policy',
])
const isDropped = (name: string) => dropped.has(name) || name.startsWith('access-control-') || name.startsWith('x-operon-')

const names = new Map<string, Known>()

function knownOf(raw: string): Known {
  const known = names.get(raw)
  if (known) return known
  if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(raw)) throw new BadAnswer('a header name that is none')
  const name = raw.toLowerCase()
  const made: Known = { name, kind: kinds[name] ?? (isDropped(name) ? 'drop' : 'keep') }
  if (names.size < 500) names.set(raw, made)
  return made
}

/** Reads a head as strictly as a request's would be: what could be framed in two ways is no answer. `text` ends before the empty line. */
export function readAnswerHead(text: string, method: string): AnswerHead {
  const first = text.indexOf('\r\n')
  const line = first === -1 ? text : text.slice(0, first)
  const matched = /^HTTP\/1\.([01]) ([1-5]\d\d)(?: |$)/.exec(line)
  if (!matched) throw new BadAnswer('no status line')
  const status = Number(matched[2])
  const headers: RawHeaders = []
  let length = -1
  let chunks = false
  let connection = ''
  let keepAliveMs: number | null = null
  let ownPolicy = false
  let at = first === -1 ? text.length : first + 2
  while (at < text.length) {
    let end = text.indexOf('\r\n', at)
    if (end === -1) end = text.length
    const colon = text.indexOf(':', at)
    if (colon === -1 || colon >= end) throw new BadAnswer('a header without a name')
    const { name, kind } = knownOf(text.slice(at, colon))
    const value = text.slice(text.charCodeAt(colon + 1) === 32 ? colon + 2 : colon + 1, end).trim()
    at = end + 2
    if (kind === 'drop') continue
    if (kind === 'encoding') {
      if (chunks || value.toLowerCase() !== 'chunked') throw new BadAnswer('an encoding that is not chunks')
      chunks = true
      continue
    }
    if (kind === 'connection') {
      connection += `,${value.toLowerCase()}`
      continue
    }
    if (kind === 'keep-alive') {
      const timeout = /timeout=(\d+)/.exec(value)
      if (timeout) keepAliveMs = Number(timeout[1]) * 1000
      continue
    }
    if (kind === 'length') {
      if (length !== -1 || !/^\d{1,15}$/.test(value)) throw new BadAnswer('a length that is none')
      length = Number(value)
    }
    if (kind === 'policy') ownPolicy = true
    headers.push(name, value)
  }
  if (chunks && length !== -1) throw new BadAnswer('a length beside chunks')
  const keepAlive = matched[1] === '1' && !connection.includes('close')
  const empty = method === 'HEAD' || status < 200 || status === 204 || status === 304
  return { status, headers, framing: empty ? 0 : chunks ? 'chunks' : length === -1 ? 'close' : length, keepAlive, keepAliveMs, ownPolicy }
}

const MAX_LINE_BYTES = 4096
const MAX_TRAILER_BYTES = 16 * 1024

/** Takes chunks apart, wherever the pieces of the stream are cut. */
export class ChunkReader {
  #state: 'size' | 'data' | 'after' | 'trailers' | 'done' = 'size'
  #left = 0
  #line = ''
  #trailerBytes = 0

  get done(): boolean {
    return this.#state === 'done'
  }

  /** Hands on what is data, and returns where the body ended in `piece`, or its length when it goes on. */
  read(piece: Buffer, onData: (part: Buffer) => void): number {
    let at = 0
    while (at < piece.length && this.#state !== 'done') {
      if (this.#state === 'data') {
        const take = Math.min(this.#left, piece.length - at)
        onData(piece.subarray(at, at + take))
        at += take
        this.#left -= take
        if (this.#left === 0) this.#state = 'after'
        continue
      }
      const end = piece.indexOf(10, at)
      this.#line += piece.toString('latin1', at, end === -1 ? piece.length : end)
      if (this.#line.length > MAX_LINE_BYTES) throw new BadAnswer('a chunk head without end')
      if (end === -1) return piece.length
      at = end + 1
      if (!this.#line.endsWith('\r')) throw new BadAnswer('a bare line feed')
      this.#onLine(this.#line.slice(0, -1))
      this.#line = ''
    }
    return at
  }

  #onLine(line: string) {
    if (this.#state === 'after') {
      if (line !== '') throw new BadAnswer('a chunk longer than its size')
      this.#state = 'size'
      return
    }
    if (this.#state === 'trailers') {
      this.#trailerBytes += line.length
      if (this.#trailerBytes > MAX_TRAILER_BYTES) throw new BadAnswer('trailers without end')
      if (line === '') this.#state = 'done'
      return
    }
    const size = /^([0-9a-f]{1,12})[ \t]*(?:;|$)/i.exec(line)
    if (!size) throw new BadAnswer('a chunk size that is no number')
    this.#left = Number.parseInt(size[1]!, 16)
    this.#state = this.#left === 0 ? 'trailers' : 'data'
  }
}
