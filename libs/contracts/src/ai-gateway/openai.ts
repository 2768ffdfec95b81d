import { z } from 'zod'
import { endpoint, text } from '../contract.ts'

// The OpenAI protocol.

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
export const createResponse = endpoint({
  method: 'POST',
  path: '/ai/v1/responses',
  access: 'user',
  rate: 'ai',
  apiKeys: true,
  raw: true,
  maxBytes: 4 * 1024 * 1024,
  summary: 'OpenAI-compatible responses, streaming and tools included',
  description: 'Nothing is stored: each call sends what was said before.',
  body: z.looseObject({
    model: text(200),
    input: z.union([z.string(), z.array(z.unknown()).max(2000)]),
    stream: z.boolean().nullish(),
  }),
  reply: z.looseObject({}),
})
/** The largest number of texts in one call. */
export const MOST_EMBEDDED = 512
const tokens = z.array(z.int().nonnegative()).min(1).max(8192)
const embeddable = z.string().min(1).max(200_000)
export const createEmbeddings = endpoint({
  method: 'POST',
  path: '/ai/v1/embeddings',
  access: 'user',
  rate: 'ai',
  apiKeys: true,
  maxBytes: 4 * 1024 * 1024,
  summary: 'OpenAI-compatible embeddings',
  description: 'A call counts as one prompt, with up to 512 texts. `text-embedding-3-small` and `text-embedding-3-large` are here.',
  body: z.looseObject({
    model: text(200),
    input: z.union([embeddable, tokens, z.array(embeddable).min(1).max(MOST_EMBEDDED), z.array(tokens).min(1).max(MOST_EMBEDDED)]),
  }),
  reply: z.object({
    object: z.literal('list'),
    data: z.array(
      z.object({ object: z.literal('embedding'), index: z.int().nonnegative(), embedding: z.union([z.string(), z.array(z.number())]) }),
    ),
    model: z.string(),
    usage: z.object({ prompt_tokens: z.int().nonnegative(), total_tokens: z.int().nonnegative() }),
  }),
  errors: ['model_unknown', 'model_refused', 'model_unavailable', 'key_scope', 'key_limit'],
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
  summary: 'The models, by the names the product uses',
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
