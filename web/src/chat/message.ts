import type { CallReply } from '@operon/contracts/calls'
import type { Approval, Message } from '../api/ai.ts'

export type ChatMessage = {
  /** Stays while ids are still to come. */
  key: string
  /** The server's, once it has written the message down. The app's own lines have none. */
  id: string | null
  /** The message that this one follows; null where it is the first. */
  after: string | null
  role: 'user' | 'assistant'
  content: string
  state: 'complete' | 'streaming' | 'cut' | 'stopped' | 'failed'
  problem?: string
  /** The plan is used up: asking again cannot help, another plan can. */
  atLimit?: boolean
  /** The model that was asked, and the one that answered. */
  model?: string | null
  answeredBy?: string | null
  sandbox?: boolean
  citations?: string[]
  evidence?: Message['evidence']
  /** As it came with the answer; what became of it is asked for. */
  approval?: Approval | null
  /** Changes that ran at once. */
  done?: Approval[]
  /** The memories that it made. */
  remembered?: CallReply<'ai-memory'>['memories']
  usage?: { prompt_tokens: number; completion_tokens: number; cost_microusd: number } | null
  at: string
}

let count = 0
const nextKey = () => `m${++count}`

/** A line of the app itself: a greeting, a plain statement. No model sees it. */
export function ownLine(content: string, role: ChatMessage['role'] = 'assistant'): ChatMessage {
  return { key: nextKey(), id: null, after: null, role, content, state: 'complete', at: new Date().toISOString() }
}

type Lines = { failed: string; empty: string }

/** Rows in the order they were written; one that names no predecessor follows the one before it. */
export const fromRows = (rows: readonly Message[], lines: Lines): ChatMessage[] =>
  rows.map((row, at) => fromRow(row, lines, row.after_id ?? rows[at - 1]?.id ?? row.conversation_id))

export function fromRow(row: Message, lines: Lines, after = row.after_id): ChatMessage {
  const { id, role, state, model, answered_by, sandbox, citations, evidence, prompt_tokens, completion_tokens, cost_microusd, created_at } =
    row
  const silent = state === 'failed' ? lines.failed : state === 'complete' && role === 'assistant' ? lines.empty : ''
  return {
    key: id,
    id,
    after: after === row.conversation_id ? null : after,
    role: role === 'user' ? 'user' : 'assistant',
    content: row.content || silent,
    state: state as ChatMessage['state'],
    model,
    answeredBy: answered_by,
    sandbox,
    citations,
    evidence,
    usage: prompt_tokens === null ? null : { prompt_tokens, completion_tokens: completion_tokens ?? 0, cost_microusd: cost_microusd ?? 0 },
    at: created_at,
  }
}

/** Millionths of a dollar, with as many places as they need to be more than nothing. */
export function cost(microusd: number) {
  if (microusd === 0) return '$0'
  const dollars = microusd / 1_000_000
  if (dollars < 0.0001) return '<$0.0001'
  return `$${dollars.toFixed(dollars < 0.01 ? 4 : dollars < 1 ? 3 : 2)}`
}

export const seconds = (ms: number) => `${(ms / 1000).toFixed(ms < 10_000 ? 2 : 1)} s`
