import { setTimeout as wait } from 'node:timers/promises'
import { DomainError } from '@operon/kit/errors'
import { outcomeOf, outcomeOfStatus, type ProviderOutcome, type ProviderWatch } from '@operon/kit/providers'
import { blame, type Logger } from '@operon/kit/telemetry'
import type { Config } from '../config.ts'
import { costMicrousd, type ModelAlias } from '../registry/models.ts'
import { type Event, EventReader } from './events.ts'
import type { Providers, Target } from './providers.ts'
import { Wire } from './wire.ts'

type Deps = { providers: Providers; config: Config; log: Logger; watch: ProviderWatch }

/** Tried again where it was; then the next of the chain. */
export class NotAnswering extends Error {
  readonly again: boolean
  readonly retryAfterMs: number
  readonly outcome: ProviderOutcome
  constructor(message: string, { again = false, retryAfterMs = 0, outcome = 'failed' as ProviderOutcome } = {}) {
    super(message)
    this.again = again
    this.retryAfterMs = retryAfterMs
    this.outcome = outcome
  }
}

const MAX_WAIT_MS = 2000

/** Sums the cost of calls that gave no answer. */
export type Lost = { microusd: number; model: string | null }
export type Asking = {
  /** For whom; only the sandbox is told. */
  userId: string
  chain: ModelAlias[]
  /** The chat body as the OpenAI protocol has it, without the model and the bounds of the answer. */
  body: Record<string, unknown>
  /** The longest answer. */
  outputTokens: number
  /** Of the body, for calls that no provider counts. */
  promptTokens(): number
  lost: Lost
  /** Whether the reservation covers asking this one, beside what was lost. */
  affords(model: ModelAlias): boolean | Promise<boolean>
}

/** Asks each of the chain until one has begun to answer: nobody falls back once the first words are out. */
export async function openUpstream(deps: Deps, asking: Asking, stop?: AbortSignal): Promise<UpstreamStream> {
  const problems: string[] = []
  let failing: Target['provider'] | null = null
  const startedAt = performance.now()
  const beginBy = startedAt + deps.config.AI_BEGIN_MS
  const times = { beginBy, endBy: startedAt + deps.config.AI_ANSWER_MS, idleMs: deps.config.AI_IDLE_MS }
  for (const model of asking.chain) {
    const target = await deps.providers.target(model)
    for (let attempt = 0; attempt < 2; attempt++) {
      if (stop?.aborted) throw new DomainError('answer_stopped')
      if (performance.now() >= beginBy) {
        problems.push('nobody answered in time')
        break
      }
      if (target.circuit.isOpen) {
        problems.push(`${target.provider}: left alone after repeated failures`)
        break
      }
      if (!(await asking.affords(target.model))) {
        problems.push(`${target.provider}: costs more than is left of the budget`)
        break
      }
      const askedAt = performance.now()
      const { provider } = target
      try {
        const stream = await open(target, asking, times, stop)
        deps.watch.saw(provider, 'ok', askedAt)
        return stream
      } catch (error) {
        if (error instanceof DomainError) {
          deps.watch.saw(provider, 'refused', askedAt)
          throw blame(error, provider)
        }
        if (stop?.aborted) throw new DomainError('answer_stopped')
        target.circuit.failed()
        const { message, again, retryAfterMs, outcome } =
          error instanceof NotAnswering
            ? error
            : new NotAnswering((error as Error).message, { again: isConnectionTrouble(error), outcome: outcomeOf(error) })
        failing ??= provider
        problems.push(`${provider}: ${message}`)
        deps.watch.saw(provider, outcome, askedAt)
        const errorCode = `provider_${outcome}`
        deps.log.warn({ provider, errorCode, model: target.upstreamModel, attempt, problem: message }, 'a provider did not answer')
        if (!again || retryAfterMs > MAX_WAIT_MS) break
        await wait(retryAfterMs || 50 + Math.random() * 100)
      }
    }
  }
  throw new DomainError('model_unavailable', { cause: blame(new Error(problems.join('; ')), failing ?? asking.chain[0]!.provider) })
}

type Times = { beginBy: number; endBy: number; idleMs: number }

