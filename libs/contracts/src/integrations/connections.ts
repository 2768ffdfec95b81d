import { z } from 'zod'
import { changing, col, fn, id, reading, text, time } from '../contract.ts'
import { appName } from '../words.ts'
import { type AppId, appIds, apps } from './apps.ts'

// Connected apps. Tokens and keys are sealed in the service that keeps them and stand in no answer.

export const connectionStates = ['connected', 'degraded', 'broken', 'disconnected'] as const
const App = z.enum(appIds)
const about = apps.map(({ name }) => name)
const connection_id = id('connection')

export const Connection = z.object({
  id: connection_id,
  app: App,
  /** The account over there, as its owner knows it. */
  account: z.string(),
  /** `degraded`: the last call failed. `broken`: the app does not accept what we hold, so it has to be connected again. */
  state: z.enum(connectionStates),
  /** In words, where the state is not `connected`. */
  failure: z.string().nullable(),
  scopes: z.array(z.string()),
  /** How many calls a minute the app allows us. */
  calls_per_minute: z.int(),
  last_call_at: time.nullable(),
  checked_at: time.nullable(),
  created_at: time,
  /** Of Gmail and Outlook. `readable`: it was connected with the right to read. Absent from the version before. */
  mailbox: z.object({ on_timelines: z.boolean(), readable: z.boolean() }).nullable().optional(),
})
const connectionExample = {
  id: '01931a5c-7d4b-7c3e-9a41-0f6f2f9f4b20',
  app: 'slack' as const,
  account: 'Northwind',
  state: 'connected' as const,
  failure: null,
  scopes: ['channels:read', 'chat:write'],
  calls_per_minute: 50,
  last_call_at: null,
  checked_at: '2026-11-24T10:00:00.000Z',
  created_at: '2026-11-24T10:00:00.000Z',
}

const Listed = z.object({
  id: App,
  name: z.string(),
  category: z.string(),
  description: z.string(),
  /** The healthiest of its connections; null where there is none. */
  state: z.enum(connectionStates).nullable(),
  accounts: z.int(),
  /** Whether it can be connected here: it takes a key, or the operator has registered with its vendor. */
  available: z.boolean(),
  by: z.enum(['sign-in', 'key']),
})
export const listApps = reading('list-apps', {
  summary: 'Lists the apps that can be connected, and which of them are',
  description:
    '`connected` counts those that work, `available` those that could be connected now and are not. One whose state is broken is in neither.',
  body: z.object({}).prefault({}),
  reply: z.object({ apps: z.array(Listed), connected: z.int(), available: z.int() }),
  example: {
    request: {},
    reply: {
      apps: [
        {
          id: 'slack' as const,
          name: 'Slack',
          category: 'Messages and voice',
          description: 'Channels and messages of your workspace.',
          state: 'connected' as const,
          accounts: 1,
          available: true,
          by: 'sign-in' as const,
        },
      ],
      connected: 1,
      available: 26,
    },
  },
  errors: [],
  action: {
    title: 'List apps',
    when: 'The person asks which apps can be connected or are connected',
    effect: 'reads',
    evidence: { rows: 'apps', columns: { name: col.text('App'), state: col.text('State') } },
  },
})

export const listConnections = reading('list-connections', {
  summary: 'Lists the connected accounts and how they are',
  description: 'Several accounts of one app may be connected. `broken` ones have to be connected again.',
  body: z.object({ app: App.optional() }).prefault({}),
  reply: z.object({ connections: z.array(Connection) }),
  example: { request: {}, reply: { connections: [connectionExample] } },
  errors: [],
  action: {
    title: 'List connections',
    when: 'The person asks whether a connected app works, or which account of it is connected',
    effect: 'reads',
    evidence: {
      rows: 'connections',
      columns: { app: col.text('App'), account: col.text('Account'), state: col.text('State'), last_call_at: col.time('Last call') },
    },
  },
})

const Begun = z.object({ auth_url: z.url().optional(), connection_id: connection_id.optional() })
/** Not a capability: its keys must never pass a model. */
export const connectApp = fn('connect-app', {
  access: 'user',
  demo: 'never',
  summary: 'Connects an app: answers where the person approves it, or tests a key and keeps it',
  description:
    'An app with a sign-in of its own answers `auth_url`: open it in a browser where the same person is signed in here. Others take the fields of their key form, beside `app`, and answer `connection_id` once a test call has succeeded.',
  body: z.object({
    app: App,
    /** The page of the app that the person returns to. */
    return_to: text(200).optional(),
    key: text(400).optional(),
    client_id: text(200).optional(),
    api_key: text(200).optional(),
    provider: z.enum(['vapi', 'retell']).optional(),
  }),
  reply: Begun,
  errors: ['app_not_set_up', 'app_key_missing', 'app_key_refused', 'connection_limit'],
})

