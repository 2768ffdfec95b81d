import { z } from 'zod'
import { id, table, text, time } from '../contract.ts'
import { Evidence } from './api.ts'

// Conversations as they are kept, and read through the data API.

export const conversations = table('ai_conversations', {
  access: 'user',
  columns: z.object({
    id: id('conversation'),
    title: z.string(),
    feature: z.string(),
    model: z.string(),
    /** The last message of the version shown last; the newest message where there is none. */
    tip_id: id('message').nullable(),
    created_at: time,
    updated_at: time,
  }),
  update: z.object({ title: text(200).min(1).optional(), tip_id: id('message').optional() }),
  delete: true,
})
export const messages = table('ai_messages', {
  access: 'user',
  columns: z.object({
    id: id('message'),
    conversation_id: id('conversation'),
    /** The message that this one follows, or the conversation where it is the first: messages that follow the same one are its versions. Without it, it follows the one before. */
    after_id: z.uuid().nullable(),
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
    /** The rows that its figures come from. */
    evidence: z.array(Evidence).nullish(),
    created_at: time,
  }),
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
        sandbox: z.boolean().default(false),
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
    created_at: time,
  }),
  delete: true,
})
export const savedPrompts = table('ai_prompts', {
  access: 'user',
  columns: z.object({ id: id('saved_prompt'), title: z.string(), body: z.string(), created_at: time, updated_at: time }),
  insert: z.object({ title: text(120).min(1), body: text(20_000).min(1) }),
  update: z.object({ title: text(120).min(1).optional(), body: text(20_000).min(1).optional() }),
  delete: true,
})
