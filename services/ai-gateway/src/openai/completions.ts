import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import type { chatCompletions } from '@operon/contracts/ai-gateway/openai'
import type { Input } from '@operon/contracts/contract'
import { errors } from '@operon/contracts/messages'
import { type Ctx, signedIn } from '@operon/kit/context'
import { DomainError } from '@operon/kit/errors'
import type { FastifyReply } from 'fastify'
import { type Answer, type AnswerDeps, ask, askerOf, type Piece } from '../completions/answer.ts'
import { spendKey } from '../keys/limit.ts'
import type { AiDb } from '../schema.ts'
import { checkedParameters } from './parameters.ts'

type Body = Input<typeof chatCompletions> & { stream_options?: { include_usage?: boolean } }

/** Chat completions as the OpenAI protocol has them, for the user's own API keys and for signed-in callers. */
export async function complete(deps: AnswerDeps, ctx: Ctx<AiDb>, input: Input<typeof chatCompletions>, reply: FastifyReply) {
  const userId = askerOf(ctx)
  const actor = signedIn(ctx)
  if (actor.key && !actor.key.scopes.includes('chat')) throw new DomainError('key_scope')
  const { model, stream, ...given } = input as Body
  const { stream_options, ...rest } = checkedParameters(given)
  await spendKey(ctx, actor)
  const answer = await ask(deps, {
    userId,
    keyId: actor.key?.id ?? null,
    feature: 'api',
    model,
    body: { ...rest, ...(stream && stream_options && { stream_options }) } as never,
    command: `API completion with ${model}`,
  }).catch((error) => inWordsForPrograms(error, model))
  if (!stream) return sendWhole(reply, answer)
  reply.hijack()
  await streamTo(reply.raw, answer, stream_options?.include_usage === true)
}

/** A developer needs to know which parameter was refused, and which name; a person in the app is told in our words. */
export function inWordsForPrograms(error: unknown, model: string): never {
  if (!(error instanceof DomainError)) throw error
  if (error.code === 'model_refused')
    throw new DomainError('model_refused', { message: (error.cause as Error).message, details: error.details })
  if (error.code === 'model_unknown')
    throw new DomainError('model_unknown', {
      message: `There is no model named ${JSON.stringify(model)}; /ai/v1/models lists those there are.`,
    })
  throw error
}

async function streamTo(res: ServerResponse, answer: Answer, wantsUsage: boolean) {
  res.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
    'x-operon-model': answer.target.upstreamModel,
  })
  for await (const pieces of answer.pieces()) {
    if (res.destroyed) return
    const out = passedOn(pieces, wantsUsage)
    if (answer.outcome === 'completed') return void res.end(out, 'latin1')
    if (out && !res.write(out, 'latin1')) await Promise.race([once(res, 'drain'), once(res, 'close')])
  }
  if (answer.outcome !== 'completed') res.write(`data: ${JSON.stringify({ error: cut(answer) })}\n\n`)
  res.end()
}

/** A cut answer is never given out as a whole one: it is an error, with what had arrived beside it. */
async function sendWhole(reply: FastifyReply, answer: Answer) {
  const completion = await whole(answer)
  if (answer.outcome === 'completed') return reply.send(completion)
  return reply.code(errors.answer_cut.status).send({ error: { ...cut(answer), content: answer.content } })
}

export const cut = ({ problem }: Answer) => ({ message: problem, type: 'server_error', param: null, code: 'answer_cut' })

/** As it came. We always ask for the count; a caller who did not is not told. */
function passedOn(pieces: Piece[], wantsUsage: boolean): string {
  let out = ''
  for (const { raw, chunk } of pieces) if (wantsUsage || !chunk?.usage || chunk.choices?.length) out += `${raw}\n\n`
  return out
}

/** The same stream, put together: tool calls arrive in parts. */
async function whole(answer: Answer) {
  const calls: ToolCalls = []
  let id = `chatcmpl-${answer.id}`
  let created = Math.floor(Date.now() / 1000)
  let finish: string | null = null
  let refusal: string | null = null
  let counted: object = {}
  const logprobs: unknown[] = []
  const annotations: unknown[] = []
  let about: object = {}
  for (const { chunk } of await collect(answer.pieces())) {
    const full = chunk as { id?: string; created?: number; service_tier?: string; system_fingerprint?: string } | null
    if (full?.service_tier) about = { ...about, service_tier: full.service_tier }
    if (full?.system_fingerprint) about = { ...about, system_fingerprint: full.system_fingerprint }
    id = full?.id ?? id
    created = full?.created ?? created
    const choice = chunk?.choices?.[0]
    finish = choice?.finish_reason ?? finish
    if (choice?.delta?.refusal) refusal = (refusal ?? '') + choice.delta.refusal
    if (choice?.delta?.annotations) annotations.push(...choice.delta.annotations)
    if (choice?.logprobs?.content) logprobs.push(...choice.logprobs.content)
    counted = chunk?.usage ?? counted
    callsIn(chunk, calls)
  }
  const { prompt_tokens, completion_tokens } = answer.usage
  return {
    id,
    object: 'chat.completion',
    created,
    model: answer.target.upstreamModel,
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: answer.content || (calls.length ? null : ''),
          refusal,
          ...(calls.length && { tool_calls: calls }),
          ...(annotations.length && { annotations }),
        },
        logprobs: logprobs.length ? { content: logprobs, refusal: null } : null,
        finish_reason: finish,
      },
    ],
    usage: { ...counted, prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens },
    ...about,
    ...(answer.citations.length && { citations: answer.citations }),
  }
}

export type ToolCalls = { id?: string; type: string; function: { name: string; arguments: string } }[]
type CallPart = { index: number; id?: string; function?: { name?: string; arguments?: string } }

/** Adds the parts of tool calls that a chunk brings to those that came before. */
export function callsIn(chunk: Piece['chunk'], calls: ToolCalls): void {
  for (const part of (chunk?.choices?.[0]?.delta?.tool_calls ?? []) as CallPart[]) {
    calls[part.index] ??= { type: 'function', function: { name: '', arguments: '' } }
    const call = calls[part.index]!
    if (part.id) call.id = part.id
    call.function.name += part.function?.name ?? ''
    call.function.arguments += part.function?.arguments ?? ''
  }
}

async function collect(batches: AsyncIterable<Piece[]>): Promise<Piece[]> {
  const all: Piece[] = []
  for await (const pieces of batches) all.push(...pieces)
  return all
}
