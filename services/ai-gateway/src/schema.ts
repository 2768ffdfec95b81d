import type { approvalStates, Step as StepShape } from '@operon/contracts/ai-gateway/approvals'
import type { ColumnType, Generated } from 'kysely'
import type { z } from 'zod'

export type Step = z.output<typeof StepShape>

export type MessageState = 'streaming' | 'complete' | 'cut' | 'stopped' | 'failed'
export type Lane = {
  model: string
  answered_by: string | null
  sandbox: boolean
  content: string
  state: MessageState
  first_ms: number | null
  ms: number | null
  prompt_tokens: number
  completion_tokens: number
  cost_microusd: number
  error: string | null
}

export type AiDb = {
  ai_conversations: {
    id: string
    user_id: string
    title: string
    feature: string
    model: string
    tip_id: string | null
    created_at: Generated<Date>
    updated_at: Generated<Date>
  }
  ai_messages: {
    id: string
    conversation_id: string
    after_id: string | null
    user_id: string
    role: 'user' | 'assistant'
    content: string
    state: MessageState
    model: string | null
    answered_by: string | null
    citations: Generated<string[]>
    prompt_tokens: number | null
    completion_tokens: number | null
    cost_microusd: number | null
    sandbox: Generated<boolean>
    /** The rows that its figures come from. */
    evidence: ColumnType<unknown, string | null | undefined, string | null>
    created_at: Generated<Date>
    updated_at: Generated<Date>
  }
  ai_usage: {
    id: string
    user_id: string
    key_id: string | null
    feature: string
    model: string
    answered_by: string
    status: 'completed' | 'cut' | 'failed' | 'stopped'
    prompt_tokens: number
    completion_tokens: number
    /** Whether the provider counted the tokens, or we did. */
    counted: boolean
    cost_microusd: number
    duration_ms: number
    created_at: Generated<Date>
  }
  /** Sums of a day's answers, kept by the database. */
  ai_usage_days: {
    user_id: string
    day: Date
    model: string
    feature: string
    answers: number
    prompt_tokens: number
    completion_tokens: number
    cost_microusd: number
    duration_ms: number
  }
  /** Sums of a month's writing, deleted pieces included. */
  ai_written: { user_id: string; month: Date; pieces: number; words: number; finished: number }
  /** Keys from before identity kept them, until it has taken them over. */
  ai_keys: {
    id: string
    user_id: string
    name: string
    prefix: string
    hash: string
    scopes: string[]
    monthly_prompts: number | null
    month: Date | null
    month_prompts: Generated<number>
    created_at: Generated<Date>
    last_used_at: Date | null
    expires_at: Date | null
    revoked_at: Date | null
    moved_at: Date | null
    moved_ended: Generated<boolean>
  }
  /** How much of its own monthly limit a key has used. */
  ai_key_use: { key_id: string; user_id: string; month: Date; prompts: number }
  ai_comparisons: { id: string; user_id: string; prompt: string; lanes: unknown; vote: number | null; created_at: Generated<Date> }
  ai_prompts: { id: string; user_id: string; title: string; body: string; created_at: Generated<Date>; updated_at: Generated<Date> }
  ai_approvals: {
    id: string
    user_id: string
    message_id: string | null
    title: string
    steps: ColumnType<Step[], string, string>
    /** Of what the person sees before approving: sentences, inputs and previews. */
    hash: string
    state: Generated<(typeof approvalStates)[number]>
    origin: string
    asked_key: string | null
    prompts: number
    created_at: Generated<Date>
    expires_at: Date
    /** While it runs: when its process last said so. */
    beat_at: Generated<Date | null>
    ended_at: Generated<Date | null>
  }
  /** The apps that a person has connected, as integrations tells. */
  ai_connections: { user_id: string; app: string; version: number; connected: boolean }
  /** Notes in the person's words that the assistants remember. */
  ai_memories: { id: string; user_id: string; content: string; created_at: Generated<Date>; updated_at: Generated<Date> }
  ai_memory_off: { user_id: string }
  /** Rows of the former kinds of action; kept for one release. */
  ai_actions: {
    id: string
    user_id: string
    message_id: string | null
    prompts: Generated<number>
    kind: string
    title: string
    description: string
    input: unknown
    state: Generated<'proposed' | 'dismissed' | 'running' | 'done' | 'failed'>
    result: string | null
    link: string | null
    /** When it was last begun. */
    begun_at: Generated<Date | null>
    created_at: Generated<Date>
  }
}
