import { z } from 'zod'
import { endpoint, event, fn, id, table } from './contract.ts'

const timestamp = z.iso.datetime({ offset: true })
const text = (max: number) => z.string().max(max)
const MessageInput = z.object({ role: z.enum(['system', 'user', 'assistant']), content: text(200_000) })

/** Which part of the product asked: usage is counted by it. */
export const features = ['chat', 'assistant', 'lab', 'help', 'analyst', 'content', 'brand', 'ads', 'email', 'api'] as const
export const Feature = z.enum(features)
export const TokenUsage = z.object({ prompt_tokens: z.int(), completion_tokens: z.int(), total_tokens: z.int(), cost_microusd: z.int() })

// --- The OpenAI protocol, for users' own API keys -----------------------------------------------------------------------------------
export const chatCompletions = endpoint({
  method: 'POST',
  path: '/ai/v1/chat/completions',
  access: 'user',
  rate: 'ai',
  apiKeys: true,
  raw: true,
  maxBytes: 4 * 1024 * 1024,
  summary: 'OpenAI-compatible chat completions, streaming and tools included',
  body: z.looseObject({
    model: text(200),
    messages: z
      .array(z.looseObject({ role: z.string() }))
      .min(1)
      .max(2000),
    stream: z.boolean().nullish(),
  }),
  reply: z.looseObject({}),
})
const Model = z.object({
  id: z.string(),
  object: z.literal('model'),
  created: z.int(),
  owned_by: z.string(),
  name: z.string(),
  answered_by: z.string(),
  context_window: z.int(),
  input_microusd_per_mtok: z.int(),
  output_microusd_per_mtok: z.int(),
  abilities: z.array(z.string()),
  shutdown_at: z.string().nullable(),
  successor: z.string().nullable(),
  sandbox: z.boolean(),
})
export const listModels = endpoint({
  method: 'GET',
  path: '/ai/v1/models',
  access: 'user',
  rate: 'read',
  apiKeys: true,
  summary: 'The models by the names the product uses',
  reply: z.object({ object: z.literal('list'), data: z.array(Model) }),
})
export const getModel = endpoint({
  method: 'GET',
  path: '/ai/v1/models/:model',
  access: 'user',
  rate: 'read',
  apiKeys: true,
  params: z.object({ model: text(200) }),
  reply: Model,
})

// --- The named functions of the specification ------------------------------------------------------------------------------------------
/** With `stream: true` the answer is server-sent events: `delta` {text}, then `done` (this reply) or `error` {code, message, content}. */
export const aiChat = fn('ai-chat', {
  access: 'user',
  rate: 'ai',
  raw: true,
  maxBytes: 2 * 1024 * 1024,
  summary: 'One answer of one model; kept in a conversation when asked to',
  body: z.object({
    message: text(200_000).optional(),
    prompt: text(200_000).optional(),
    model: text(200).optional(),
    messages: z.array(MessageInput).max(500).optional(),
    feature: Feature.default('chat'),
    /** Keep the exchange: an id continues a conversation, `new` begins one. */
    conversation_id: z.union([id('conversation'), z.literal('new')]).optional(),
    /** Answer this message of the conversation anew: what came after it is dropped. */
    replace_message_id: id('message').optional(),
    /** What a new conversation begins with: a question and its answer from elsewhere. */
    seed: z
      .array(z.object({ role: z.enum(['user', 'assistant']), content: text(100_000) }))
      .max(2)
      .optional(),
    /** A name of the caller's for this answer: `ai-stop` ends it by that even before its first word. */
    stop_id: z.uuid().optional(),
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
    usage: TokenUsage,
    conversation_id: z.uuid().nullable(),
    message_id: z.uuid().nullable(),
  }),
})
export const aiStop = fn('ai-stop', {
  access: 'user',
  rate: 'write',
  summary: 'Ends a running answer; what has arrived is kept, and before the first word nothing is charged',
  body: z.object({ message_id: id('message').describe("The answer's id, or the `stop_id` it was asked with") }),
  reply: z.object({ stopped: z.boolean() }),
})

