import type { aiOrchestrator } from '@operon/contracts/ai-gateway'
import type { Input } from '@operon/contracts/contract'
import { type Ctx, signedIn } from '@operon/kit/context'
import { DomainError } from '@operon/kit/errors'
import { beginExchange, keepAnswer } from '../chat/conversations.ts'
import { type AnswerDeps, ask, type Piece } from '../completions/answer.ts'
import { ANALYST_MODEL } from '../registry/models.ts'
import type { AiDb } from '../schema.ts'
import { keepProposals, type ToolCall, tools } from './actions.ts'

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
export async function orchestrate(deps: AnswerDeps, ctx: Ctx<AiDb>, input: Task) {
  const { message, task_type, conversation_id } = input
  const exchange = conversation_id
    ? await beginExchange(ctx, { conversationId: conversation_id, said: message, model: ANALYST_MODEL, feature: 'analyst' })
    : null
  try {
    const answer = await ask(deps, {
      userId: signedIn(ctx).id,
      feature: 'analyst',
      model: ANALYST_MODEL,
      body: {
        messages: [
          { role: 'system', content: `You are the business analyst of a small business platform. ${tasks[task_type]}` },
          ...(exchange?.history ?? []),
          { role: 'user', content: message },
        ],
        tools,
      },
      command: message,
    })
    const calls = await callsOf(exchange ? keepAnswer(ctx, exchange, answer) : answer.pieces())
    if (answer.outcome !== 'completed') throw new DomainError('answer_cut', { details: { content: answer.content } })
    const suggested_actions = await keepProposals(ctx, calls, exchange?.answerId ?? null)
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
  } catch (error) {
    await exchange?.fail(error)
    throw error
  }
}

/** An answer of tools alone has no words of its own; a conversation read later needs some. */
async function giveWords(ctx: Ctx<AiDb>, id: string, content: string) {
  await ctx.db.updateTable('ai_messages').set({ content }).where('id', '=', id).where('user_id', '=', signedIn(ctx).id).execute()
}

async function callsOf(batches: AsyncIterable<Piece[]>): Promise<ToolCall[]> {
  const calls: ToolCall[] = []
  const all: Piece[] = []
  for await (const pieces of batches) all.push(...pieces)
  for (const { chunk } of all) {
    for (const part of (chunk?.choices?.[0]?.delta?.tool_calls ?? []) as {
      index: number
      function?: { name?: string; arguments?: string }
    }[]) {
      calls[part.index] ??= { name: '', arguments: '' }
      calls[part.index]!.name += part.function?.name ?? ''
      calls[part.index]!.arguments += part.function?.arguments ?? ''
    }
  }
  return calls.filter(Boolean)
}
