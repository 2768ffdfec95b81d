/** The head of an answer, checked; what belongs to the connection alone is taken out of `lines`, and its length. */
export type AnswerHead = {
  status: number
  /** The headers as they are passed on. */
  lines: string
  /** As it was declared, whether or not a body follows. */
  length: number | null
  dated: boolean
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

type Kind = 'keep' | 'drop' | 'length' | 'encoding' | 'connection' | 'keep-alive' | 'policy' | 'date'

const kinds = new Map<string, Kind>(
  Object.entries({
    'content-length': 'length',
    'transfer-encoding': 'encoding',
    connection: 'connection',
    'keep-alive': 'keep-alive',
    'content-security-policy': 'policy',
    date: 'date',
  } satisfies Record<string, Kind>),
)
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

const names = new Map<string, Kind>()
// As Node has it: tab, what can be seen, and Latin-1. Lines end with both of their characters, or they are no lines.
const notInHead = /[^\t\r\n\x20-\x7e\x80-\xff]|\r(?!\n)|(?<!\r)\n/

function kindOf(raw: string): Kind {
  const known = names.get(raw)
  if (known) return known
  if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(raw)) throw new BadAnswer('a header name that is none')
  const name = raw.toLowerCase()
  const kind = kinds.get(name) ?? (isDropped(name) ? 'drop' : 'keep')
  if (names.size < 500) names.set(raw, kind)
  return kind
}

/** Reads a head as strictly as a request's would be: what could be framed in two ways is no answer. `text` ends before the empty line. */
export function readAnswerHead(text: string, method: string): AnswerHead {
  if (notInHead.test(text)) throw new BadAnswer('control characters in a head')
  const first = text.indexOf('\r\n')
  const matched = /^HTTP\/1\.([01]) ([1-5]\d\d)(?: |$)/.exec(first === -1 ? text : text.slice(0, first))
  if (!matched) throw new BadAnswer('no status line')
  const status = Number(matched[2])
  let lines = ''
  let length: number | null = null
  let dated = false
  let chunks = false
  let connection = ''
  let keepAliveMs: number | null = null
  let ownPolicy = false
  let at = first === -1 ? text.length : first + 2
  // Bytes are passed on in runs, as they came: this is where the run began.
  let from = at
  while (at < text.length) {
    const found = text.indexOf('\r\n', at)
    const end = found === -1 ? text.length : found
    const colon = text.indexOf(':', at)
    if (colon === -1 || colon >= end) throw new BadAnswer('a header without a name')
    const kind = kindOf(text.slice(at, colon))
    if (kind === 'policy') ownPolicy = true
    else if (kind === 'date') dated = true
    else if (kind !== 'keep') {
      const value = text.slice(colon + 1, end)
      if (kind === 'length') {
        if (length !== null || !/^ *\d{1,15} *$/.test(value)) throw new BadAnswer('a length that is none')
        length = Number(value)
      } else if (kind === 'encoding') {
        if (chunks || value.trim().toLowerCase() !== 'chunked') throw new BadAnswer('an encoding that is not chunks')
        chunks = true
      } else if (kind === 'connection') connection += `,${value.trim().toLowerCase()}`
      else if (kind === 'keep-alive') keepAliveMs = keepAliveOf(value)
      lines += text.slice(from, at)
      from = end + 2
    }
    at = end + 2
  }
  if (from < text.length) lines += `${text.slice(from)}\r\n`
  if (chunks && length !== null) throw new BadAnswer('a length beside chunks')
  if (connection !== '' && connection !== ',keep-alive' && connection !== ',close') lines = withoutNamed(lines, connection)
  const empty = method === 'HEAD' || status < 200 || status === 204 || status === 304
  return {
    status,
    lines,
    length,
    dated,
    framing: empty ? 0 : chunks ? 'chunks' : (length ?? 'close'),
    keepAlive: matched[1] === '1' && !connection.includes('close'),
    keepAliveMs,
    ownPolicy,
  }
}

function keepAliveOf(value: string): number | null {
  const timeout = /timeout=(\d+)/.exec(value)
  return timeout ? Number(timeout[1]) * 1000 : null
}

/** A service may name headers that end with its connection as well. Its policy is meant for the page. */
function withoutNamed(lines: string, connection: string): string {
  const named = new Set(connection.split(',').map((name) => name.trim()))
  named.delete('content-security-policy')
  return lines
    .split(/(?<=\r\n)/)
    .filter((line) => !named.has(line.slice(0, line.indexOf(':')).toLowerCase()))
    .join('')
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
