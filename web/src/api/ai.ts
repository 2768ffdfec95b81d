import type { aiChat, aiUsage, comparisons, conversations, messages } from '@operon/contracts/ai-gateway'
import type { Args, Reply, Row } from '@operon/contracts/contract'
import { ApiError } from './http.ts'
import { loadBackend } from './session.ts'

export type ChatReply = Reply<typeof aiChat>
export type ChatRequest = Omit<Args<typeof aiChat>, 'stream'>
export type Conversation = Row<typeof conversations>
export type Message = Row<typeof messages>
export type Comparison = Row<typeof comparisons>
export type AiUsage = Reply<typeof aiUsage>
export type Started = { model: string; answered_by: string; sandbox: boolean; conversation_id: string | null; message_id: string | null }

/** The provider stopped in the middle: what had arrived is kept and shown as cut. */
export class CutAnswer extends ApiError {
  content: string
  constructor(message: string, content: string) {
    super(502, 'answer_cut', message)
    this.content = content
  }
}

type Watch = { signal?: AbortSignal; onStart?: (started: Started) => void; onText?: (text: string) => void }

/** Sends one message and hands the answer on as it is written; resolves with the whole reply. */
export async function streamChat(body: ChatRequest, { signal, onStart, onText }: Watch = {}): Promise<ChatReply> {
  let text = ''
  for await (const { event, data } of stream('/functions/v1/ai-chat', { ...body, stream: true }, signal)) {
    if (event === 'start') onStart?.(data as Started)
    if (event === 'delta') {
      text += (data as { text: string }).text
      onText?.(text)
    }
    if (event === 'error') throw new CutAnswer((data as { message: string }).message, (data as { content: string }).content)
    if (event === 'done') return data as ChatReply
  }
  throw new CutAnswer('The connection broke while the answer was written.', text)
}

export type LaneEvent =
  | { event: 'start'; data: { comparison_id: string; models: string[] } }
  | { event: 'first'; data: { lane: number; answered_by: string; ms: number; sandbox: boolean } }
  | { event: 'delta'; data: { lane: number; text: string } }
  | { event: 'done'; data: { lane: number; ms: number; stopped: boolean; usage: ChatReply['usage'] } }
  | { event: 'error'; data: { lane: number; code: string; message: string; content: string } }
  | { event: 'end'; data: { comparison_id: string; answered: number } }

export async function* streamCompare(prompt: string, models: string[], signal?: AbortSignal): AsyncGenerator<LaneEvent> {
  for await (const event of stream('/functions/v1/ai-compare', { prompt, models }, signal)) yield event as LaneEvent
}

/** Server-sent events of a signed-in call. */
async function* stream(path: string, body: object, signal?: AbortSignal): AsyncGenerator<{ event: string; data: unknown }> {
  const { authed } = await loadBackend()
  const response = await authed(path, { method: 'POST', body: JSON.stringify(body), ...(signal && { signal }) })
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  try {
    for (;;) {
      const { value, done } = await reader.read()
      if (done) return
      const parts = (rest + value).split('\n\n')
      rest = parts.pop()!
      for (const part of parts) {
        const event = /^event: (.*)$/m.exec(part)?.[1]
        const data = /^data: (.*)$/m.exec(part)?.[1]
        if (event && data) yield { event, data: JSON.parse(data) }
      }
    }
  } finally {
    reader.cancel().catch(() => {})
  }
}

export async function aiCall<T>(name: string, body: object = {}): Promise<T> {
  const { call } = await loadBackend()
  return call<T>(name, body)
}
