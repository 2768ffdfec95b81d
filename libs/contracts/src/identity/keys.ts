import { z } from 'zod'
import { fn, id, oneLine, reading, request, table, time } from '../contract.ts'

/** The scopes of a key: the models by their protocol, every capability that reads or changes, or one capability by its name. */
export const keyScopes = ['chat', 'models', 'reads', 'changes', 'all'] as const
const KeyScope = z.union([
  z.enum(keyScopes),
  z
    .string()
    .regex(/^do:[a-z][a-z0-9-]{0,60}$/)
    .meta({ examples: ['do:ai-usage'] }),
])

export const aiKeyCreate = fn('ai-key-create', {
  access: 'aal2',
  summary: 'Creates an API key, which is shown only once',
  description:
    'Scopes: `chat` and `models` open `/ai/v1`; `reads` and `changes` open every capability of that effect, `all` both; `do:<name>` opens one capability, and is the only scope that lets a key spend, send or remove.',
  body: z.object({
    name: oneLine(80).min(1),
    scopes: z.array(KeyScope).min(1).max(50).default(['chat', 'models']),
    monthly_prompts: z.int().min(1).nullable().default(null),
    expires_at: time.nullable().default(null),
  }),
  reply: z.object({ id: z.uuid(), key: z.string(), prefix: z.string() }),
})
export const aiKeyScopes = reading('ai-key-scopes', {
  summary: 'The capabilities that a key can be given one by one',
  body: z.object({}).nullish(),
  reply: z.object({
    capabilities: z.array(
      z.object({ name: z.string(), title: z.string(), effect: z.enum(['reads', 'changes', 'spends', 'sends', 'destroys']) }),
    ),
  }),
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

const FoundKey = z.object({ id: z.uuid(), user_id: z.uuid(), scopes: z.array(z.string()), monthly_prompts: z.int().nullable() })
const KeyAnswer = z.discriminatedUnion('state', [
  z.object({ state: z.literal('good'), key: FoundKey }),
  z.object({ state: z.literal('ended') }),
  z.object({ state: z.literal('unknown') }),
])
export type KeyAnswer = z.output<typeof KeyAnswer>
/** Looks up the owner of a key by its hash. Every verifier asks this. */
export const findKey = request('identity.find_key', z.object({ hash: z.string().max(100) }), KeyAnswer)

/** Keys that ai-gateway made before identity kept them: taken over once, and again where one was revoked there later. */
export const adoptKeys = request(
  'identity.adopt_keys',
  z.object({
    keys: z
      .array(
        z.object({
          ...FoundKey.shape,
          name: z.string(),
          prefix: z.string(),
          hash: z.string(),
          created_at: time,
          last_used_at: time.nullable(),
          expires_at: time.nullable(),
          revoked_at: time.nullable(),
        }),
      )
      .max(500),
  }),
  z.object({ adopted: z.array(z.uuid()) }),
)
