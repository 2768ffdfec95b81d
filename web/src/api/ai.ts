import type { aiChat, aiEstimate, aiOrchestrator, aiUsage } from '@operon/contracts/ai-gateway/api'
import type { approvals } from '@operon/contracts/ai-gateway/approvals'
import type { comparisons, conversations, messages, savedPrompts } from '@operon/contracts/ai-gateway/tables'
import type { CallReply } from '@operon/contracts/calls'
import type { Args, Reply, Row } from '@operon/contracts/contract'
import { type CallName, call } from './call.ts'
import { ApiError } from './http.ts'
import { loadBackend } from './session.ts'

export type ChatReply = Reply<typeof aiChat>
export type ChatRequest = Omit<Args<typeof aiChat>, 'stream'>
export type Conversation = Row<typeof conversations>
export type Message = Row<typeof messages>
export type Comparison = Row<typeof comparisons>
export type AiEstimate = Reply<typeof aiEstimate>
export type AiUsage = Reply<typeof aiUsage>
export type SavedPrompt = Row<typeof savedPrompts>
export type Approval = Row<typeof approvals>
/** A page of the app that an answer leads to. */
export type AppPage = { path: string; name: string }
export type AnalystReply = Reply<typeof aiOrchestrator>
export type Started = {
  model: string
  answered_by: string
  sandbox: boolean
  conversation_id: string | null
  message_id: string | null
  said_id: string | null
}

/** The provider stopped in the middle: what had arrived is kept and shown as cut. */
export class CutAnswer extends ApiError {
  content: string
  /** It was our connection that broke: the server may still be writing. */
  lost: boolean
  constructor(message: string, content: string, lost = false) {
    super(502, 'answer_cut', message)
    this.content = content
    this.lost = lost
  }
}

export type Place = Pick<Started, 'conversation_id' | 'message_id' | 'said_id'>
type Failed = { code: string; message: string; content: string; status?: number; details?: Record<string, unknown> }
export type Watch = {
  signal?: AbortSignal
  onKept?: (place: Place) => void
  onStart?: (started: Started) => void
  onText?: (text: string) => void
}

/** Sends one message and hands the answer on as it is written; resolves with the whole reply. */
export const streamChat = (body: ChatRequest, watch?: Watch) => streamAnswer<ChatReply>('ai-chat', body, watch)
export const streamAnalyst = (body: Omit<Args<typeof aiOrchestrator>, 'stream'>, watch?: Watch) =>
  streamAnswer<AnalystReply>('ai-orchestrator', body, watch)

async function streamAnswer<T>(name: CallName, body: object, { signal, onKept, onStart, onText }: Watch = {}): Promise<T> {
  let text = ''
  const silence = new Silence()
  try {
    const ends = signal ? AbortSignal.any([signal, silence.signal]) : silence.signal
    for await (const { event, data } of stream(`/functions/v1/${name}`, { ...body, stream: true }, ends)) {
      silence.broken()
      if (event === 'kept') onKept?.(data as Place)
      if (event === 'start') onStart?.(data as Started)
      if (event === 'delta') {
        text += (data as { text: string }).text
        onText?.(text)
      }
      if (event === 'error') throw failed(data as Failed)
      if (event === 'done') return data as T
    }
  } catch (error) {
    if (error instanceof ApiError || signal?.aborted) throw error
    if (silence.signal.aborted && text) throw new CutAnswer(silence.words, text)
    if (silence.signal.aborted) throw new ApiError(504, 'upstream_timeout', silence.words)
  } finally {
    silence.end()
  }
  throw new CutAnswer('The connection broke while the answer was written.', text, true)
}

const SILENCE_MS = 150_000

/** The server ends an answer that hangs. This is for a server, or a way to it, that hangs itself. */
class Silence {
  readonly words = 'No text has arrived for two and a half minutes. Try again, or choose another model.'
  readonly #control = new AbortController()
  #timer = setTimeout(() => this.#control.abort(), SILENCE_MS)
  get signal() {
    return this.#control.signal
  }
  broken() {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#control.abort(), SILENCE_MS)
  }
  end() {
    clearTimeout(this.#timer)
  }
}

const failed = ({ code, message, content, status = 500, details }: Failed) =>
  code === 'answer_cut' ? new CutAnswer(message, content) : new ApiError(status, code, message, undefined, details)

type LaneEvent =
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

// --- What is kept: conversations and their messages, comparisons, saved prompts ---------------------------------------------------------

export const CONVERSATIONS_A_PAGE = 40

/** The newest first. */
export async function listConversations(features: readonly string[], page = 0) {
  const { rest, rows } = await loadBackend()
  const from = page * CONVERSATIONS_A_PAGE
  return rows<Conversation[]>(
    rest
      .from('ai_conversations')
      .select()
      .in('feature', features)
      .order('updated_at', { ascending: false })
      .order('id', { ascending: false })
      .range(from, from + CONVERSATIONS_A_PAGE - 1),
  )
}

export const searchConversations = (query: string, features: Feature[]) =>
  call('search-conversations', { query, features }).then(({ found }) => found)
export type Feature = NonNullable<ChatRequest['feature']>
export type Found = CallReply<'search-conversations'>['found'][number]

/** With its newest messages, all versions of them, in the order they were written. */
export async function readConversation(id: string) {
  const { rest, rows } = await loadBackend()
  const [conversation, newest] = await Promise.all([
    rows<Conversation | null>(rest.from('ai_conversations').select().eq('id', id).maybeSingle()),
    rows<Message[]>(rest.from('ai_messages').select().eq('conversation_id', id).order('id', { ascending: false }).limit(MOST_MESSAGES)),
  ])
  return { conversation, rows: newest.reverse() }
}
const MOST_MESSAGES = 1000

export async function readMessage(id: string) {
  const { rest, rows } = await loadBackend()
  return rows<Message | null>(rest.from('ai_messages').select().eq('id', id).maybeSingle())
}

export async function listApprovals(messageIds: readonly string[]) {
  const { rest, rows } = await loadBackend()
  return rows<Approval[]>(rest.from('ai_approvals').select().in('message_id', messageIds).order('id', { ascending: true }))
}
export async function readApproval(id: string) {
  const { rest, rows } = await loadBackend()
  return rows<Approval>(rest.from('ai_approvals').select().eq('id', id).single())
}

type Kept = 'ai_conversations' | 'ai_comparisons' | 'ai_prompts' | 'ai_approvals'

export async function change(table: Kept, id: string, patch: Record<string, string>) {
  const { rest, rows } = await loadBackend()
  return rows(rest.from(table).update(patch).eq('id', id))
}

export async function remove(table: Kept, id: string) {
  const { rest, rows } = await loadBackend()
  return rows(rest.from(table).delete().eq('id', id))
}

export async function savePrompt(prompt: { title: string; body: string }) {
  const { rest, rows } = await loadBackend()
  return rows(rest.from('ai_prompts').insert(prompt))
}
