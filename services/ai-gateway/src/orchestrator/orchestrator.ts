import type { aiOrchestrator } from '@operon/contracts/ai-gateway/api'
import type { Input, Reply } from '@operon/contracts/contract'
import { type Ctx, signedIn } from '@operon/kit/context'
import { DomainError } from '@operon/kit/errors'
import type { FastifyReply } from 'fastify'
import { beginStream, failStream, notAnswered, streamAnswer } from '../chat/chat.ts'
import { beginExchange, type Exchange, keepAnswer } from '../chat/conversations.ts'
import { type Answer, type AnswerDeps, ask, askerOf, type Piece } from '../completions/answer.ts'
import type { Running } from '../completions/running.ts'
import { openStream } from '../completions/sse.ts'
import { isRecorded, recordedAnalysis } from '../demo/recorded.ts'
import { ANALYST_MODEL } from '../registry/models.ts'
import type { AiDb } from '../schema.ts'
import { keepProposals, type ToolCall, tools } from './actions.ts'

export type OrchestratorDeps = AnswerDeps & { running: Running }
const PROPOSING = 'Here is what I can do for you. Nothing happens until you approve it.'

type Task = Input<typeof aiOrchestrator>
const tasks: Record<Task['task_type'], string> = {
  analysis: 'Analyse what is asked: state what you looked at, what follows from it and what you would do next.',
  action: 'The person wants something done. Propose it with the tools you have; never say that it has been done.',
  creation: 'The person wants something made. Make it, or propose making it with a tool when it is long.',
  automation: 'The person wants a step to happen by itself. Describe the trigger, the steps and what could go wrong.',
  general: 'Answer plainly and briefly.',
  voice_command: 'The person is speaking. Answer in one or two short sentences that are easy to listen to.',
}

/** The business analyst. It proposes; the person approves; then it runs under the person's own rights. */
export async function orchestrate(deps: OrchestratorDeps, ctx: Ctx<AiDb>, input: Task, reply: FastifyReply) {
  const { message = '', conversation_id, replace_message_id, stop_id } = input
  const userId = askerOf(ctx)
  if (!message.trim() && !(conversation_id && replace_message_id))
    throw new DomainError('invalid', { message: 'message: say something first.' })
  if (isRecorded(deps, ctx, [ANALYST_MODEL])) return recordedAnalysis(input, ANALYST_MODEL, reply)
  const exchange = conversation_id
    ? await beginExchange(ctx, {
        conversationId: conversation_id,
        said: message,
        model: ANALYST_MODEL,
        feature: 'analyst',
        replaces: replace_message_id,
        after: input.after_message_id,
      })
    : null
  const names = [exchange?.answerId, stop_id].filter((name) => name !== undefined)
  const stop = deps.running.begin(userId, ...names)
  const stream = input.stream && exchange ? beginStream(reply, exchange) : null
  try {
    const answer = await ask(deps, {
      userId,
      feature: 'analyst',
      model: ANALYST_MODEL,
      body: { messages: messagesOf(input, exchange), tools },
      history: exchange?.history.length ?? 0,
      command: message || (exchange?.history.at(-1)?.content ?? ''),
      stop: stop.signal,
    })
    const calls: ToolCall[] = []
    const pieces = withCalls(exchange ? keepAnswer(ctx, exchange, answer) : answer.pieces(), calls)
    if (input.stream)
      return await streamAnswer(stream ?? openStream(reply), answer, pieces, exchange, () => replyOf(ctx, answer, exchange, calls))
    for await (const _ of pieces);
    if (answer.outcome === 'cut' || answer.outcome === 'failed')
      throw new DomainError('answer_cut', { details: { content: answer.content } })
    return reply.send(await replyOf(ctx, answer, exchange, calls))
  } catch (error) {
    const failure = exchange ? await notAnswered(exchange, error) : error
    if (!stream) throw failure
    await failStream(ctx, stream, failure)
  } finally {
    deps.running.end(...names)
  }
}

function messagesOf({ message, task_type }: Task, exchange: Exchange | null) {
  return [
    { role: 'system', content: `You are the business analyst of a small business platform. ${tasks[task_type]}` },
    ...(exchange?.history ?? []),
    ...(message ? [{ role: 'user', content: message }] : []),
  ]
}

async function replyOf(
  ctx: Ctx<AiDb>,
  answer: Answer,
  exchange: Exchange | null,
  calls: ToolCall[],
): Promise<Reply<typeof aiOrchestrator>> {
  // A stopped answer may hold half a proposal.
  const suggested_actions = answer.outcome === 'completed' ? await keepProposals(ctx, calls, exchange?.answerId ?? null) : []
  const response = answer.content || (suggested_actions.length ? PROPOSING : '')
  if (exchange && !answer.content && response) await giveWords(ctx, exchange.answerId, response)
  const { prompt_tokens, completion_tokens, cost_microusd } = answer.usage
  return {
    response,
    model_used: answer.target.upstreamModel,
    needs_actions: suggested_actions.length > 0,
    suggested_actions,
    conversation_id: exchange?.conversationId ?? null,
    message_id: exchange?.answerId ?? null,
    sandbox: answer.target.sandbox,
    usage: { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens, cost_microusd },
  }
}

/** An answer of tools alone has no words of its own; a conversation read later needs some. */
async function giveWords(ctx: Ctx<AiDb>, id: string, content: string) {
  await ctx.db.updateTable('ai_messages').set({ content }).where('id', '=', id).where('user_id', '=', signedIn(ctx).id).execute()
}

/** Passes the pieces on and puts the parts of tool calls together on the way. */
async function* withCalls(batches: AsyncIterable<Piece[]>, calls: ToolCall[]): AsyncGenerator<Piece[]> {
  for await (const pieces of batches) {
    for (const { chunk } of pieces) {
      for (const part of (chunk?.choices?.[0]?.delta?.tool_calls ?? []) as CallPart[]) {
        calls[part.index] ??= { name: '', arguments: '' }
        calls[part.index]!.name += part.function?.name ?? ''
        calls[part.index]!.arguments += part.function?.arguments ?? ''
      }
    }
    yield pieces
  }
}
type CallPart = { index: number; function?: { name?: string; arguments?: string } }
