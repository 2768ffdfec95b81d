import type { aiChat, aiCompare, aiOrchestrator } from '@operon/contracts/ai-gateway/api'
import type { Input } from '@operon/contracts/contract'
import { type Ctx, signedIn } from '@operon/kit/context'
import { newId } from '@operon/kit/ids'
import type { FastifyReply } from 'fastify'
import type { Page } from '../assistant/tools.ts'
import { openStream } from '../completions/sse.ts'
import type { ModelAlias } from '../registry/models.ts'
import { chainOf } from '../registry/models.ts'
import type { AiDb } from '../schema.ts'
import type { Providers } from '../upstream/providers.ts'
import { RECORDED, recordedAnswer } from './recordings.ts'

const noUsage = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0, cost_microusd: 0 }
const nowhere = { conversation_id: null, message_id: null }

/** Where a demo only reads, and wherever a model would cost money, a demo is answered from the record. The sandbox's models cost nothing. */
export function isRecorded({ providers }: { providers: Providers }, ctx: Ctx<AiDb>, models: string[]): boolean {
  const { demo } = signedIn(ctx)
  if (!demo) return false
  const asked = models.flatMap((model): ModelAlias[] => chainOf(model) ?? [])
  return demo.readsOnly || asked.some(({ provider }) => !providers.isSandbox(provider))
}

/** An answer of the record in the shape of a model's: nothing is asked, kept, counted or told. */
export function recordedChat(
  input: Input<typeof aiChat>,
  model: string,
  reply: FastifyReply,
  led: { line: string; open: Page | null } | null,
) {
  const content = led?.line ?? recordedAnswer(input.message ?? input.prompt ?? '')
  const answer = {
    response: content,
    content,
    model,
    answered_by: RECORDED,
    sandbox: false,
    citations: [],
    usage: noUsage,
    ...nowhere,
    open: led?.open ?? null,
  }
  return sendAnswer(reply, input.stream, model, content, answer)
}

export function recordedAnalysis(input: Input<typeof aiOrchestrator>, model: string, reply: FastifyReply) {
  const response = recordedAnswer(input.message ?? '')
  const none = { needs_actions: false, suggested_actions: [] }
  return sendAnswer(reply, input.stream, model, response, {
    response,
    model_used: RECORDED,
    ...none,
    sandbox: false,
    usage: noUsage,
    ...nowhere,
  })
}

async function sendAnswer(reply: FastifyReply, streamed: boolean, model: string, text: string, answer: object) {
  if (!streamed) return reply.send(answer)
  const stream = openStream(reply)
  await stream.send('start', { model, answered_by: RECORDED, sandbox: false, ...nowhere, said_id: null })
  await stream.send('delta', { text })
  await stream.send('done', answer)
  stream.end()
}

export async function recordedComparison({ prompt, models }: Input<typeof aiCompare>, reply: FastifyReply) {
  const comparison_id = newId()
  const text = recordedAnswer(prompt)
  const stream = openStream(reply)
  await stream.send('start', { comparison_id, models })
  for (const [lane, model] of models.entries()) {
    await stream.send('first', { lane, model, answered_by: RECORDED, ms: 0, sandbox: false })
    await stream.send('delta', { lane, text })
    await stream.send('done', { lane, stopped: false, ms: 0, usage: noUsage })
  }
  await stream.send('end', { comparison_id, answered: models.length })
  stream.end()
}
