import { z } from 'zod'
import { changing, col, fn, id, reading, text, time } from '../contract.ts'
import { connectionStates } from './connections.ts'

// Any other API: an address and a key of the person's own. Its operations are told by its OpenAPI document, or are calls below its address;
// those of an MCP server are its tools, each of which the person allows.

const connection_id = id('connection')
export const customKinds = ['api', 'mcp'] as const
/** Of a tool: not callable, callable once the person approves each call, or callable as what only reads. */
export const toolAllowances = ['no', 'asks', 'reads'] as const
export const customAuths = ['none', 'bearer', 'header', 'query', 'basic', 'oauth', 'signin'] as const

const CustomApi = z.object({
  connection_id,
  name: z.string(),
  base: z.string(),
  kind: z.enum(customKinds),
  auth: z.enum(customAuths),
  state: z.enum(connectionStates),
  failure: z.string().nullable(),
  /** Of an MCP server: the tools that are allowed. */
  operations: z.int().min(0),
  last_call_at: time.nullable(),
  created_at: time,
})
const one = '01931a5c-7d4b-7c3e-9a41-0f6f2f9f4b70'
const example = {
  connection_id: one,
  name: 'Stock',
  base: 'https://stock.example.com/v1',
  kind: 'api' as const,
  auth: 'bearer' as const,
  state: 'connected' as const,
  failure: null,
  operations: 12,
  last_call_at: null,
  created_at: '2026-11-24T10:00:00.000Z',
}

export const listCustomApis = reading('list-custom-apis', {
  summary: 'Lists the APIs and MCP servers of the person’s own that are connected',
  description: 'Their keys are never shown.',
  body: z.object({}),
  reply: z.object({ apis: z.array(CustomApi) }),
  example: { request: {}, reply: { apis: [example] } },
  errors: [],
  action: {
    title: 'List your own APIs',
    when: 'The person asks which APIs or MCP servers of their own are connected, beside the apps of the library',
    effect: 'reads',
    evidence: { rows: 'apis', columns: { name: col.text('API'), base: col.text('Address') } },
  },
})