export const finishConnection = fn('finish-connection', {
  access: 'user',
  demo: 'never',
  summary: 'Takes what an app answered after the person approved it, and keeps the connection',
  description: 'Only the person who began it can finish it, within ten minutes, once.',
  body: z.object({
    state: text(200),
    code: text(4000).optional(),
    error: text(200).optional(),
    /** QuickBooks names the company beside the code. */
    realm_id: text(100).optional(),
  }),
  reply: z.object({ app: App, connection: Connection, return_to: z.string().nullable() }),
  errors: ['connection_attempt', 'connection_refused', 'connection_denied', 'connection_limit', 'upstream_failed', 'upstream_timeout'],
})

/** The names that the specification's pages call. `initiate` answers where to approve, under both of the names that they read. */
const initiate = <const N extends string>(name: N, label: string, services: readonly [AppId, ...AppId[]]) =>
  fn(name, {
    access: 'user',
    demo: 'never',
    summary: `Begins to connect ${label}`,
    description: 'The same as `connect-app`.',
    body: z.object({ action: z.literal('initiate'), service: z.enum(services).optional(), return_to: text(200).optional() }),
    reply: z.object({ auth_url: z.url(), authUrl: z.url() }),
    errors: ['app_not_set_up', 'connection_limit'],
  })
export const googleOauth = initiate('google-oauth', 'an app of Google', [
  'gmail',
  'google-calendar',
  'google-analytics',
  'google-ads',
  'google-drive',
])
export const metaOauth = initiate('meta-oauth', 'an app of Meta', ['meta-ads', 'facebook', 'instagram'])
export const notionOauth = initiate('notion-oauth', 'Notion', ['notion'])
export const slackOauth = initiate('slack-oauth', 'Slack', ['slack'])
export const hubspotOauth = initiate('hubspot-oauth', 'HubSpot', ['hubspot'])

export const showConnection = reading('show-connection', {
  summary: 'Shows one connection with its last calls',
  description: 'At most fifty calls of the last seven days, newest first.',
  body: z.object({ connection_id }),
  reply: z.object({
    connection: Connection,
    calls: z.array(z.object({ at: time, action: z.string(), outcome: z.string(), duration_ms: z.int() })),
  }),
  example: {
    request: { connection_id: connectionExample.id },
    reply: {
      connection: connectionExample,
      calls: [{ at: '2026-11-24T10:00:00.000Z', action: 'post-message', outcome: 'ok', duration_ms: 210 }],
    },
  },
  errors: ['not_found'],
  action: {
    title: 'Show a connection',
    when: 'The person asks what was done through a connected app, or why it fails',
    effect: 'reads',
    evidence: {
      rows: 'calls',
      columns: { at: col.time('When'), action: col.text('Action'), outcome: col.text('Outcome'), duration_ms: col.count('Milliseconds') },
    },
  },
})

export const testConnection = fn('test-connection', {
  access: 'user',
  summary: 'Makes a test call through a connection and says how it went',
  body: z.object({ connection_id }),
  reply: z.object({ connection: Connection }),
  errors: ['not_found'],
})

export const disconnectApp = changing('disconnect-app', {
  summary: 'Ends a connection: our access is revoked at the app, and what we held is deleted',
  description:
    'Where the app does not answer, revoking is tried again for a day. Google and Meta revoke all of their apps at once, so there it waits for the last one of the same account.',
  body: z.object({ connection_id }),
  reply: z.object({ disconnected: z.boolean() }),
  example: { request: { connection_id: connectionExample.id }, reply: { disconnected: true } },
  errors: ['not_found'],
  action: {
    title: 'Disconnect an app',
    when: 'The person asks to disconnect an app',
    effect: 'destroys',
    preview: showConnection,
    does: () => 'Ends the connection and revokes our access there',
  },
})

const appAction = {
  app: App,
  action: text(60),
  input: z.record(z.string(), z.unknown()).default({}),
  connection_id: connection_id.optional(),
}
const Row = z.object({
  id: z.string(),
  title: z.string(),
  detail: z.string().nullable(),
  url: z.string().nullable(),
  at: z.string().nullable(),
})
const rowExample = { id: 'C024BE91L', title: '#sales', detail: '12 members', url: null, at: null }
const appErrors = [
  'app_not_connected',
  'app_action_unknown',
  'app_input',
  'app_busy',
  'app_refused',
  'connection_broken',
  'upstream_failed',
  'upstream_timeout',
] as const

