import { z } from 'zod'
import { fn, id, text, time } from '../contract.ts'
import { connectionStates } from './connections.ts'

// Any other API: an address and a key of the person's own. Its operations are told by its OpenAPI document, or are calls below its address.

const connection_id = id('connection')
export const customAuths = ['none', 'bearer', 'header', 'query', 'basic', 'oauth'] as const

const CustomApi = z.object({
  connection_id,
  name: z.string(),
  base: z.string(),
  auth: z.enum(customAuths),
  state: z.enum(connectionStates),
  failure: z.string().nullable(),
  operations: z.int().min(0),
  last_call_at: time.nullable(),
  created_at: time,
})
const one = '01931a5c-7d4b-7c3e-9a41-0f6f2f9f4b70'
const example = {
  connection_id: one,
  name: 'Stock',
  base: 'https://stock.example.com/v1',
  auth: 'bearer' as const,
  state: 'connected' as const,
  failure: null,
  operations: 12,
  last_call_at: null,
  created_at: '2026-11-24T10:00:00.000Z',
}

export const listCustomApis = fn('list-custom-apis', {
  access: 'user',
  rate: 'read',
  summary: 'Lists the APIs of the person’s own that are connected',
  description: 'Their keys are never shown.',
  body: z.object({}),
  reply: z.object({ apis: z.array(CustomApi) }),
  example: { request: {}, reply: { apis: [example] } },
  errors: [],
  action: {
    title: 'List your own APIs',
    when: 'The person asks which APIs of their own are connected, beside the apps of the library',
    effect: 'reads',
    evidence: { rows: 'apis', columns: { name: { label: 'API', as: 'text' }, base: { label: 'Address', as: 'text' } } },
  },
})

export const connectCustomApi = fn('connect-custom-api', {
  access: 'user',
  rate: 'write',
  summary: 'Connects an API by its OpenAPI document or its address',
  description:
    'Give `document` (JSON, OpenAPI 3), `document_url` or `base`. `auth` says how the key travels: `bearer`, `header` or `query` under `auth_name`, `basic` as user:password, or `oauth`, which buys a token at `token_url` for `client_id` and the key as its secret. It is tried with one call; a key that is refused is not kept. `left_out` operations were more than are kept, or cannot be called.',
  body: z.object({
    name: text(80).min(1),
    /** The API whose key, address or document is replaced. */
    connection_id: connection_id.optional(),
    base: text(500).optional(),
    document: text(900_000).optional(),
    document_url: text(1000).optional(),
    auth: z.enum(customAuths).default('none'),
    auth_name: text(100).optional(),
    key: text(4000).optional(),
    client_id: text(400).optional(),
    token_url: text(1000).optional(),
    /** Below the address: what the key is tried with. */
    check_path: text(300).optional(),
  }),
  reply: z.object({ connection_id, operations: z.int(), left_out: z.int() }),
  example: {
    request: { name: 'Stock', document_url: 'https://stock.example.com/openapi.json', auth: 'bearer' as const, key: 'a-key' },
    reply: { connection_id: one, operations: 12, left_out: 0 },
  },
  errors: [
    'custom_api_document',
    'app_not_connected',
    'app_refused',
    'app_key_refused',
    'app_key_missing',
    'connection_limit',
    'blocked_address',
    'upstream_failed',
    'upstream_timeout',
  ],
})

export const listCustomOperations = fn('list-custom-operations', {
  access: 'user',
  rate: 'read',
  summary: 'Lists what can be called of an API of the person’s own',
  description: '`input` is the JSON schema that a call of it takes. `q` finds by words of the name, the title or the path.',
  body: z.object({ connection_id, q: text(200).optional() }),
  reply: z.object({
    operations: z.array(
      z.object({
        name: z.string(),
        title: z.string(),
        effect: z.enum(['reads', 'sends']),
        method: z.string(),
        path: z.string(),
        input: z.record(z.string(), z.unknown()),
      }),
    ),
  }),
  example: {
    request: { connection_id: one, q: 'item' },
    reply: {
      operations: [
        { name: 'listItems', title: 'List items', effect: 'reads' as const, method: 'GET', path: '/items', input: { type: 'object' } },
      ],
    },
  },
  errors: ['app_not_connected'],
  action: {
    title: 'List what an API of your own can do',
    when: 'Something is wanted from an API of the person’s own, and its operations are not known yet',
    effect: 'reads',
    evidence: { rows: 'operations', columns: { title: { label: 'Operation', as: 'text' }, path: { label: 'Path', as: 'text' } } },
  },
})

const operation = { connection_id, operation: text(120), input: z.record(z.string(), z.unknown()).default({}) }
const Answered = z.object({
  /** As the API gave it, at most 20,000 characters of it. */
  answer: z.string(),
  cut: z.boolean(),
})
const callErrors = [
  ...(['app_not_connected', 'app_action_unknown', 'app_input', 'app_busy', 'app_refused'] as const),
  ...(['connection_broken', 'blocked_address', 'upstream_failed', 'upstream_timeout'] as const),
]

export const readCustomApi = fn('read-custom-api', {
  access: 'user',
  rate: 'read',
  summary: 'Reads from an API of the person’s own',
  description: 'An operation of `list-custom-operations` that only reads.',
  body: z.object(operation),
  reply: Answered,
  example: { request: { connection_id: one, operation: 'listItems' }, reply: { answer: '{"items":[]}', cut: false } },
  errors: callErrors,
  action: {
    title: 'Read from an API of your own',
    when: 'Something is to be read from an API of the person’s own',
    effect: 'reads',
    evidence: { columns: { answer: { label: 'Answer', as: 'text' } } },
  },
})

export const runCustomApi = fn('run-custom-api', {
  access: 'user',
  idempotent: 'two-phase',
  summary: 'Does something in an API of the person’s own',
  description: 'An operation of `list-custom-operations` that does more than read. Under the same `Idempotency-Key` it is not done twice.',
  body: z.object(operation),
  reply: Answered,
  example: {
    request: { connection_id: one, operation: 'addItem', input: { body: { name: 'Cup' } } },
    reply: { answer: '{"id":7}', cut: false },
  },
  errors: [...callErrors, 'app_unknown_outcome'],
  action: {
    title: 'Do something in an API of your own',
    when: 'Something is to be added, changed or sent in an API of the person’s own',
    effect: 'sends',
    does: ({ operation, input }) => `Calls “${operation}” of your API with ${JSON.stringify(input).slice(0, 300)}`,
  },
})

export const disconnectCustomApi = fn('disconnect-custom-api', {
  access: 'user',
  idempotent: true,
  summary: 'Disconnects an API of the person’s own and forgets its key',
  description: 'Steps of workflows that call it fail from then on. It can be connected again with its key.',
  body: z.object({ connection_id }),
  reply: z.object({ disconnected: z.boolean() }),
  example: { request: { connection_id: one }, reply: { disconnected: true } },
  errors: [],
  action: {
    title: 'Disconnect an API of your own',
    when: 'The person asks to disconnect an API of their own',
    effect: 'changes',
    does: () => 'Disconnects the API and forgets its key',
  },
})
