import type { aiOrchestrator } from '@operon/contracts/ai-gateway/api'
import type { Input, Reply } from '@operon/contracts/contract'
import type { Ctx } from '@operon/kit/context'
import { DomainError } from '@operon/kit/errors'
import type { FastifyReply } from 'fastify'
import type { Exchange } from '../chat/conversations.ts'
import { type Found, type TurnDeps, takeTurn } from '../chat/turn.ts'
import { askerOf, type Told } from '../completions/answer.ts'
import { isRecorded, recordedAnalysis } from '../demo/recorded.ts'
import { ANALYST_MODEL } from '../registry/models.ts'
import type { AiDb } from '../schema.ts'

type Task = Input<typeof aiOrchestrator>
const tasks: Record<Task['task_type'], string> = {
  analysis: 'Analyse what is asked: state what you looked at, what follows from it and what you would do next.',
  action: 'The person wants something done. Propose it with the tools you have; never say that it has been done.',
  creation: 'The person wants something made. Make it, or propose making it with a tool when it is long.',
  automation: 'The person wants a step to happen by itself. Describe the trigger, the steps and what could go wrong.',
  general: 'Answer plainly and briefly.',
  voice_command: 'The person is speaking. Answer in one or two short sentences that are easy to listen to.',
}

/** The business analyst: each kind of task has its own instructions. */
export async function orchestrate(deps: TurnDeps, ctx: Ctx<AiDb>, input: Task, reply: FastifyReply) {
  const { message = '', conversation_id: conversationId, replace_message_id: replaces, after_message_id: after } = input
  askerOf(ctx)
  if (!message.trim() && !(conversationId && replaces)) throw new DomainError('invalid', { message: 'message: say something first.' })
  if (isRecorded(deps, ctx, [ANALYST_MODEL])) return recordedAnalysis(input, ANALYST_MODEL, reply)
  return takeTurn(
    deps,
    ctx,
    {
      feature: 'analyst',
      model: ANALYST_MODEL,
      kept: conversationId ? { conversationId, said: message, replaces, after } : null,
      messages: (history) => [
        { role: 'system', content: `You are the business analyst of a small business platform. ${tasks[input.task_type]}` },
        ...history,
        ...(message ? [{ role: 'user', content: message }] : []),
      ],
      said: message,
      command: (history) => message || (history.at(-1)?.content ?? ''),
      tools: { pages: input.pages ?? [] },
      isToAct: input.task_type === 'action',
      stopId: input.stop_id,
      stream: input.stream,
      replyOf,
    },
    reply,
  )
}

function replyOf(answer: Told, exchange: Exchange | null, { response, ...found }: Found): Reply<typeof aiOrchestrator> {
  const { prompt_tokens, completion_tokens, cost_microusd } = answer.usage
  const steps = found.approval?.steps ?? []
  return {
    response,
    model_used: answer.target.upstreamModel,
    needs_actions: steps.length > 0,
    suggested_actions: steps.map(({ action, title, does }) => ({ action, title, description: does })),
    ...found,
    conversation_id: exchange?.conversationId ?? null,
    message_id: exchange?.answerId ?? null,
    sandbox: answer.target.sandbox,
    usage: { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens, cost_microusd },
  }
}