export const listAppActions = reading('list-app-actions', {
  summary: 'Lists what can be done in an app, with the fields of each action',
  description: '`input` is a JSON schema. Actions whose effect is `reads` go to `read-from-app`, the others to `run-app-action`.',
  body: z.object({ app: App }),
  reply: z.object({
    actions: z.array(
      z.object({
        name: z.string(),
        title: z.string(),
        effect: z.enum(['reads', 'changes', 'sends']),
        input: z.record(z.string(), z.unknown()),
      }),
    ),
  }),
  example: {
    request: { app: 'slack' as const },
    reply: { actions: [{ name: 'list-channels', title: 'List channels', effect: 'reads' as const, input: { type: 'object' } }] },
  },
  errors: [],
  action: {
    title: 'List the actions of an app',
    when: 'Something is to be found or done in a connected app: first of all, for the names of its actions and their fields',
    about,
    effect: 'reads',
  },
})

export const readFromApp = fn('read-from-app', {
  access: 'user',
  summary: 'Reads from a connected app: files, events, contacts, payments and so on',
  description:
    'An action of `list-app-actions` that only reads. `more` says that there is more, or may be; where the app can go on, `cursor` brings it.',
  body: z.object({ ...appAction, cursor: text(2000).optional() }),
  reply: z.object({
    account: z.string(),
    rows: z.array(Row).max(100),
    more: z.boolean().optional(),
    cursor: z.string().nullable().optional(),
  }),
  example: {
    request: { app: 'slack' as const, action: 'list-channels' },
    reply: { account: 'Northwind', rows: [rowExample], more: false, cursor: null },
  },
  errors: appErrors,
  action: {
    title: 'Read from an app',
    when: 'The person asks to find, list or read something that is in a connected app, as a file, an event, a message or a contact. `action` and `input` are as list-app-actions tells them',
    about,
    effect: 'reads',
    evidence: {
      rows: 'rows',
      columns: { title: col.text('Name'), detail: col.text('Detail'), at: col.time('When'), url: col.text('Open') },
    },
  },
})

export const previewAppAction = reading('preview-app-action', {
  summary: 'Says in which account an action would be done, with what',
  description: 'Nothing is sent. Without `connection_id` the healthiest connection of the app is taken.',
  body: z.object(appAction),
  reply: z.object({ account: z.string(), title: z.string(), fields: z.array(z.object({ name: z.string(), value: z.string() })) }),
  example: {
    request: { app: 'slack' as const, action: 'post-message', input: { channel: 'C024BE91L', text: 'Sold!' } },
    reply: { account: 'Northwind', title: 'Post a message', fields: [{ name: 'text', value: 'Sold!' }] },
  },
  errors: ['app_not_connected', 'app_action_unknown', 'app_input'],
  action: {
    title: 'Preview an action of an app',
    when: 'The person asks what an action in a connected app would do',
    effect: 'reads',
    evidence: { rows: 'fields', columns: { name: col.text('Field'), value: col.text('Value') } },
  },
})

export const runAppAction = fn('run-app-action', {
  access: 'user',
  idempotent: 'two-phase',
  summary: 'Does something in a connected app: posts, sends, adds or changes',
  description:
    'An action of `list-app-actions` that does more than read. Sent again under the same `Idempotency-Key`, it is not done twice.',
  body: z.object(appAction),
  reply: z.object({ account: z.string(), id: z.string().nullable(), url: z.string().nullable() }),
  example: {
    request: { app: 'slack' as const, action: 'post-message', input: { channel: 'C024BE91L', text: 'Sold!' } },
    reply: { account: 'Northwind', id: '1732442400.000100', url: null },
  },
  errors: [...appErrors, 'app_unknown_outcome'],
  action: {
    title: 'Do something in an app',
    when: 'The person asks to post, send, add or change something in a connected app. `action` and `input` are as list-app-actions tells them',
    about,
    effect: 'sends',
    preview: previewAppAction,
    does: ({ app, action }) => `Does “${action.replaceAll('-', ' ')}” in ${appName(app)}`,
  },
})

export const notionApi = reading('notion-api', {
  summary: 'Lists the databases of the connected Notion workspace',
  body: z.object({ action: z.literal('get_databases') }),
  reply: z.object({ databases: z.array(z.object({ id: z.string(), title: z.string(), url: z.string().nullable() })) }),
  errors: ['app_not_connected', 'app_busy', 'app_refused', 'connection_broken', 'upstream_failed', 'upstream_timeout'],
})
