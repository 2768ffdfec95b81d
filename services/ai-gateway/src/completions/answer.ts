import { modelLimitsOf, type Tier, tiers } from '@operon/contracts/plans'
import { type Ctx, signedIn } from '@operon/kit/context'
import { DomainError } from '@operon/kit/errors'
import { type ByTier, NEVER, type Reservation } from '@operon/kit/meter'
import type { ProviderWatch } from '@operon/kit/providers'
import type { Reserver } from '@operon/kit/reserver'
import type { KitDb } from '@operon/kit/schema'
import { release } from '@operon/kit/settle'
import type { Logger } from '@operon/kit/telemetry'
import type { Kysely } from 'kysely'
import type { Config } from '../config.ts'
import { carefulTokens, chainOf, costMicrousd, type ModelAlias } from '../registry/models.ts'
import type { AiDb } from '../schema.ts'
import type { Event } from '../upstream/events.ts'
import { type Asking, type Lost, openUpstream, type UpstreamStream } from '../upstream/open.ts'
import type { Providers, Target } from '../upstream/providers.ts'
import type { Settler } from '../usage/settler.ts'

export type AnswerDeps = {
  db: Kysely<AiDb & KitDb>
  reserver: Reserver
  providers: Providers
  settler: Settler
  config: Config
  log: Logger
  watch: ProviderWatch
}
export type Question = {
  userId: string
  keyId?: string | null
  feature: string
  /** The name that the caller used. */
  model: string
  /** The chat body as the OpenAI protocol has it, without the model. */
  body: Body
  /** So many messages, after a system's, were said before: the oldest are left out where the plan takes no more. */
  history?: number
  /** The line in the activity log; absent where another line covers it. */
  command: string
  /** Where it is kept. */
  conversationId?: string | null
  /** Aborted to end the answer at once; what arrived is kept and paid for. */
  stop?: AbortSignal
  /** Taken earlier, when one reservation holds several answers. */
  reservation?: Reservation
}
export type Body = Record<string, unknown> & { messages: { role?: string; content?: unknown }[] }
/** `raw` is as it came, a character for a byte. */
export type Piece = Pick<Event, 'raw' | 'text' | 'chunk'>
export type Outcome = 'completed' | 'cut' | 'failed' | 'stopped'
export type Counted = { prompt_tokens: number; completion_tokens: number; cost_microusd: number; counted: boolean }

/** How long an answer whose reader has left is still read, so that the provider's own count is booked rather than ours. */
const LEFT_GRACE_MS = 15_000

/** A model answers only an account that can be reached: without that, a free allowance could be had without end. */
export function askerOf(ctx: Ctx<AiDb>): string {
  const { id, anonymous } = signedIn(ctx)
  if (anonymous) throw new DomainError('anonymous_no_models')
  return id
}

/** Reserves a prompt and the most it can cost, finds who answers, and gives back a stream whose first words are there. */
export async function ask(deps: AnswerDeps, question: Question): Promise<Answer> {
  const chain = chainOf(question.model)
  if (!chain) throw new DomainError('model_unknown', { details: { model: question.model } })
  const startedAt = performance.now()
  const whole = sizeOf(question.body)
  const begin: Begin = {
    deps,
    question,
    chain,
    whole,
    costs: costsOf(deps, question, whole),
    lost: { microusd: 0, model: null },
    startedAt,
  }
  const beside = !question.reservation && deps.reserver.isAmple(question.userId, begin.costs)
  const [reservation, stream] = await (beside ? sideBySide : inTurn)(begin)
  return new Answer(deps, question, reservation, stream, begin)
}

type Begin = { deps: AnswerDeps; question: Question; chain: ModelAlias[]; whole: Sized; costs: ByTier; lost: Lost; startedAt: number }
type Begun = [Reservation, UpstreamStream]

/** The reservation first: nobody is asked in vain at the edge of an allowance. */
async function inTurn(begin: Begin): Promise<Begun> {
  const { deps, question } = begin
  const reservation = question.reservation ?? (await reserve(begin))
  try {
    return [reservation, await openUpstream(deps, askingOf(begin, reservation.tier, reservation), question.stop)]
  } catch (error) {
    throw await notBegun(begin, reservation, error)
  }
}

/** Where the allowance is ample the provider thinks while the reservation is stored; no word is given out before it is. */
async function sideBySide(begin: Begin): Promise<Begun> {
  const { deps, question } = begin
  const refused = new AbortController()
  const stop = question.stop ? AbortSignal.any([question.stop, refused.signal]) : refused.signal
  const reserving = reserve(begin)
  reserving.catch(() => refused.abort())
  const opening = openUpstream(deps, askingOf(begin, deps.reserver.tierOf(question.userId), reserving), stop)
  const [reserved, opened] = await Promise.allSettled([reserving, opening])
  if (reserved.status === 'fulfilled' && opened.status === 'fulfilled') return [reserved.value, opened.value]
  if (opened.status === 'fulfilled') opened.value.abort()
  if (reserved.status === 'rejected') throw reserved.reason
  throw await notBegun(begin, reserved.value, (opened as PromiseRejectedResult).reason)
}

