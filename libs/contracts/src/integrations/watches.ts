import { z } from 'zod'
import { changing, col, fn, id, reading, text, time } from '../contract.ts'
import { appIds } from './apps.ts'

// Connected apps tell what happens in them once a person asks for it. Each thing that is told is the event `integrations.app_told`.

const App = z.enum(appIds)
const watch_id = id('app_watch')
const connection_id = id('connection')

export const AppWatch = z.object({
  id: watch_id,
  connection_id,
  app: App,
  /** The account over there. */
  account: z.string(),
  trigger: z.string(),
  title: z.string(),
  input: z.record(z.string(), z.unknown()),
  /** Waits while its connection has to be connected again. */
  waits: z.boolean(),
  /** Why the last look failed. */
  failure: z.string().nullable(),
  looked_at: time.nullable(),
  told_at: time.nullable(),
  /** More came at once than is listed, so that some of it was not told. */
  missed_at: time.nullable(),
  created_at: time,
})
const example = {
  id: '01931a5c-7d4b-7c3e-9a41-0f6f2f9f4b60',
  connection_id: '01931a5c-7d4b-7c3e-9a41-0f6f2f9f4b20',
  app: 'gmail' as const,
  account: 'maya@example.com',
  trigger: 'new-mail',
  title: 'New email in Gmail',
  input: {},
  waits: false,
  failure: null,
  looked_at: '2026-11-24T10:00:00.000Z',
  told_at: null,
  missed_at: null,
  created_at: '2026-11-24T09:00:00.000Z',
}
const callErrors = ['app_not_connected', 'app_busy', 'app_refused', 'connection_broken', 'upstream_failed', 'upstream_timeout'] as const

export const listAppTriggers = reading('list-app-triggers', {
  summary: 'Lists what an app can tell, and what of it is watched',
  description: '`input` is the JSON schema of what `watch-app` takes for it.',
  body: z.object({ app: App }),
  reply: z.object({
    triggers: z.array(z.object({ name: z.string(), title: z.string(), description: z.string(), input: z.record(z.string(), z.unknown()) })),
    watches: z.array(AppWatch),
  }),
  example: {
    request: { app: 'gmail' as const },
    reply: {
      triggers: [
        { name: 'new-mail', title: 'New email in Gmail', description: 'An email has arrived in the inbox.', input: { type: 'object' } },
      ],
      watches: [example],
    },
  },
  errors: [],
  action: {
    title: 'List what an app can tell',
    when: 'The person asks what of a connected app can begin something, or what of it is watched',
    effect: 'reads',
    evidence: { rows: 'triggers', columns: { title: col.text('What'), description: col.text('When') } },
  },
})

export const unwatchApp = changing('unwatch-app', {
  summary: 'Stops watching something in a connected app',
  description: 'Events that were noticed before are still told.',
  body: z.object({ watch_id }),
  reply: z.object({ stopped: z.boolean() }),
  example: { request: { watch_id: example.id }, reply: { stopped: true } },
  errors: [],
  action: {
    title: 'Stop watching an app',
    when: 'The person asks that something in a connected app is not watched any more',
    effect: 'changes',
    does: () => 'Stops watching it',
  },
})

export const watchApp = fn('watch-app', {
  access: 'user',
  idempotent: 'two-phase',
  summary: 'Watches for something in a connected app, so that a workflow or a webhook hears of it',
  description:
    'Items that are there already are not told. The app is asked about once a minute, less often where it allows few calls. Without `connection_id` the healthiest connection of the app is taken.',
  body: z.object({
    app: App,
    trigger: text(60),
    input: z.record(z.string(), z.unknown()).default({}),
    connection_id: connection_id.optional(),
  }),
  reply: z.object({ watch_id, account: z.string() }),
  example: { request: { app: 'gmail' as const, trigger: 'new-mail' }, reply: { watch_id: example.id, account: 'maya@example.com' } },
  errors: [...callErrors, 'app_trigger_unknown', 'app_input', 'watch_limit'],
  action: {
    title: 'Watch an app',
    when: 'The person wants something to happen, or to be told, when something happens in a connected app',
    effect: 'changes',
    does: ({ app, trigger }) => `Watches ${app.replaceAll('-', ' ')} for “${trigger.replaceAll('-', ' ')}”`,
    undo: { contract: unwatchApp, seconds: 600 },
  },
})
