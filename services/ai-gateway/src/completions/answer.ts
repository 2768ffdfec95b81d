import { DomainError } from '@operon/kit/errors'
import { type Reservation, type Reserver, release } from '@operon/kit/meter'
import type { KitDb } from '@operon/kit/schema'
import type { Logger } from '@operon/kit/telemetry'
import type { Kysely } from 'kysely'
import type { Config } from '../config.ts'
import { chainOf, costMicrousd, estimateTokens } from '../registry/models.ts'
import type { AiDb } from '../schema.ts'
import type { Chunk } from '../upstream/events.ts'
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
  /** What the activity log will say. */
  command: string
  /** Aborted to end the answer at once; what arrived is kept and paid for. */
  stop?: AbortSignal
  /** Its bytes are passed on as they are: nobody here reads the text. */
  passOn?: boolean
  /** Taken earlier, when one reservation holds several answers. */
  reservation?: Reservation
}
export type Piece = { raw: string; text: string; chunk: Chunk | null }
export type Outcome = 'completed' | 'cut' | 'failed' | 'stopped'
export type Counted = { prompt_tokens: number; completion_tokens: number; cost_microusd: number; counted: boolean }

/** How long an answer whose reader has left is still read, so that the provider's own count is booked rather than ours. */
const LEFT_GRACE_MS = 15_000

/** Reserves a prompt, finds who answers, and gives back a stream whose first words are there. */
export async function ask(deps: AnswerDeps, question: Question): Promise<Answer> {
  const chain = chainOf(question.model)
  if (!chain) throw new DomainError('model_unknown', { details: { model: question.model } })
  const { userId, feature } = question
  const reservation = question.reservation ?? (await deps.reserver.reserve({ userId, feature, holdMs: deps.config.AI_ANSWER_MS + 60_000 }))
  const startedAt = performance.now()
  try {
    const stream = await openUpstream(deps, chain, question.body, question.stop)
    return new Answer(deps, question, reservation, stream, startedAt)
  } catch (error) {
    await release(deps.db, reservation)
    throw error
  }
}

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
    const reading = this.#read()
    let finished = false
    try {
      for (;;) {
        const next = await reading.next()
        if (next.done) break
        yield next.value
      }
      finished = true
    } finally {
      // The reader went away in the middle: read on for a while, then book.
      if (finished) this.#book()
      else void this.#drain(reading)
    }
  }

  /** To its end, for whoever wants it whole. */
  async whole(): Promise<this> {
    for await (const _ of this.pieces());
    return this
  }

  async *#read(): AsyncGenerator<Piece[]> {
    let finish: string | null = null
    try {
      for await (const batch of this.#stream.batches()) {
        const pieces: Piece[] = []
        let broken: Error | null = null
        for (const event of batch) {
          const { raw } = event
          if (event.done) {
            finish ??= 'done'
            pieces.push({ raw, text: '', chunk: null })
          } else if (this.#question.passOn && event.plain) {
            this.#heard()
            pieces.push({ raw, text: '', chunk: null })
          } else if (event.malformed || event.chunk!.error) {
            broken = new Error(event.chunk?.error?.message ?? 'an event that is no JSON')
            break
          } else {
            const chunk = event.chunk!
            finish = chunk.choices?.[0]?.finish_reason ?? finish
            pieces.push({ raw, text: this.#observe(chunk), chunk })
          }
        }
        if (pieces.length) yield pieces
        if (broken) throw broken
      }
      this.outcome = finish ? 'completed' : 'cut'
      if (!finish) this.problem = 'The provider ended the answer before it was finished.'
    } catch (error) {
      const stopped = this.#question.stop?.aborted
      this.outcome = stopped ? 'stopped' : 'cut'
      if (!stopped) {
        this.problem = 'The connection to the provider broke while it was answering.'
        this.#deps.log.warn({ err: error, provider: this.target.provider, model: this.target.upstreamModel }, 'an answer was cut')
      }
    }
    if (this.outcome === 'completed') this.target.circuit.succeeded()
    if (this.outcome === 'cut') this.target.circuit.failed()
  }

  #observe(chunk: Chunk): string {
    const delta = chunk.choices?.[0]?.delta
    const text = delta?.content ?? ''
    if (text || delta?.tool_calls?.length) this.#heard()
    this.content += text
    if (chunk.citations?.length) this.citations = chunk.citations
    if (chunk.usage?.completion_tokens !== undefined)
      this.#reported = { prompt: chunk.usage.prompt_tokens ?? 0, completion: chunk.usage.completion_tokens }
    return text
  }

  #heard() {
    this.#deltas++
    this.firstMs ??= Math.round(performance.now() - this.#startedAt)
  }

  async #drain(reading: AsyncGenerator<Piece[]>) {
    const limit = setTimeout(() => this.#stream.abort(), LEFT_GRACE_MS)
    try {
      while (!(await reading.next()).done);
    } finally {
      clearTimeout(limit)
      this.#book()
    }
  }

  #book() {
    this.ms = Math.round(performance.now() - this.#startedAt)
    const { userId, keyId = null, feature, command } = this.#question
    const outcome = this.outcome ?? 'cut'
    this.#deps.settler.add({
      reservationId: this.#reservation.id,
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
