import type { aiChat } from '@operon/contracts/ai-gateway/api'
import type { Input } from '@operon/contracts/contract'
import type { Ctx } from '@operon/kit/context'
import { DomainError } from '@operon/kit/errors'
import type { FastifyReply } from 'fastify'
import { askerOf, type Told } from '../completions/answer.ts'
import { isRecorded, recordedChat } from '../demo/recorded.ts'
import { DEFAULT_MODEL } from '../registry/models.ts'
import type { AiDb } from '../schema.ts'
import { requestsIn } from '../typed/requests.ts'
import { ledOnly, needsModel } from '../typed/typed.ts'
import { promptOf } from '../writing/prompts.ts'
import type { Exchange } from './conversations.ts'
import { type Found, type TurnDeps, takeTurn } from './turn.ts'

type ChatMessage = { role: 'system' | 'user' | 'assistant'; content: string }

const ASSISTANT =
  'You are the assistant of a platform for small businesses. Answer briefly, in plain words. You do things with the tools alone: never say that you did or tried what no tool did. Write texts yourself, in the answer; take a writing tool where several are asked for at once.'
/** The places where the specified words do what they ask for. */
const typing = new Set<string>(['assistant', 'chat'])

/** One answer of one model: as one reply, or as it is written. */
export async function chat(deps: TurnDeps, ctx: Ctx<AiDb>, input: Input<typeof aiChat>, reply: FastifyReply) {
  const written = input.writing && promptOf(input.writing)
  // Another version of a piece answers the request that is there already.
  const said = (input.replace_message_id ? undefined : written?.said) ?? input.message ?? input.prompt ?? ''
  const model = input.model ?? DEFAULT_MODEL
  if (!said.trim() && !input.messages?.length && !input.replace_message_id)
    throw new DomainError('invalid', { message: 'message: say something first.' })
  const pages = input.pages ?? []
  const requests = input.tools && !written ? requestsIn(said) : null
  const tools = requests && { pages, ...(typing.has(input.feature) && { requests }) }
  // Said before a stream is begun, and before anything is kept.
  if (!tools?.requests || (said && needsModel(tools.requests, pages))) askerOf(ctx)
  if (isRecorded(deps, ctx, [model])) return recordedChat(input, model, reply, requests && ledOnly(requests, pages))

  const instructions: ChatMessage[] = written
    ? [{ role: 'system', content: written.system }]
    : [...(input.tools ? [{ role: 'system' as const, content: ASSISTANT }] : []), ...(input.messages ?? [])]
  const messages = (history: Exchange['history']) => [
    ...instructions,
    ...history,
    ...(said ? [{ role: 'user' as const, content: said }] : []),
  ]
  const { conversation_id: conversationId, replace_message_id: replaces, after_message_id: after, seed } = input
  return takeTurn(
    deps,
    ctx,
    {
      feature: input.feature,
      model,
      kept: conversationId ? { conversationId, said, replaces, after, seed } : null,
      messages,
      body: {
        ...(input.json && { response_format: { type: 'json_object' } }),
        ...(input.max_tokens && { max_tokens: input.max_tokens }),
      },
      command: (history) => said || lastOf(messages(history)),
      said,
      tools,
      stopId: input.stop_id,
      stream: input.stream,
      replyOf,
    },
    reply,
  )
}

function replyOf(answer: Told, exchange: Exchange | null, { response, ...found }: Found) {
  const { prompt_tokens, completion_tokens, cost_microusd } = answer.usage
  return {
    response,
    content: response,
    model: answer.alias,
    answered_by: answer.target.upstreamModel,
    sandbox: answer.target.sandbox,
    citations: answer.citations,
    ...found,
    usage: { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens, cost_microusd },
    conversation_id: exchange?.conversationId ?? null,
    message_id: exchange?.answerId ?? null,
  }
}

const lastOf = (messages: ChatMessage[]) => messages.findLast((message) => message.role === 'user')?.content ?? ''
