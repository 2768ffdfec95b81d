import { StringDecoder } from 'node:string_decoder'

export type Chunk = {
  choices?: {
    index?: number
    delta?: { content?: string | null; tool_calls?: unknown[]; role?: string }
    message?: { content?: string | null; tool_calls?: unknown[] }
    finish_reason?: string | null
  }[]
  usage?: { prompt_tokens?: number; completion_tokens?: number } | null
  citations?: string[]
  error?: { message?: string; code?: string | null }
  model?: string
}
export type Event = {
  raw: string
  done: boolean
  chunk: Chunk | null
  malformed: boolean
  /** A piece of text and nothing else, seen without parsing: most of a stream is these, and who only passes them on need not open them. */
  plain: boolean
}

/** Server-sent events out of bytes, however they were cut. */
export class EventReader {
  #decoder = new StringDecoder('utf8')
  #rest = ''

  push(bytes: Buffer): Event[] {
    const text = this.#rest + this.#decoder.write(bytes)
    const parts = text.includes('\r') ? text.replaceAll('\r\n', '\n').split('\n\n') : text.split('\n\n')
    this.#rest = parts.pop()!
    const events: Event[] = []
    for (const part of parts) {
      const event = parse(part)
      if (event) events.push(event)
    }
    return events
  }

  /** What was left without its blank line: some servers forget the last one. */
  end(): Event[] {
    const event = this.#rest.trim() ? parse(this.#rest) : null
    this.#rest = ''
    return event ? [event] : []
  }
}

function parse(part: string): Event | null {
  let data = part.startsWith('data: ') && part.indexOf('\n') < 0 ? part.slice(6) : dataLines(part)
  if (data === null) return null // a comment, kept by some servers as a heartbeat
  data = data.trim()
  if (data === '[DONE]') return { raw: part, done: true, chunk: null, malformed: false, plain: false }
  return new Data(part, data)
}

/** Opened when somebody looks. */
class Data implements Event {
  readonly raw: string
  readonly done = false
  readonly plain: boolean
  readonly #data: string
  #chunk: Chunk | null | undefined

  constructor(raw: string, data: string) {
    this.raw = raw
    this.#data = data
    this.plain = isPlain(data)
  }

  get chunk(): Chunk | null {
    if (this.#chunk === undefined) this.#chunk = parseChunk(this.#data)
    return this.#chunk
  }

  get malformed(): boolean {
    return this.chunk === null
  }
}

const isPlain = (data: string) =>
  data.startsWith('{') &&
  data.endsWith('}') &&
  data.includes('"content":"') &&
  data.includes('"finish_reason":null') &&
  !/"(usage":\{|error"|citations"|tool_calls")/.test(data)

function parseChunk(data: string): Chunk | null {
  try {
    const chunk = JSON.parse(data)
    return chunk && typeof chunk === 'object' ? chunk : null
  } catch {
    return null
  }
}

function dataLines(part: string): string | null {
  const lines = part.split('\n').filter((line) => line.startsWith('data:'))
  return lines.length ? lines.map((line) => line.slice(5).trimStart()).join('\n') : null
}