async function reserve({ deps: { reserver, config }, question, costs }: Begin): Promise<Reservation> {
  const { userId, feature } = question
  try {
    return await reserver.reserve({ userId, feature, holdMs: config.AI_ANSWER_MS + 60_000, costs })
  } catch (error) {
    throw error instanceof DomainError ? inWords(question, error) : error
  }
}

/** Names the length or the number of rounds as the reason, where the plan never allows them: waiting for a new budget would not help. */
export function inWords(question: Pick<Question, 'body' | 'history'>, error: DomainError): DomainError {
  const tier = (error.details as { tier?: Tier } | undefined)?.tier
  if (error.code !== 'limit_budget' || !tier) return error
  const { characters } = sizedFor(question, tier, sizeOf(question.body))
  const { inputCharacters: most, steps } = modelLimitsOf(tier)
  if (roundsOf(question.body) > steps)
    return new DomainError('too_many_steps', {
      message: `Your plan allows ${steps} rounds of tools for one answer, and this is one more. Continue with a new message.`,
      details: { param: 'messages', most: steps },
    })
  if (characters <= most) return error
  return new DomainError('input_too_long', {
    message: `This is ${characters.toLocaleString('en-US')} characters long. Your plan takes up to ${most.toLocaleString('en-US')} at once: shorten it, or upgrade on the plan page.`,
    details: { characters, most, upgrade: '/pricing' },
  })
}

/** The most that a question can cost where each plan bounds it: no tokenizer makes more than one token of a byte. */
export function costsOf(
  { providers }: Pick<AnswerDeps, 'providers'>,
  question: Pick<Question, 'model' | 'body' | 'history'>,
  whole = sizeOf(question.body),
): ByTier {
  const model = providers.real(chainOf(question.model)![0]!)
  const rounds = roundsOf(question.body)
  return Object.fromEntries(
    tiers.map((tier) => {
      const { inputCharacters, steps } = modelLimitsOf(tier)
      const { characters, bytes } = sizedFor(question, tier, whole)
      const isAllowed = characters <= inputCharacters && rounds <= steps
      return [tier, isAllowed ? mostOf(model, bytes, outputOf(question.body, tier)) : NEVER]
    }),
  ) as ByTier
}

/** How often tools were called since somebody last spoke. */
const roundsOf = ({ messages }: Body) =>
  messages.slice(messages.findLastIndex(({ role }) => role === 'user') + 1).filter((message) => 'tool_calls' in message).length

/** Providers put words of their own around tools and formats. */
const FRAME_TOKENS = 600
const mostOf = (model: ModelAlias, bytes: number, outputTokens: number) => costMicrousd(model, bytes + FRAME_TOKENS, outputTokens)

/** The asked length of an answer, within the plan's. */
function outputOf({ max_tokens, max_completion_tokens }: Body, tier: Tier): number {
  const asked = [max_tokens, max_completion_tokens].filter((most) => typeof most === 'number')
  return Math.min(modelLimitsOf(tier).outputTokens, ...asked)
}

type Sized = { body: Body; characters: number; bytes: number }
function sizeOf(body: Body): Sized {
  const json = JSON.stringify(body)
  return { body, characters: json.length, bytes: Buffer.byteLength(json) }
}

/** Without the oldest of what was said before, as far as the plan takes no more. */
function sizedFor({ history = 0 }: Pick<Question, 'history'>, tier: Tier, whole: Sized): Sized {
  const { inputCharacters } = modelLimitsOf(tier)
  let sized = whole
  for (let left = history; left > 0 && sized.characters > inputCharacters; left--) {
    const oldest = sized.body.messages.findIndex(({ role }) => role !== 'system')
    sized = sizeOf({ ...sized.body, messages: sized.body.messages.toSpliced(oldest, 1) })
  }
  return sized
}

function askingOf({ deps, question, chain, whole, lost }: Begin, tier: Tier, reservation: Reservation | Promise<Reservation>): Asking {
  const { body, bytes } = sizedFor(question, tier, whole)
  const { max_tokens, max_completion_tokens, ...rest } = body
  const outputTokens = outputOf(body, tier)
  const first = deps.providers.real(chain[0]!)
  return {
    userId: question.userId,
    chain,
    body: rest,
    outputTokens,
    promptTokens: () => promptTokensOf(body),
    lost,
    affords: async (model) => {
      const most = lost.microusd + mostOf(model, bytes, outputTokens)
      return (model.id === first.id && !lost.microusd) || deps.reserver.holdAtLeast(await reservation, most)
    },
  }
}