export const connectCustomApi = fn('connect-custom-api', {
  access: 'user',
  rate: 'write',
  demo: 'never',
  summary: 'Connects an API by its OpenAPI document or its address',
  description:
    'Give `document` (JSON, OpenAPI 3), `document_url` or `base`. `auth` says how the key travels: `bearer`, `header` or `query` under `auth_name`, `basic` as user:password, `oauth`, which buys a token at `token_url` for `client_id` and the key as its secret, or `signin`, where the person approves at `authorize_url` (authorization code with PKCE): it works once `begin-custom-sign-in` was followed. With the `kind` `mcp`, `base` is the address of an MCP server (streamable HTTP), none of whose tools is allowed at first. It is tried with one call; a key that is refused is not kept. `left_out` operations were more than are kept, or cannot be called.',
  body: z.object({
    name: text(80).min(1),
    kind: z.enum(customKinds).default('api'),
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
    authorize_url: text(1000).optional(),
    scope: text(1000).optional(),
    /** Below the address: what the key is tried with. */
    check_path: text(300).optional(),
  }),
  reply: z.object({ connection_id, operations: z.int(), left_out: z.int() }),
  example: {
    request: { name: 'Stock', document_url: 'https://stock.example.com/openapi.json', auth: 'bearer' as const, key: 'a-key' },
    reply: { connection_id: one, operations: 12, left_out: 0 },
  },
  errors: [
    'anonymous_no_calls',
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

export const listCustomOperations = reading('list-custom-operations', {
  summary: 'Lists what can be called of an API of the person’s own',
  description:
    '`input` is the JSON schema that a call of it takes. `q` finds by words of the name, the title or the path. Of an MCP server, the tools that are allowed.',
  body: z.object({ connection_id, q: text(200).optional() }),
  reply: z.object({
    operations: z.array(
      z.object({
        name: z.string(),
        title: z.string(),
        /** Of a tool, in its server’s words. */
        description: z.string().optional(),
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
    evidence: { rows: 'operations', columns: { title: col.text('Operation'), path: col.text('Path') } },
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

export const readCustomApi = reading('read-custom-api', {
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
    evidence: { columns: { answer: col.text('Answer') } },
  },
})

export const runCustomApi = fn('run-custom-api', {
  access: 'user',
  idempotent: 'two-phase',
  summary: 'Does something in an API of the person’s own, or calls a tool of their MCP server',
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
    when: 'Something is to be added, changed or sent in an API of the person’s own, or a tool of their MCP server is to be called',
    effect: 'sends',
    does: ({ operation, input }) => `Calls “${operation}” of your API with ${JSON.stringify(input).slice(0, 300)}`,
  },
})

export const beginCustomSignIn = fn('begin-custom-sign-in', {
  access: 'user',
  rate: 'write',
  demo: 'never',
  summary: 'Begins to sign in at an API of the person’s own',
  description: 'Register `PUBLIC_URL/connect/custom` as the redirect of your client there.',
  body: z.object({ connection_id }),
  reply: z.object({ auth_url: z.url() }),
  errors: ['app_not_connected', 'app_action_unknown'],
})
export const finishCustomSignIn = fn('finish-custom-sign-in', {
  access: 'user',
  rate: 'write',
  demo: 'never',
  summary: 'Takes what an API answered after the person approved it',
  description: 'Only the person who began it can finish it, within ten minutes, once.',
  body: z.object({ state: text(200), code: text(4000).optional(), error: text(200).optional() }),
  reply: z.object({ connection_id, name: z.string() }),
  errors: [
    ...(['connection_attempt', 'connection_refused', 'connection_denied', 'app_not_connected', 'blocked_address'] as const),
    ...(['upstream_failed', 'upstream_timeout'] as const),
  ],
})

const Tool = z.object({
  name: z.string(),
  title: z.string(),
  /** In the words of the server. */
  description: z.string(),
  /** The server’s word, which decides nothing. */
  read_only: z.boolean(),
  allow: z.enum(toolAllowances),
})
const exampleTool = {
  ...{ name: 'search_orders', title: 'Search orders', description: 'Finds orders by their words.' },
  ...{ read_only: true, allow: 'asks' as const },
}
export const listMcpTools = reading('list-mcp-tools', {
  summary: 'Lists the tools of a connected MCP server, allowed or not',
  description: 'As the server told them when it was connected or last asked.',
  body: z.object({ connection_id }),
  reply: z.object({ tools: z.array(Tool) }),
  example: { request: { connection_id: one }, reply: { tools: [exampleTool] } },
  errors: ['app_not_connected'],
})
export const refreshMcpTools = fn('refresh-mcp-tools', {
  access: 'user',
  rate: 'write',
  summary: 'Asks a connected MCP server for its tools again',
  description: 'Tools that say or take something else than before are not allowed any more until the person allows them again.',
  body: z.object({ connection_id }),
  reply: z.object({ tools: z.array(Tool), left_out: z.int() }),
  example: { request: { connection_id: one }, reply: { tools: [exampleTool], left_out: 0 } },
  errors: [
    'app_not_connected',
    'app_busy',
    'connection_broken',
    'custom_api_document',
    'blocked_address',
    'upstream_failed',
    'upstream_timeout',
  ],
})
export const allowMcpTool = fn('allow-mcp-tool', {
  access: 'user',
  rate: 'write',
  summary: 'Says whether a tool of a connected MCP server may be called',
  description: '`no`; `asks`, where each call waits for the person’s approval; or `reads`, where it is called without asking.',
  body: z.object({ connection_id, tool: text(120).min(1), allow: z.enum(toolAllowances) }),
  reply: z.object({ tools: z.array(Tool) }),
  example: { request: { connection_id: one, tool: 'search_orders', allow: 'asks' as const }, reply: { tools: [exampleTool] } },
  errors: ['app_not_connected', 'app_action_unknown'],
})

export const disconnectCustomApi = changing('disconnect-custom-api', {
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