export const taskTypes = ['analysis', 'action', 'creation', 'automation', 'general', 'voice_command'] as const
/** What an assistant may propose. Nothing runs until the person approves it, and then under their own rights. */
export const SuggestedAction = z.object({
  id: z.uuid(),
  kind: z.enum(['navigate', 'generate_content', 'suggest_names', 'search']),
  title: z.string(),
  description: z.string(),
  input: z.record(z.string(), z.string()),
  prompts: z.int().describe('What approving it will cost, in prompts'),
})
/** With `stream: true` the same events as `ai-chat`; proposals come with `done`. */
export const aiOrchestrator = fn('ai-orchestrator', {
  access: 'user',
  rate: 'ai',
  raw: true,
  summary: 'The business analyst: an answer and the actions it proposes',
  body: z.object({
    message: text(50_000).optional(),
    task_type: z.enum(taskTypes).default('general'),
    context: z
      .object({ timestamp: z.string().optional(), source: z.enum(['dashboard', 'voice_interface']).default('dashboard') })
      .prefault({}),
    conversation_id: z.union([id('conversation'), z.literal('new')]).optional(),
    /** Answer this message of the conversation anew: what came after it is dropped. */
    replace_message_id: id('message').optional(),
    stop_id: z.uuid().optional(),
    stream: z.boolean().default(false),
  }),
  reply: z.object({
    response: z.string(),
    model_used: z.string(),
    needs_actions: z.boolean(),
    suggested_actions: z.array(SuggestedAction),
    conversation_id: z.uuid().nullable(),
    message_id: z.uuid().nullable(),
    sandbox: z.boolean(),
    usage: TokenUsage,
  }),
})
export const aiRunAction = fn('ai-run-action', {
  access: 'user',
  rate: 'ai',
  idempotent: true,
  summary: 'Runs a proposed action that the person approved',
  body: z.object({ action_id: id('action') }),
  reply: z.object({ status: z.enum(['done']), result: z.string(), link: z.string().nullable() }),
})