const promptTokensOf = ({ messages, tools }: Body) =>
  carefulTokens(messages.map(({ content }) => (typeof content === 'string' ? content : JSON.stringify(content ?? ''))).join('\n')) +
  4 * messages.length +
  (tools ? Math.ceil(JSON.stringify(tools).length / 4) : 0)

/** A call that cost us is charged, although no answer began; the prompt only to somebody who stopped it. */
async function notBegun({ deps, question, lost, startedAt }: Begin, reservation: Reservation, error: unknown): Promise<unknown> {
  const isStopped = error instanceof DomainError && error.code === 'answer_stopped'
  if (!lost.model) {
    await release(deps.db, reservation)
    return isStopped ? new DomainError('answer_stopped', { message: 'You stopped this before it was sent. Nothing was charged.' }) : error
  }
  const { userId, keyId = null, feature, command, model, conversationId = null } = question
  const tokens = { prompt_tokens: promptTokensOf(question.body), completion_tokens: 0 }
  deps.settler.add({
    reservation,
    prompts: isStopped ? undefined : 0,
    user_id: userId,
    key_id: keyId,
    feature,
    command,
    conversation_id: conversationId,
    model,
    answered_by: lost.model,
    status: isStopped ? 'stopped' : 'failed',
    duration_ms: Math.round(performance.now() - startedAt),
    ...tokens,
    cost_microusd: lost.microusd,
    counted: false,
  })
  const usage = { ...tokens, total_tokens: tokens.prompt_tokens, cost_microusd: lost.microusd }
  return isStopped ? new DomainError('answer_stopped', { details: { usage } }) : error
}

/** The part of an answer that is sent and stored, in one round or several. */
export type Told = Pick<Answer, 'content' | 'citations' | 'outcome' | 'problem' | 'alias' | 'usage'> & {
  target: Pick<Target, 'upstreamModel' | 'sandbox'>
  pieces(): AsyncGenerator<Piece[]>
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
  readonly #begin: Begin
  #reported: { prompt: number; completion: number } | null = null
  #deltas = 0
  #finish: string | null = null

  constructor(deps: AnswerDeps, question: Question, reservation: Reservation, stream: UpstreamStream, begin: Begin) {
    this.id = reservation.id
    this.alias = question.model
    this.target = stream.target
    this.#deps = deps
    this.#question = question
    this.#reservation = reservation
    this.#stream = stream
    this.#begin = begin
  }

  /** As the provider counted; what no provider counted is told a little high, since it bills us all the same. */
  get usage(): Counted {
    const counted = this.#reported !== null
    const prompt_tokens = this.#reported?.prompt ?? promptTokensOf(this.#question.body)
    const completion_tokens = this.#reported?.completion ?? Math.max(this.#deltas, carefulTokens(this.content))
    const cost_microusd = this.#begin.lost.microusd + costMicrousd(this.target.model, prompt_tokens, completion_tokens)
    return { prompt_tokens, completion_tokens, cost_microusd, counted }
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

  /** The text that arrived since the last call; null once the answer is over. The outcome comes with the last text where both arrived together. */
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
    this.#deps.log.warn(
      { err: error, provider: this.target.provider, model: this.target.upstreamModel },
      'an answer of a model was cut off',
    )
    const tooLong = 'The model took too long, so the answer was ended here.'
    return this.#over('cut', this.#stream.isLate ? tooLong : 'The connection to the provider broke while it was answering.')
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
    if (chunk.usage?.completion_tokens !== undefined) {
      const { prompt_tokens: prompt = 0, completion_tokens, total_tokens = 0 } = chunk.usage
      // Some count what was thought in the total alone.
      this.#reported = { prompt, completion: Math.max(completion_tokens, total_tokens - prompt) }
    }
  }

  #heard(words: number) {
    this.#deltas += words
    this.firstMs ??= Math.round(performance.now() - this.#begin.startedAt)
  }

  async #drain() {
    const limit = setTimeout(() => this.#stream.abort(), LEFT_GRACE_MS)
    while (await this.#next());
    clearTimeout(limit)
    this.#book()
  }

  #book() {
    this.ms = Math.round(performance.now() - this.#begin.startedAt)
    const { userId, keyId = null, feature, command, conversationId = null } = this.#question
    const outcome = this.outcome ?? 'cut'
    this.#deps.settler.add({
      reservation: this.#reservation,
      user_id: userId,
      key_id: keyId,
      feature,
      command,
      conversation_id: conversationId,
      model: this.alias,
      answered_by: this.target.upstreamModel,
      status: outcome,
      duration_ms: this.ms,
      ...this.usage,
    })
  }
}