async function open(target: Target, asking: Asking, times: Times, stop?: AbortSignal): Promise<UpstreamStream> {
  const wire = new Wire()
  const startedAt = performance.now()
  const stream = new UpstreamStream(target, wire, times, stop)
  try {
    target.pool.dispatch(
      {
        method: 'POST',
        path: target.path,
        headers: {
          'content-type': 'application/json',
          accept: 'text/event-stream',
          authorization: target.authorization,
          ...(target.sandbox && { 'x-sandbox-account': asking.userId }),
        },
        body: JSON.stringify(requestOf(target, asking)),
      },
      wire,
    )
    await wire.answered()
    if (wire.status !== 200) throw refusal(wire, await beginningOf(wire).catch(() => ''))
    const type = String(wire.headers['content-type'] ?? '')
    if (!type.startsWith('text/event-stream')) throw new NotAnswering(`answered with ${type || 'no content type'}`)
    await stream.untilFirstWord()
    return stream
  } catch (error) {
    if (isBilled(wire, stream, error, stop)) lose(target.model, asking, performance.now() - startedAt)
    stream.abort()
    throw error
  }
}

/** So few tokens are soon thought away, and no word of an answer is left. */
const THINK_LITTLE_BELOW = 4000

function requestOf(target: Target, { body, outputTokens }: Asking): Record<string, unknown> {
  const { isOpenai, countsUnasked, model, upstreamModel } = target
  const { stream_options: options, ...rest } = body
  return {
    ...(isOpenai && model.thinks && outputTokens < THINK_LITTLE_BELOW && { reasoning_effort: 'low' }),
    ...rest,
    [isOpenai ? 'max_completion_tokens' : 'max_tokens']: outputTokens,
    model: upstreamModel,
    stream: true,
    ...(!countsUnasked && { stream_options: { ...(options as object), include_usage: true } }),
  }
}

/** A call that was refused or reset costs nothing; one that was heard and given up does. */
function isBilled(wire: Wire, stream: UpstreamStream, error: unknown, stop?: AbortSignal): boolean {
  if (wire.status) return wire.status === 200 && String(wire.headers['content-type'] ?? '').startsWith('text/event-stream')
  const isGivenUp = stop?.aborted || stream.isLate || (error as { code?: string }).code === 'UND_ERR_HEADERS_TIMEOUT'
  return wire.sent && Boolean(isGivenUp)
}

/** Nobody says how much was thought before an answer was given up. */
const THOUGHT_TOKENS_PER_S = 60

function lose(model: ModelAlias, { promptTokens, outputTokens, lost }: Asking, ms: number) {
  const thought = model.thinks ? Math.min(outputTokens, Math.ceil((ms / 1000) * THOUGHT_TOKENS_PER_S)) : 0
  lost.microusd += costMicrousd(model, promptTokens(), thought)
  lost.model = model.upstream
}

/** The events of one answer. The holder reads it to its end or aborts it. */
export class UpstreamStream {
  readonly target: Target
  readonly #wire: Wire
  readonly #reader = new EventReader()
  readonly #stop: AbortSignal | undefined
  readonly #abort = () => this.abort()
  readonly #times: Times
  /** Since when an event is waited for; heartbeats are none, and a reader who takes their time waits for none. */
  #waitingSince: number | null = null
  #begun = false
  /** Ended by a deadline of ours. */
  isLate = false
  #place: number
  #early: Event[] = []

  constructor(target: Target, wire: Wire, times: Times, stop?: AbortSignal) {
    this.target = target
    this.#wire = wire
    this.#times = times
    this.#place = reading.push(this) - 1
    this.#stop = stop
    stop?.addEventListener('abort', this.#abort, { once: true })
  }

  /** Those that have come since; null at the end. */
  async next(): Promise<Event[] | null> {
    const early = this.#early
    this.#early = []
    return early.length ? early : this.#read()
  }

  /** Nothing more will come: known with the last events where the end came with them. */
  get isOver(): boolean {
    return this.#wire.isOver && this.#reader.isEmpty && this.#early.length === 0
  }

  /** An answer has begun when it says something, calls a tool or ends properly. Before that, failing costs the reader nothing. */
  async untilFirstWord(): Promise<void> {
    for (;;) {
      const batch = await this.#read()
      if (!batch) throw new NotAnswering('ended without a word', { again: true })
      this.#early.push(...batch)
      for (const event of batch) {
        if (event.words) return this.#begin()
        if (event.done) throw new NotAnswering('answered with nothing', { again: true })
        if (event.malformed) throw new NotAnswering('sent an event that is no JSON', { again: true })
        if (event.chunk?.error) throw new NotAnswering(event.chunk.error.message ?? 'sent an error')
        if (event.chunk?.choices?.[0]?.finish_reason) return this.#begin()
      }
    }
  }

  #begin() {
    this.#begun = true
  }

