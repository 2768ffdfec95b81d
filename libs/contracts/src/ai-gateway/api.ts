import { z } from 'zod'
import { col, fn, id, reading, text, time } from '../contract.ts'
import { Approval } from './approvals.ts'
import { inputLimits } from './limits.ts'
import { Memory } from './memory.ts'
import { WritingOrder } from './writing.ts'

const MessageInput = z.object({ role: z.enum(['system', 'user', 'assistant']), content: text(200_000) })

/** The part of the product that asked: usage is counted by it. */
export const features = ['chat', 'assistant', 'lab', 'help', 'analyst', 'content', 'brand', 'ads', 'email', 'api'] as const
export const Feature = z.enum(features)
export const TokenUsage = z.object({ prompt_tokens: z.int(), completion_tokens: z.int(), total_tokens: z.int(), cost_microusd: z.int() })

const Column = z.object({ label: z.string(), as: z.enum(['text', 'time', 'cents', 'microusd', 'count', 'percent']) })
/** The evidence of an answer: the rows beside its figures, as the answering capability declares them. */
export const Evidence = z.object({
  action: z.string(),
  title: z.string(),
  columns: z.record(z.string(), Column),
  rows: z.array(z.record(z.string(), z.unknown())).max(50),
  /** In words, the part that these rows leave out. */
  note: z.string().optional(),
})

/** With tools: what an answer looked up, what it changed, the steps that wait for one approval, and the page it leads to. */
const findings = {
  evidence: z.array(Evidence).optional(),
  /** Changes that the person asked for outright and can undo, each as an approval that ran. */
  done: z.array(Approval).optional(),
  approval: Approval.nullish(),
  open: z.object({ path: z.string(), name: z.string() }).nullish(),
  /** A new memory, in the person's own words. */
  remembered: z.array(Memory).optional(),
}
/** The pages of the app that the person can be led to. */
const pages = z
  .array(z.object({ path: text(100).regex(/^\/dashboard(\/[a-z0-9-]+)*$/), name: text(80).min(1) }))
  .max(60)
  .optional()

/**
 * With `stream: true` the answer is server-sent events: `kept` with the ids at once where it is kept, `start`, `delta` {text}, then `done` (this
 * reply) or `error` {code, message, content}, which after `kept` has the status and details of a refusal as well.
 */
export const aiChat = fn('ai-chat', {
  demo: 'recorded',
  access: 'user',
  rate: 'ai',
  raw: true,
  maxBytes: 2 * 1024 * 1024,
  summary: 'One answer of one model; kept in a conversation when asked to',
  body: z.object({
    message: text(inputLimits.chat).optional(),
    prompt: text(inputLimits.chat).optional(),
    model: text(200).optional(),
    messages: z.array(MessageInput).max(500).optional(),
    feature: Feature.default('chat'),
    /** Written by a prompt of the server's own, in place of `message` and `messages`. */
    writing: WritingOrder.optional(),
    /** Keep the exchange: an id continues a conversation, `new` begins one. */
    conversation_id: z.union([id('conversation'), z.literal('new')]).optional(),
    /** Another version of this message: both are kept, each with what followed it. */
    replace_message_id: id('message').optional(),
    /** Go on after this message; after the version shown last when absent. */
    after_message_id: id('message').optional(),
    /** Starts a new conversation with a question and its answer from elsewhere. */
    seed: z
      .array(z.object({ role: z.enum(['user', 'assistant']), content: text(100_000) }))
      .max(2)
      .optional(),
    /** A name of the caller's for this answer: `ai-stop` ends it by that even before its first word. */
    stop_id: z.uuid().optional(),
    /** It may look up the person's own data and propose what can be done; each round of tools is a prompt of its own. */
    tools: z.boolean().optional(),
    pages,
    json: z.boolean().optional(),
    max_tokens: z.int().min(1).max(32_000).optional(),
    stream: z.boolean().default(false),
  }),
  reply: z.object({
    response: z.string(),
    content: z.string(),
    model: z.string(),
    answered_by: z.string(),
    sandbox: z.boolean(),
    citations: z.array(z.string()).default([]),
    ...findings,
    usage: TokenUsage,
    conversation_id: z.uuid().nullable(),
    message_id: z.uuid().nullable(),
  }),
})
export const aiStop = fn('ai-stop', {
  access: 'user',
  rate: 'write',
  summary: 'Ends a running answer; what has arrived is kept. A question that a model has begun to read counts as one prompt',
  body: z.object({ message_id: id('message').describe("The answer's id, or the `stop_id` it was asked with") }),
  reply: z.object({ stopped: z.boolean() }),
})

/** The newest that have all of these words, in their title or in what was said. The last word may be half typed. */
export const searchConversations = reading('search-conversations', {
  summary: 'Finds conversations by the words in them, with every assistant or some',
  body: z.object({ query: text(inputLimits.search).min(1), features: z.array(Feature).max(features.length).optional() }),
  reply: z.object({
    found: z.array(
      z.object({
        conversation_id: z.uuid(),
        title: z.string(),
        feature: z.string(),
        updated_at: time,
        /** The newest message that has the words, with those around them; nothing where only the title has. */
        message_id: z.uuid().nullable(),
        excerpt: z.string().nullable(),
      }),
    ),
  }),
})

