import type { Readable } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import { DomainError } from '@operon/kit/errors'
import type { Logger } from '@operon/kit/telemetry'
import type { Config } from '../config.ts'
import type { ModelAlias } from '../registry/models.ts'
import { type Event, EventReader } from './events.ts'
import type { Providers, Target } from './providers.ts'

export type UpstreamStream = {
  target: Target
  /** As they came over the wire: those of one packet together. */
  batches(): AsyncGenerator<Event[]>
  abort(): void
}
type Deps = { providers: Providers; config: Config; log: Logger }

/** Tried again where it was; then the next of the chain. */
class NotAnswering extends Error {
  readonly again: boolean
  readonly retryAfterMs: number
  constructor(message: string, { again = false, retryAfterMs = 0 } = {}) {
    super(message)
    this.again = again
    this.retryAfterMs = retryAfterMs
  }
}

const MAX_WAIT_MS = 2000

/** Asks each of the chain until one has begun to answer: nobody falls back once the first words are out. */
export async function openUpstream(
  deps: Deps,
  chain: ModelAlias[],
  body: Record<string, unknown>,
  stop?: AbortSignal,
): Promise<UpstreamStream> {
  const problems: string[] = []
  for (const model of chain) {
    const target = await deps.providers.target(model)
    for (let attempt = 0; attempt < 2; attempt++) {
      if (stop?.aborted) throw new DomainError('model_unavailable', { message: 'Stopped before the answer began.' })
      if (target.circuit.isOpen) {
        problems.push(`${target.provider}: left alone after repeated failures`)
        break
      }
      try {
        return await open(deps, target, body, stop)
      } catch (error) {
        if (error instanceof DomainError) throw error
        target.circuit.failed()
        const { message, again, retryAfterMs } =
          error instanceof NotAnswering ? error : new NotAnswering((error as Error).message, { again: isConnectionTrouble(error) })
        problems.push(`${target.provider}: ${message}`)
        deps.log.warn({ provider: target.provider, model: target.upstreamModel, attempt, problem: message }, 'a provider did not answer')
        if (!again || retryAfterMs > MAX_WAIT_MS) break
        await wait(retryAfterMs || 50 + Math.random() * 100)
      }
    }
  }
  throw new DomainError('model_unavailable', { cause: new Error(problems.join('; ')), details: { tried: problems } })
}

async function open({ config }: Deps, target: Target, body: Record<string, unknown>, stop?: AbortSignal): Promise<UpstreamStream> {
  const gone = new AbortController()
  const abort = () => gone.abort(new Error('aborted'))
  stop?.addEventListener('abort', abort, { once: true })
  const deadline = setTimeout(abort, config.AI_ANSWER_MS)
  const tidy = () => {
    clearTimeout(deadline)
    stop?.removeEventListener('abort', abort)
  }
  try {
    const response = await target.pool.request({
      method: 'POST',
      path: target.path,
      headers: { 'content-type': 'application/json', accept: 'text/event-stream', authorization: target.authorization },
      body: JSON.stringify({ ...body, model: target.upstreamModel, stream: true, stream_options: { include_usage: true } }),
      signal: gone.signal,
    })
    if (response.statusCode !== 200) throw await refusal(response.statusCode, response.headers, response.body)
    const type = String(response.headers['content-type'] ?? '')
    if (!type.startsWith('text/event-stream')) {
      response.body.destroy()
      throw new NotAnswering(`answered with ${type || 'no content type'}`)
    }
    const source = eventsOf(response.body)
    const early = await untilFirstWord(source)
    return {
      target,
      abort,
      async *batches() {
        try {
          yield early
          yield* source
        } finally {
          tidy()
          response.body.destroy()
        }
      },
    }
  } catch (error) {
    tidy()
    gone.abort()
    throw error
  }
}

async function* eventsOf(body: Readable): AsyncGenerator<Event[]> {
  const reader = new EventReader()
  for await (const bytes of body) yield reader.push(bytes)
  yield reader.end()
}

/** An answer has begun when it says something, calls a tool or ends properly. Before that, failing costs the reader nothing. */
async function untilFirstWord(source: AsyncGenerator<Event[]>): Promise<Event[]> {
  const early: Event[] = []
  for (;;) {
    const { value: batch, done } = await source.next()
    if (done) throw new NotAnswering('ended without a word', { again: true })
    early.push(...batch)
    for (const event of batch) {
      if (event.plain && !event.raw.includes('"content":""')) return early
      if (event.done) throw new NotAnswering('answered with nothing', { again: true })
      if (event.malformed) throw new NotAnswering('sent an event that is no JSON', { again: true })
      if (event.chunk?.error) throw new NotAnswering(event.chunk.error.message ?? 'sent an error')
      const choice = event.chunk?.choices?.[0]
      if (choice?.delta?.content || choice?.delta?.tool_calls?.length || choice?.finish_reason) return early
    }
  }
}

async function refusal(
  status: number,
  headers: Record<string, string | string[] | undefined>,
  body: { text(): Promise<string> },
): Promise<Error> {
  const said = (await body.text().catch(() => '')).slice(0, 500)
  if (status === 429) return new NotAnswering('is limiting us', { again: true, retryAfterMs: retryAfter(headers['retry-after']) })
  if (status >= 500) return new NotAnswering(`failed with ${status}`, { again: true })
  // The question itself is refused: another model would be asked the same.
  if (status === 400 || status === 413 || status === 422)
    return new DomainError('invalid', { message: messageOf(said) ?? 'The provider refused the request.' })
  return new NotAnswering(`refused with ${status}`)
}

function messageOf(said: string): string | null {
  try {
    return JSON.parse(said).error?.message ?? null
  } catch {
    return null
  }
}

function retryAfter(header: string | string[] | undefined): number {
  const seconds = Number(Array.isArray(header) ? header[0] : header)
  return Number.isFinite(seconds) && seconds > 0 ? seconds * 1000 : 0
}

const isConnectionTrouble = (error: unknown) =>
  ['ECONNRESET', 'ECONNREFUSED', 'EPIPE', 'UND_ERR_SOCKET', 'UND_ERR_CONNECT_TIMEOUT'].includes((error as { code?: string }).code ?? '')
