import { DomainError } from '@operon/kit/errors'
import { type Reservation, release } from '@operon/kit/meter'
import type { Reserver } from '@operon/kit/reserver'
import type { KitDb } from '@operon/kit/schema'
import type { Logger } from '@operon/kit/telemetry'
import type { Kysely } from 'kysely'
import type { Config } from '../config.ts'
import { chainOf, costMicrousd, estimateTokens, type ModelAlias } from '../registry/models.ts'
import type { AiDb } from '../schema.ts'
import type { Event } from '../upstream/events.ts'
import { openUpstream, type UpstreamStream } from '../upstream/open.ts'
import type { Providers, Target } from '../upstream/providers.ts'
import type { Settler } from '../usage/settler.ts'

export type AnswerDeps = {
  db: Kysely<AiDb & KitDb>
  reserver: Reserver
  providers: Providers
  settler: Settler
  config: Config
  log: Logger
}
export type Question = {
  userId: string
  keyId?: string | null
  feature: string
  /** The name that the caller used. */
  model: string
  /** The chat body as the OpenAI protocol has it, without the model. */
  body: Record<string, unknown> & { messages: unknown[] }
  /** What the activity log will say; nothing where something else says it. */
  command: string
  /** Aborted to end the answer at once; what arrived is kept and paid for. */
  stop?: AbortSignal
  /** Taken earlier, when one reservation holds several answers. */
  reservation?: Reservation
}
/** `raw` is as it came, a character for a byte. */
export type Piece = Pick<Event, 'raw' | 'text' | 'chunk'>
export type Outcome = 'completed' | 'cut' | 'failed' | 'stopped'
export type Counted = { prompt_tokens: number; completion_tokens: number; cost_microusd: number; counted: boolean }

/** How long an answer whose reader has left is still read, so that the provider's own count is booked rather than ours. */
const LEFT_GRACE_MS = 15_000

/** Reserves a prompt, finds who answers, and gives back a stream whose first words are there. */
export async function ask(deps: AnswerDeps, question: Question): Promise<Answer> {
  const chain = chainOf(question.model)
  if (!chain) throw new DomainError('model_unknown', { details: { model: question.model } })
  const startedAt = performance.now()
  const beside = !question.reservation && deps.reserver.isAmple(question.userId)
  const [reservation, stream] = await (beside ? sideBySide : inTurn)(deps, question, chain)
  return new Answer(deps, question, reservation, stream, startedAt)
}

type Begun = [Reservation, UpstreamStream]

/** The reservation first: nobody is asked in vain at the edge of an allowance. */
async function inTurn(deps: AnswerDeps, question: Question, chain: ModelAlias[]): Promise<Begun> {
  const reservation = question.reservation ?? (await reserve(deps, question))
  try {
    return [reservation, await openUpstream(deps, chain, question.body, question.stop)]
  } catch (error) {
    await release(deps.db, reservation)
    throw error
  }
}

/** Where the allowance is ample the provider thinks while the reservation is stored; no word is given out before it is. */
async function sideBySide(deps: AnswerDeps, question: Question, chain: ModelAlias[]): Promise<Begun> {
  const refused = new AbortController()
  const stop = question.stop ? AbortSignal.any([question.stop, refused.signal]) : refused.signal
  const reserving = reserve(deps, question)
  reserving.catch(() => refused.abort())
  const [reserved, opened] = await Promise.allSettled([reserving, openUpstream(deps, chain, question.body, stop)])
  if (reserved.status === 'fulfilled' && opened.status === 'fulfilled') return [reserved.value, opened.value]
  if (opened.status === 'fulfilled') opened.value.abort()
  if (reserved.status === 'rejected') throw reserved.reason
  await release(deps.db, reserved.value)
  throw (opened as PromiseRejectedResult).reason
}

const reserve = ({ reserver, config }: AnswerDeps, { userId, feature }: Question) =>
  reserver.reserve({ userId, feature, holdMs: config.AI_ANSWER_MS + 60_000 })

/** One answer while it arrives. Read `pieces` once; however reading ends, it is booked. */
export class Answer {
  readonly id: string
  readonly alias: string
  readonly target: Target
  content = ''
  citations: string[] = []
  outcome: Outcome | null = null
  firstMs: number | null = null
  ms = 0
  /** Why it was cut, in words for the reader. */
  problem: string | null = null
  readonly #deps: AnswerDeps
  readonly #question: Question
  readonly #reservation: Reservation
  readonly #stream: UpstreamStream
  readonly #startedAt: number
  #reported: { prompt: number; completion: number } | null = null
  #deltas = 0
  #finish: string | null = null

