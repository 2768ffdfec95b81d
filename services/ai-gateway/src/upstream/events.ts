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
export type Event = { raw: string; done: boolean; chunk: Chunk | null; malformed: boolean }

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
  if (data === '[DONE]') return { raw: part, done: true, chunk: null, malformed: false }
  try {
    const chunk = JSON.parse(data)
    if (chunk && typeof chunk === 'object') return { raw: part, done: false, chunk, malformed: false }
  } catch {}
  return { raw: part, done: false, chunk: null, malformed: true }
}

function dataLines(part: string): string | null {
  const lines = part.split('\n').filter((line) => line.startsWith('data:'))
  return lines.length ? lines.map((line) => line.slice(5).trimStart()).join('\n') : null
}