  abort() {
    this.#tidy()
    this.#wire.abort()
  }

  async #read(): Promise<Event[] | null> {
    this.#waitingSince = performance.now()
    try {
      return await this.#nextEvents()
    } finally {
      this.#waitingSince = null
    }
  }

  async #nextEvents(): Promise<Event[] | null> {
    for (;;) {
      const bytes = await this.#wire.read()
      const events = bytes ? this.#reader.push(bytes) : this.#reader.end()
      if (events.length) return events
      if (bytes) continue
      this.#tidy()
      return null
    }
  }

  abortWhenLate() {
    const now = performance.now()
    const { beginBy, endBy, idleMs } = this.#times
    const isIdle = this.#waitingSince !== null && now - this.#waitingSince > idleMs
    if (!isIdle && now < (this.#begun ? endBy : Math.min(beginBy, endBy))) return
    this.isLate = true
    this.abort()
  }

  /** The last one takes the place that becomes free. */
  #leave() {
    if (this.#place < 0) return
    const last = reading.pop()!
    if (last !== this) {
      reading[this.#place] = last
      last.#place = this.#place
    }
    this.#place = -1
  }

  #tidy() {
    this.#leave()
    this.#stop?.removeEventListener('abort', this.#abort)
  }
}

// All that are being read, each at its own place: what is emptied this often is no Map, whose old tables would keep alive what they held.
const reading: UpstreamStream[] = []
// A look every second instead of a timer an answer: setting and clearing one costs more than it seems.
setInterval(() => {
  for (const stream of [...reading]) stream.abortWhenLate()
}, 1000).unref()

const SAID = 4096
/** The beginning of what a refusal says. */
async function beginningOf(wire: Wire): Promise<string> {
  let text = ''
  for (let bytes = await wire.read(); bytes && text.length < SAID; bytes = await wire.read()) text += bytes.toString()
  return text.slice(0, SAID)
}

export function refusal({ status, headers }: Pick<Wire, 'status' | 'headers'>, said: string): Error {
  if (status === 429)
    return new NotAnswering('is limiting us', { again: true, retryAfterMs: retryAfter(headers['retry-after']), outcome: 'limited' })
  if (status >= 500) return new NotAnswering(`failed with ${status}`, { again: true })
  // The question itself is refused: another model would be asked the same.
  if (status === 400 || status === 413 || status === 422)
    return new DomainError('model_refused', refusedFor(said, `The provider refused the request with ${status}.`))
  return new NotAnswering(`refused with ${status}`, { outcome: outcomeOfStatus(status) })
}

function refusedFor(said: string, otherwise: string): { cause: Error; details?: object } {
  try {
    // Google's is a list, and names what it does not know in its sentence.
    const [{ error }] = [JSON.parse(said)].flat()
    const message = error.message ?? otherwise
    const param = error.param ?? /^Invalid JSON payload received\. Unknown name "(\w+)"/.exec(message)?.[1]
    return { cause: new Error(message), ...(typeof param === 'string' && { details: { param } }) }
  } catch {
    return { cause: new Error(otherwise) }
  }
}

function retryAfter(header: string | string[] | undefined): number {
  const seconds = Number(Array.isArray(header) ? header[0] : header)
  return Number.isFinite(seconds) && seconds > 0 ? seconds * 1000 : 0
}

export const isConnectionTrouble = (error: unknown) =>
  ['ECONNRESET', 'ECONNREFUSED', 'EPIPE', 'UND_ERR_SOCKET', 'UND_ERR_CONNECT_TIMEOUT'].includes((error as { code?: string }).code ?? '')