  constructor(deps: AnswerDeps, question: Question, reservation: Reservation, stream: UpstreamStream, startedAt: number) {
    this.id = reservation.id
    this.alias = question.model
    this.target = stream.target
    this.#deps = deps
    this.#question = question
    this.#reservation = reservation
    this.#stream = stream
    this.#startedAt = startedAt
  }

  get usage(): Counted {
    const { model } = this.target
    const counted = this.#reported !== null
    const prompt =
      this.#reported?.prompt ?? estimateTokens(JSON.stringify(this.#question.body.messages).length, this.#question.body.messages.length)
    const completion = this.#reported?.completion ?? this.#deltas
    return { prompt_tokens: prompt, completion_tokens: completion, cost_microusd: costMicrousd(model, prompt, completion), counted }
  }

  /** Those of one packet together, so that what came in one piece can go out in one. Read once. */
  async *pieces(): AsyncGenerator<Piece[]> {
    try {
      for (let batch = await this.#next(); batch; batch = await this.#next()) yield batch
    } finally {
      // Where the reader went away in the middle: read on for a while, then book.
      if (this.outcome) this.#book()
      else void this.#drain()
    }
  }

  /** To its end, for whoever wants it whole. */
  async whole(): Promise<this> {
    for await (const _ of this.pieces());
    return this
  }

  /** What has come since; null once it is over. The outcome is there with the last of it, where the end came along. */
  async #next(): Promise<Piece[] | null> {
    try {
      const batch = this.outcome ? null : await this.#stream.next()
      if (!batch) return this.#over(this.#finish ? 'completed' : 'cut', 'The provider ended the answer before it was finished.')
      const broken = batch.findIndex((event) => event.malformed || event.chunk?.error)
      const good = broken < 0 ? batch : batch.slice(0, broken)
      for (const event of good) this.#observe(event)
      if (broken >= 0) this.#broke(new Error(batch[broken]!.chunk?.error?.message ?? 'an event that is no JSON'))
      else if (this.#stream.isOver && this.#finish) this.#over('completed')
      return good
    } catch (error) {
      return this.#broke(error)
    }
  }

  #broke(error: unknown): null {
    if (this.#question.stop?.aborted) return this.#over('stopped')
    this.#deps.log.warn({ err: error, provider: this.target.provider, model: this.target.upstreamModel }, 'an answer was cut')
    return this.#over('cut', 'The connection to the provider broke while it was answering.')
  }

  #over(outcome: Outcome, problem: string | null = null): null {
    if (this.outcome) return null
    this.outcome = outcome
    if (outcome === 'cut') this.problem = problem
    if (outcome === 'completed') this.target.circuit.succeeded()
    if (outcome === 'cut') this.target.circuit.failed()
    this.#stream.abort()
    return null
  }

  #observe({ done, chunk, words, text }: Event) {
    if (done) this.#finish ??= 'done'
    if (words) this.#heard(words)
    this.content += text
    if (!chunk) return
    this.#finish = chunk.choices?.[0]?.finish_reason ?? this.#finish
    if (chunk.citations?.length) this.citations = chunk.citations
    if (chunk.usage?.completion_tokens !== undefined)
      this.#reported = { prompt: chunk.usage.prompt_tokens ?? 0, completion: chunk.usage.completion_tokens }
  }

  #heard(words: number) {
    this.#deltas += words
    this.firstMs ??= Math.round(performance.now() - this.#startedAt)
  }

  async #drain() {
    const limit = setTimeout(() => this.#stream.abort(), LEFT_GRACE_MS)
    while (await this.#next());
    clearTimeout(limit)
    this.#book()
  }

  #book() {
    this.ms = Math.round(performance.now() - this.#startedAt)
    const { userId, keyId = null, feature, command } = this.#question
    const outcome = this.outcome ?? 'cut'
    this.#deps.settler.add({
      reservation: this.#reservation,
      user_id: userId,
      key_id: keyId,
      feature,
      command,
      model: this.alias,
      answered_by: this.target.upstreamModel,
      status: outcome,
      duration_ms: this.ms,
      ...this.usage,
    })
  }
}
