import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import type { createResponse } from '@operon/contracts/ai-gateway/openai'
import type { Input } from '@operon/contracts/contract'
import { type Ctx, signedIn } from '@operon/kit/context'
import { DomainError } from '@operon/kit/errors'
import type { FastifyReply } from 'fastify'
import { type Answer, type AnswerDeps, ask, askerOf } from '../completions/answer.ts'
import { spendKey } from '../keys/limit.ts'
import type { AiDb } from '../schema.ts'
import { callsIn, cut, inWordsForPrograms, type ToolCalls } from './completions.ts'
import { checkedParameters } from './parameters.ts'
import { chatBodyOf } from './response-input.ts'

type Item = Record<string, unknown> & { id: string; type: string; status: string }
type Counts = { prompt_tokens: number; completion_tokens: number }

/** OpenAI's responses over the same answers as chat completions: nothing is kept between two of them, so a caller sends what was said. */
export async function respond(deps: AnswerDeps, ctx: Ctx<AiDb>, input: Input<typeof createResponse>, reply: FastifyReply) {
  const userId = askerOf(ctx)
  const actor = signedIn(ctx)
  if (actor.key && !actor.key.scopes.includes('chat')) throw new DomainError('key_scope')
  const { model, stream, ...given } = input
  const { body, echoed } = chatBodyOf(given)
  const checked = checkedParameters(body)
  await spendKey(ctx, actor)
  const answer = await ask(deps, {
    userId,
    keyId: actor.key?.id ?? null,
    feature: 'api',
    model,
    body: checked as never,
    command: `API response with ${model}`,
  }).catch((error) => inWordsForPrograms(error, model))
  const frame = {
    id: `resp_${answer.id.replaceAll('-', '')}`,
    object: 'response',
    created_at: Math.floor(Date.now() / 1000),
    model: answer.target.upstreamModel,
    error: null,
    incomplete_details: null,
    metadata: null,
    previous_response_id: null,
    store: false,
    ...echoed,
  }
  if (!stream) return sendWhole(reply, answer, frame)
  reply.hijack()
  await streamTo(reply.raw, answer, frame)
}

const usageOf = ({ prompt_tokens, completion_tokens }: Counts) => ({
  input_tokens: prompt_tokens,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: completion_tokens,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: prompt_tokens + completion_tokens,
})
const textPart = (text: string) => ({ type: 'output_text', text, annotations: [], logprobs: [] })
const messageOf = (frame: { id: string }, text: string): Item => ({
  id: `msg_${frame.id.slice(5)}`,
  type: 'message',
  status: 'completed',
  role: 'assistant',
  content: [textPart(text)],
})
const callItems = (frame: { id: string }, calls: ToolCalls): Item[] =>
  calls.map((call, at) => ({
    id: `fc_${frame.id.slice(5)}${at}`,
    type: 'function_call',
    status: 'completed',
    call_id: call.id ?? `call_${at}`,
    name: call.function.name,
    arguments: call.function.arguments,
  }))

async function sendWhole(reply: FastifyReply, answer: Answer, frame: { id: string }) {
  const calls: ToolCalls = []
  for await (const pieces of answer.pieces()) for (const { chunk } of pieces) callsIn(chunk, calls)
  if (answer.outcome !== 'completed') return reply.code(502).send({ error: cut(answer) })
  const output = [...(answer.content || calls.length === 0 ? [messageOf(frame, answer.content)] : []), ...callItems(frame, calls)]
  return reply.send({ ...frame, status: 'completed', output, usage: usageOf(answer.usage) })
}

async function streamTo(res: ServerResponse, answer: Answer, frame: { id: string }) {
  res.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-store', 'x-accel-buffering': 'no' })
  let sequence_number = 0
  const send = async (type: string, more: object) => {
    if (res.destroyed) return
    const line = `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: sequence_number++, ...more })}\n\n`
    if (!res.write(line)) await Promise.race([once(res, 'drain'), once(res, 'close')])
  }
  const begun = { ...frame, status: 'in_progress', output: [], usage: null }
  await send('response.created', { response: begun })
  await send('response.in_progress', { response: begun })
  const message = messageOf(frame, '')
  const at = { item_id: message.id, output_index: 0, content_index: 0 }
  const calls: ToolCalls = []
  let speaks = false
  for await (const pieces of answer.pieces())
    for (const { text, chunk } of pieces) {
      callsIn(chunk, calls)
      if (!text) continue
      if (!speaks) {
        speaks = true
        await send('response.output_item.added', { output_index: 0, item: { ...message, status: 'in_progress', content: [] } })
        await send('response.content_part.added', { ...at, part: textPart('') })
      }
      await send('response.output_text.delta', { ...at, delta: text, logprobs: [] })
    }
  if (answer.outcome !== 'completed') {
    const { message: why, code } = cut(answer)
    await send('response.failed', { response: { ...begun, status: 'failed', error: { code: code ?? 'server_error', message: why } } })
    return void res.end()
  }
  const output: Item[] = []
  if (speaks || calls.length === 0) {
    const item = messageOf(frame, answer.content)
    output.push(item)
    if (speaks) {
      await send('response.output_text.done', { ...at, text: answer.content, logprobs: [] })
      await send('response.content_part.done', { ...at, part: textPart(answer.content) })
    }
    await send('response.output_item.done', { output_index: 0, item })
  }
  for (const item of callItems(frame, calls)) {
    const output_index = output.push(item) - 1
    await send('response.output_item.added', { output_index, item: { ...item, status: 'in_progress', arguments: '' } })
    await send('response.function_call_arguments.delta', { item_id: item.id, output_index, delta: item.arguments })
    await send('response.function_call_arguments.done', { item_id: item.id, output_index, name: item.name, arguments: item.arguments })
    await send('response.output_item.done', { output_index, item })
  }
  await send('response.completed', { response: { ...frame, status: 'completed', output, usage: usageOf(answer.usage) } })
  res.end()
}
