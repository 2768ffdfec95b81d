export type Chunk = {
  choices?: {
    index?: number
    delta?: { content?: string | null; refusal?: string | null; tool_calls?: unknown[]; annotations?: unknown[]; role?: string }
    logprobs?: { content?: unknown[] | null } | null
    message?: { content?: string | null; tool_calls?: unknown[] }
    finish_reason?: string | null
  }[]
  usage?: { prompt_tokens?: number; completion_tokens?: number; total_tokens?: number } | null
  citations?: string[]
  error?: { message?: string; code?: string | null }
  model?: string
}
export type Event = {
  /** As it came, without its last blank line; a character stands for a byte. */
  raw: string
  done: boolean
  malformed: boolean
  /** The parsed event; null for `[DONE]` and for a run of words. */
  chunk: Chunk | null
  /** How many events stand here: a run of words is told as one. */
  words: number
  text: string
}

/**
 * Server-sent events out of bytes, however they were cut. Most of a stream is the same event over and over with another word in it:
 * once one was opened, those that differ from it in the word alone are known without opening them, and come together as a run.
 */
export class EventReader {
  #rest = ''
  #twin: Twin | null = null

  push(bytes: Buffer): Event[] {
    let text = this.#rest + bytes.toString('latin1')
    if (text.includes('\r')) text = text.replaceAll('\r\n', '\n')
    const events: Event[] = []
    let at = 0
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n', at)) {
      const run = this.#twin && runOf(this.#twin, text, at)
      const event = run ?? this.#open(text.slice(at, end))
      if (event) events.push(event)
      at = run ? at + run.raw.length + 2 : end + 2
    }
    this.#rest = text.slice(at)
    return events
  }

  get isEmpty(): boolean {
    return this.#rest === ''
  }

  /** The rest without its blank line: some servers omit the last one. */
  end(): Event[] {
    const event = this.#rest.trim() ? this.#open(this.#rest) : null
    this.#rest = ''
    return event ? [event] : []
  }

  #open(raw: string): Event | null {
    const data = dataOf(raw)
    if (data === null) return null // a comment, kept by some servers as a heartbeat
    if (data === '[DONE]') return { raw, done: true, malformed: false, chunk: null, words: 0, text: '' }
    const chunk = parseChunk(data)
    const delta = chunk?.choices?.[0]?.delta
    const text = delta?.content ?? ''
    this.#twin = chunk && text ? twinOf(raw, chunk, text) : this.#twin
    return { raw, done: false, malformed: chunk === null, chunk, words: text || delta?.tool_calls?.length ? 1 : 0, text }
  }
}

/** The bytes before and after the word, and between one word and the next. */
type Twin = { head: string; tail: string; between: string }
const CONTENT = '"content":"'

/** Only of an event that is a word and nothing else: whatever equals it around the word says nothing else either. */
function twinOf(raw: string, { choices, usage, error, citations }: Chunk, text: string): Twin | null {
  const { delta, finish_reason, logprobs } = choices![0]!
  if (
    choices!.length > 1 ||
    finish_reason ||
    logprobs?.content ||
    usage ||
    error ||
    citations ||
    delta?.tool_calls ||
    !raw.startsWith('data: {')
  )
    return null
  const from = raw.indexOf(CONTENT) + CONTENT.length
  if (from < CONTENT.length || raw.includes(CONTENT, from) || raw.includes('\n')) return null
  const to = endOfString(raw, from)
  if (unquoted(raw.slice(from, to)) !== text) return null
  const [head, tail] = [raw.slice(0, from), raw.slice(to)]
  return { head, tail, between: `${tail}\n\n${head}` }
}

/** The events from `at` on that are the twin's in everything but their word; null where not even the first is. */
function runOf({ head, tail, between }: Twin, text: string, at: number): Event | null {
  if (!text.startsWith(head, at)) return null
  let said = ''
  let words = 0
  let from = at + head.length
  let over = at
  for (let to = text.indexOf(between, from); to >= 0; to = text.indexOf(between, from)) {
    // Text between the two that is not a word belongs to another event, or ends this one.
    const word = unquoted(text.slice(from, to))
    if (!word) break
    said += word
    words++
    over = to + tail.length
    from = to + between.length
  }
  const end = text.indexOf('\n\n', from)
  const to = end - tail.length
  const last = to > from && text.startsWith(tail, to) ? unquoted(text.slice(from, to)) : null
  if (last) over = end
  else if (!words) return null
  return {
    raw: text.slice(at, over),
    done: false,
    malformed: false,
    chunk: null,
    words: last ? words + 1 : words,
    text: said + (last ?? ''),
  }
}

/** The text between the quotes of a JSON string; null when it is not one string. */
function unquoted(inner: string): string | null {
  if (/^[\x20\x21\x23-\x5b\x5d-\x7e]*$/.test(inner)) return inner
  try {
    const text = JSON.parse(`"${decoded(inner)}"`)
    return typeof text === 'string' ? text : null
  } catch {
    return null
  }
}

function endOfString(raw: string, from: number): number {
  let at = from
  while (at < raw.length && raw[at] !== '"') at += raw[at] === '\\' ? 2 : 1
  return at
}

/** Bytes that were kept as characters, as the text they are. */
const decoded = (bytes: string) => (/[\x80-\xff]/.test(bytes) ? Buffer.from(bytes, 'latin1').toString() : bytes)

function parseChunk(data: string): Chunk | null {
  try {
    const chunk = JSON.parse(decoded(data))
    return chunk && typeof chunk === 'object' ? chunk : null
  } catch {
    return null
  }
}

function dataOf(raw: string): string | null {
  if (raw.startsWith('data: ') && !raw.includes('\n')) return raw.slice(6).trim()
  const lines = raw.split('\n').filter((line) => line.startsWith('data:'))
  return lines.length ? lines.map((line) => line.slice(5).trim()).join('\n') : null
}
