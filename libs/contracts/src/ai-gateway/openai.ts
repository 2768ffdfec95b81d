import { z } from 'zod'
import { endpoint, fn, id, table, text, time } from '../contract.ts'

// The OpenAI protocol, and the keys of a user's own that open it.

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

const scopes = ['chat', 'models'] as const
export const aiKeyCreate = fn('ai-key-create', {
  access: 'aal2',
  summary: 'Makes an API key; it is shown this once',
  body: z.object({
    name: text(80).min(1),
    scopes: z.array(z.enum(scopes)).min(1).default(['chat', 'models']),
    monthly_prompts: z.int().min(1).nullable().default(null),
    expires_at: time.nullable().default(null),
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
    created_at: time,
    last_used_at: time.nullable(),
    expires_at: time.nullable(),
    revoked_at: time.nullable(),
  }),
})