// --- Compare: several models in one stream ---------------------------------------------------------------------------------------------
/** Server-sent events, each with its `lane`: `start`, `first` {ms}, `delta` {text}, `done` {usage, ms}, `error` {code, message, content}; last `end`. */
export const aiCompare = fn('ai-compare', {
  access: 'user',
  rate: 'ai',
  raw: true,
  summary: 'The same prompt to several models at once, as one stream',
  body: z.object({ prompt: text(100_000).min(1), models: z.array(text(200)).min(1).max(6) }),
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

// --- Money -----------------------------------------------------------------------------------------------------------------------------
export const aiEstimate = fn('ai-estimate', {
  access: 'user',
  rate: 'read',
  summary: 'What sending would cost at most',
  body: z.object({ models: z.array(text(200)).min(1).max(6), text: text(200_000), max_tokens: z.int().min(1).max(32_000).optional() }),
  reply: z.object({ prompt_tokens: z.int(), prompts: z.int(), max_cost_microusd: z.int(), remaining: z.int().nullable() }),
})
export const aiUsage = fn('ai-usage', {
  access: 'user',
  rate: 'read',
  summary: 'This period by feature and model, and where the month is heading',
  body: z.object({}),
  reply: z.object({
    used: z.int(),
    limit: z.int().nullable(),
    period_start: z.string(),
    period_end: z.string().nullable(),
    cost_microusd: z.int(),
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
})

// --- API keys --------------------------------------------------------------------------------------------------------------------------
const scopes = ['chat', 'models'] as const
export const aiKeyCreate = fn('ai-key-create', {
  access: 'aal2',
  summary: 'Makes an API key; it is shown this once',
  body: z.object({
    name: text(80).min(1),
    scopes: z.array(z.enum(scopes)).min(1).default(['chat', 'models']),
    monthly_prompts: z.int().min(1).nullable().default(null),
    expires_at: timestamp.nullable().default(null),
  }),
  reply: z.object({ id: z.uuid(), key: z.string(), prefix: z.string() }),
})
export const aiKeyRevoke = fn('ai-key-revoke', {
  access: 'user',
  body: z.object({ key_id: id('ai_key') }),
  reply: z.object({ revoked: z.boolean() }),
})
export const aiKeys = table('ai_keys', {
  access: 'user',
  columns: z.object({
    id: id('ai_key'),
    name: z.string(),
    prefix: z.string(),
    scopes: z.array(z.string()),
    monthly_prompts: z.int().nullable(),
    created_at: timestamp,
    last_used_at: timestamp.nullable(),
    expires_at: timestamp.nullable(),
    revoked_at: timestamp.nullable(),
  }),
})

// --- Tables of the data API ------------------------------------------------------------------------------------------------------------
export const conversations = table('ai_conversations', {
  access: 'user',
  columns: z.object({
    id: id('conversation'),
    title: z.string(),
    feature: z.string(),
    model: z.string(),
    created_at: timestamp,
    updated_at: timestamp,
  }),
  update: z.object({ title: text(200).min(1) }),
  delete: true,
})
export const messages = table('ai_messages', {
  access: 'user',
  columns: z.object({
    id: id('message'),
    conversation_id: id('conversation'),
    role: z.string(),
    content: z.string(),
    /** streaming, complete, cut, stopped or failed */
    state: z.string(),
    model: z.string().nullable(),
    answered_by: z.string().nullable(),
    citations: z.array(z.string()),
    prompt_tokens: z.int().nullable(),
    completion_tokens: z.int().nullable(),
    cost_microusd: z.int().nullable(),
    /** A stand-in wrote it, since the provider has no key. */
    sandbox: z.boolean(),
    created_at: timestamp,
  }),
})
/** What an answer proposed and what became of it. */
export const actions = table('ai_actions', {
  access: 'user',
  columns: z.object({
    id: id('action'),
    message_id: id('message').nullable(),
    kind: SuggestedAction.shape.kind,
    title: z.string(),
    description: z.string(),
    input: z.record(z.string(), z.string()),
    prompts: z.int(),
    /** proposed, dismissed, running, done or failed */
    state: z.string(),
    result: z.string().nullable(),
    link: z.string().nullable(),
    created_at: timestamp,
  }),
  update: z.object({ state: z.enum(['proposed', 'dismissed']) }),
})
export const comparisons = table('ai_comparisons', {
  access: 'user',
  columns: z.object({
    id: id('comparison'),
    prompt: z.string(),
    lanes: z.array(
      z.object({
        model: z.string(),
        answered_by: z.string().nullable(),
        content: z.string(),
        state: z.string(),
        first_ms: z.int().nullable(),
        ms: z.int().nullable(),
        prompt_tokens: z.int(),
        completion_tokens: z.int(),
        cost_microusd: z.int(),
        error: z.string().nullable(),
      }),
    ),
    vote: z.int().nullable(),
    created_at: timestamp,
  }),
  delete: true,
})
export const savedPrompts = table('ai_prompts', {
  access: 'user',
  columns: z.object({ id: id('saved_prompt'), title: z.string(), body: z.string(), created_at: timestamp, updated_at: timestamp }),
  insert: z.object({ title: text(120).min(1), body: text(20_000).min(1) }),
  update: z.object({ title: text(120).min(1).optional(), body: text(20_000).min(1).optional() }),
  delete: true,
})

// --- What rests on answers -------------------------------------------------------------------------------------------------------------
/** Ad copy has limits that a platform enforces: they are validated, and repaired by asking again, before anyone sees them. */
export const AdVariation = z.object({
  primary_text: z.string().max(125),
  headline: z.string().max(27),
  description: z.string().max(30),
  targeting: z.string(),
  format: z.string(),
  tone: z.string(),
})
export const generateAds = fn('generate-ads', {
  access: 'user',
  rate: 'ai',
  summary: 'Three ad variations within 125/27/30 characters; the built-in samples, marked, when no model gave usable ones',
  body: z.object({
    details: text(5000).min(1),
    audience: text(500).optional(),
    objective: text(200).optional(),
    model: text(200).optional(),
  }),
  reply: z.object({
    variations: z.array(AdVariation).length(3),
    sample: z.boolean(),
    repaired: z.int(),
    answered_by: z.string().nullable(),
    sandbox: z.boolean(),
  }),
})
/** What the Content Creator has written for the account. */
export const contentStats = fn('content-stats', {
  access: 'user',
  rate: 'read',
  body: z.object({}),
  reply: z.object({ pieces: z.int(), words: z.int(), finished: z.int(), this_month: z.int() }),
})
/** An availability is what the extension's registry said, or `unknown`: never a guess. */
export const checkDomains = fn('check-domains', {
  access: 'user',
  rate: 'read',
  body: z.object({ name: text(63).min(1) }),
  reply: z.object({
    results: z.array(
      z.object({
        domain: z.string(),
        status: z.enum(['available', 'taken', 'unknown']),
        checked_at: z.string(),
        reason: z.string().nullable(),
        prices: z.array(z.object({ provider: z.string(), price_cents: z.int(), original_price_cents: z.int(), link: z.string() })),
      }),
    ),
    prices_as_of: z.string(),
    sandbox: z.boolean(),
  }),
})

export const completionFinished = event(
  'ai-gateway.completion_finished',
  z.object({
    feature: z.string(),
    command: z.string(),
    model: z.string(),
    answered_by: z.string(),
    status: z.enum(['completed', 'cut', 'failed', 'stopped']),
    prompt_tokens: z.int(),
    completion_tokens: z.int(),
    cost_microusd: z.int(),
    duration_ms: z.int(),
  }),
)
/** An answer may run in any instance; the one that has it ends it. */
export const stopAnswer = event(
  'ai-gateway.stop_answer',
  z.object({ user_id: z.uuid(), id: z.uuid(), lane: z.int().nullable() }),
  'broadcast',
)