export const taskTypes = ['analysis', 'action', 'creation', 'automation', 'general', 'voice_command'] as const
/** With `stream: true` the same events as `ai-chat`; proposals come with `done`. */
export const aiOrchestrator = fn('ai-orchestrator', {
  demo: 'recorded',
  access: 'user',
  rate: 'ai',
  raw: true,
  summary: 'The business analyst: an answer and the actions it proposes',
  body: z.object({
    message: text(inputLimits.analyst).optional(),
    task_type: z.enum(taskTypes).default('general'),
    context: z
      .object({ timestamp: z.string().optional(), source: z.enum(['dashboard', 'voice_interface']).default('dashboard') })
      .prefault({}),
    conversation_id: z.union([id('conversation'), z.literal('new')]).optional(),
    /** Another version of this message: both are kept, each with what followed it. */
    replace_message_id: id('message').optional(),
    /** Go on after this message; after the version shown last when absent. */
    after_message_id: id('message').optional(),
    pages,
    stop_id: z.uuid().optional(),
    stream: z.boolean().default(false),
  }),
  reply: z.object({
    response: z.string(),
    model_used: z.string(),
    needs_actions: z.boolean(),
    /** The steps of `approval`, in words. */
    suggested_actions: z.array(z.object({ action: z.string(), title: z.string(), description: z.string() })),
    ...findings,
    conversation_id: z.uuid().nullable(),
    message_id: z.uuid().nullable(),
    sandbox: z.boolean(),
    usage: TokenUsage,
  }),
})
/** Server-sent events, each with its `lane`: `start`, `first` {ms}, `delta` {text}, `done` {usage, ms}, `error` {code, message, content}; last `end`. */
export const aiCompare = fn('ai-compare', {
  demo: 'recorded',
  access: 'user',
  rate: 'ai',
  raw: true,
  summary: 'The same prompt to several models at once, as one stream',
  body: z.object({ prompt: text(inputLimits.compare).min(1), models: z.array(text(200)).min(1).max(6) }),
  reply: z.object({}),
})
export const aiCompareStop = fn('ai-compare-stop', {
  access: 'user',
  body: z.object({ comparison_id: id('comparison'), lane: z.int().min(0).max(5).optional() }),
  reply: z.object({ stopped: z.int() }),
})
export const aiCompareVote = fn('ai-compare-vote', {
  access: 'user',
  body: z.object({ comparison_id: id('comparison'), lane: z.int().min(0).max(5) }),
  reply: z.object({ comparison_id: z.uuid(), lane: z.int() }),
})

export const aiEstimate = reading('ai-estimate', {
  summary: 'The most that sending could cost',
  body: z.object({ models: z.array(text(200)).min(1).max(6), text: text(200_000), max_tokens: z.int().min(1).max(32_000).optional() }),
  reply: z.object({
    prompt_tokens: z.int(),
    prompts: z.int(),
    max_cost_microusd: z.int(),
    remaining: z.int().nullable(),
    /** Longer than the plan takes at once, which is `max_characters`. */
    too_long: z.boolean().optional(),
    max_characters: z.int().optional(),
    budget_microusd: z.int().optional(),
    budget_left_microusd: z.int().optional(),
  }),
})
export const aiUsage = reading('ai-usage', {
  summary: 'Shows the AI prompts of this period by feature and model, and a forecast for its end',
  description: 'Costs are in millionths of a US dollar, at the prices of the models that answered. A plan without a limit has null.',
  body: z.object({}),
  reply: z.object({
    used: z.int(),
    limit: z.int().nullable(),
    period_start: z.string(),
    period_end: z.string().nullable(),
    cost_microusd: z.int(),
    /** The plan's budget for answers in this period, at the models' list prices. */
    budget_microusd: z.int().nullish(),
    forecast_prompts: z.int(),
    by_model: z.array(
      z.object({
        model: z.string(),
        answers: z.int(),
        prompt_tokens: z.int(),
        completion_tokens: z.int(),
        cost_microusd: z.int(),
        avg_ms: z.int(),
      }),
    ),
    by_feature: z.array(z.object({ feature: z.string(), answers: z.int(), cost_microusd: z.int() })),
  }),
  example: {
    request: {},
    reply: {
      used: 15,
      limit: 1000,
      period_start: '2026-11-01T00:00:00.000Z',
      period_end: '2026-12-01T00:00:00.000Z',
      cost_microusd: 12_400,
      forecast_prompts: 22,
      by_model: [{ model: 'gpt-4o-mini', answers: 15, prompt_tokens: 5200, completion_tokens: 9100, cost_microusd: 12_400, avg_ms: 1840 }],
      by_feature: [{ feature: 'chat', answers: 15, cost_microusd: 12_400 }],
    },
  },
  errors: [],
  action: {
    title: 'Show AI usage',
    when: 'The person asks how many AI prompts they used or have left, or what models cost',
    effect: 'reads',
    evidence: {
      rows: 'by_model',
      columns: { model: col.text('Model'), answers: col.count('Answers'), cost_microusd: col.microusd('Model cost') },
    },
  },
})
