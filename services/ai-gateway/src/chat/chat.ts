import type { aiChat } from '@operon/contracts/ai-gateway/api'
import type { Input } from '@operon/contracts/contract'
import { errors } from '@operon/contracts/messages'
import type { Ctx } from '@operon/kit/context'
import { DomainError } from '@operon/kit/errors'
import type { FastifyReply } from 'fastify'
import { type Answer, type AnswerDeps, ask, askerOf, type Piece, type Told } from '../completions/answer.ts'
import type { Running } from '../completions/running.ts'
import { type EventStream, openStream } from '../completions/sse.ts'
import { isRecorded, recordedChat } from '../demo/recorded.ts'
import { DEFAULT_MODEL } from '../registry/models.ts'
import type { AiDb } from '../schema.ts'
import { promptOf } from '../writing/prompts.ts'
import { beginExchange, type Exchange, keepAnswer } from './conversations.ts'

export type ChatDeps = AnswerDeps & { running: Running }
type ChatMessage = { role: 'system' | 'user' | 'assistant'; content: string }

/** One answer of one model: as one reply, or as it is written. */
export async function chat(deps: ChatDeps, ctx: Ctx<AiDb>, input: Input<typeof aiChat>, reply: FastifyReply) {
  const userId = askerOf(ctx)
  const written = input.writing && promptOf(input.writing)
  // Another version of a piece answers the request that is there already.
  const said = (input.replace_message_id ? undefined : written?.said) ?? input.message ?? input.prompt ?? ''
  const model = input.model ?? DEFAULT_MODEL
  if (!said.trim() && !input.messages?.length && !input.replace_message_id)
    throw new DomainError('invalid', { message: 'message: say something first.' })
  if (isRecorded(deps, ctx, [model])) return recordedChat(input, model, reply)

  const exchange = input.conversation_id
    ? await beginExchange(ctx, {
        conversationId: input.conversation_id,
        said,
        model,
        feature: input.feature,
        replaces: input.replace_message_id,
        after: input.after_message_id,
        seed: input.seed,
      })
    : null
  const instructions = written ? [{ role: 'system' as const, content: written.system }] : (input.messages ?? [])
  const messages = [...instructions, ...(exchange?.history ?? []), ...(said ? [{ role: 'user' as const, content: said }] : [])]
  const names = [exchange?.answerId, input.stop_id].filter((name) => name !== undefined)
  const stop = deps.running.begin(userId, ...names)
  const stream = input.stream && exchange ? beginStream(reply, exchange) : null
  try {
    const answer = await ask(deps, {
      userId,
      feature: input.feature,
      model,
      body: {
        messages,
        ...(input.json && { response_format: { type: 'json_object' } }),
        ...(input.max_tokens && { max_tokens: input.max_tokens }),
      },
      history: exchange?.history.length ?? 0,
      command: said || lastOf(messages),
      conversationId: exchange?.conversationId,
      stop: stop.signal,
    })
    const kept = exchange ? keepAnswer(ctx, exchange, answer) : answer.pieces()
    if (input.stream) await streamAnswer(stream ?? openStream(reply), answer, kept, exchange, () => replyOf(answer, exchange))
    else return reply.send(await wholeAnswer(answer, kept, exchange))
  } catch (error) {
    const failure = exchange ? await notAnswered(exchange, error) : error
    if (!stream) throw failure
    await failStream(ctx, stream, failure)
  } finally {
    deps.running.end(...names)
  }
}

/** What was said is kept although no answer came: the caller learns where, to ask again in its place. */
export async function notAnswered({ conversationId, saidId, answerId, close }: Exchange, error: unknown): Promise<unknown> {
  if (!(error instanceof DomainError)) {
    await close('failed')
    return error
  }
  await close(error.code === 'answer_stopped' ? 'stopped' : 'failed')
  const { message, status, headers, cause } = error
  const details = { ...(error.details as object | undefined), conversation_id: conversationId, message_id: answerId, said_id: saidId }
  return new DomainError(error.code, { message, status, headers, cause, details })
}

async function wholeAnswer(answer: Answer, pieces: AsyncIterable<unknown>, exchange: Exchange | null) {
  for await (const _ of pieces);
  if (answer.outcome === 'cut' || answer.outcome === 'failed') throw new DomainError('answer_cut', { details: { content: answer.content } })
  return replyOf(answer, exchange)
}

/** Says where the exchange is kept before anybody is asked: a reload finds it, however long the first word takes. */
export function beginStream(reply: FastifyReply, { conversationId, answerId, saidId }: Exchange): EventStream {
  const stream = openStream(reply)
  stream.send('kept', { conversation_id: conversationId, message_id: answerId, said_id: saidId })
  return stream
}

/** The status is out already: what it would have been comes with the event. */
export async function failStream(ctx: Ctx<AiDb>, stream: EventStream, error: unknown) {
  if (!(error instanceof DomainError)) ctx.log.error({ err: error }, 'an answer failed')
  const { code, status, message, details } =
    error instanceof DomainError ? error : { code: 'internal', ...errors.internal, details: undefined }
  await stream.send('error', { code, status, message, details, content: '' })
  stream.end()
}

export async function streamAnswer(
  stream: EventStream,
  answer: Told,
  pieces: AsyncIterable<Piece[]>,
  exchange: Exchange | null,
  done: () => object | Promise<object>,
) {
  stream.send('start', {
    model: answer.alias,
    answered_by: answer.target.upstreamModel,
    sandbox: answer.target.sandbox,
    conversation_id: exchange?.conversationId ?? null,
    message_id: exchange?.answerId ?? null,
    said_id: exchange?.saidId ?? null,
  })
  try {
    for await (const batch of pieces) {
      const text = batch.map((piece) => piece.text).join('')
      if (text) await stream.send('delta', { text })
      // A kept answer is written to its end even when nobody watches: it will be there after a reload.
      if (stream.closed && !exchange) break
    }
    if (answer.outcome === 'cut') await stream.send('error', { code: 'answer_cut', message: answer.problem, content: answer.content })
    else await stream.send('done', await done())
  } finally {
    stream.end()
  }
}

function replyOf(answer: Answer, exchange: Exchange | null) {
  const { prompt_tokens, completion_tokens, cost_microusd } = answer.usage
  return {
    response: answer.content,
    content: answer.content,
    model: answer.alias,
    answered_by: answer.target.upstreamModel,
    sandbox: answer.target.sandbox,
    citations: answer.citations,
    usage: { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens, cost_microusd },
    conversation_id: exchange?.conversationId ?? null,
    message_id: exchange?.answerId ?? null,
  }
}

const lastOf = (messages: ChatMessage[]) => messages.findLast((message) => message.role === 'user')?.content ?? ''
