import { z } from 'zod'
import { changing, col, id, reading, text, time } from '../contract.ts'
import { NotionColumn } from '../integrations/notion-rows.ts'

// One Notion database that an account's contacts are held level with, both ways, and another for its tasks. Nothing is deleted on either side.

const exampleId = '01931a5c-7d4b-7c3e-9a41-0f6f2f9f4b31'
/** Of integrations: its row is over there. */
const connection_id = z.uuid()
const database_id = text(100).min(1)
const sync_id = id('notion_sync')
const link_id = id('notion_link')
/** The most records and rows that a sync holds level. */
export const MOST_NOTION_ROWS = 10_000

export const notionKinds = ['contacts', 'tasks'] as const
const kind = z.enum(notionKinds).default('contacts')
export const notionFields = ['name', 'email', 'phone', 'company', 'job_title', 'title', 'done', 'due'] as const
const Column = text(100).min(1).nullish()
/** The column of each field, by its id. Contacts have name, email, phone, company and job title; tasks have title, done, due and email. */
const Columns = z.object({
  ...{ name: Column, email: Column, phone: Column, company: Column, job_title: Column },
  ...{ title: Column, done: Column, due: Column },
})
const Proposed = z.string().nullable().optional()
const NotionSync = z.object({
  id: sync_id,
  kind: z.enum(notionKinds),
  connection_id: z.uuid(),
  database_id: z.string(),
  /** The name of the database when it was chosen. */
  title: z.string(),
  columns: Columns,
  /** Whether contacts, or open tasks, that are not in the database are added to it. */
  adds: z.boolean(),
  /** Null until both sides were level once. */
  synced_at: time.nullable(),
  /** In words, where the last try failed. */
  failure: z.string().nullable(),
  /** Contacts or tasks that are held level with a row. */
  linked: z.int(),
  conflicts: z.int(),
  /** Those that were deleted on one side: the other side stays and is not synced any more. */
  unlinked: z.int(),
  /** Rows that no contact or task could be made of, of the last full reading. */
  skipped: z.int(),
})
const example: z.output<typeof NotionSync> = {
  ...{ id: exampleId, kind: 'contacts', connection_id: exampleId, database_id: '7c1f0c2e-0d0c-4f3c-9a53-7f4a1c9d0a22', title: 'People' },
  ...{ columns: { name: 'title', email: 'em', phone: 'ph' }, adds: true, synced_at: '2026-11-24T10:00:00.000Z', failure: null },
  ...{ linked: 120, conflicts: 1, unlinked: 0, skipped: 3 },
}
const callErrors = ['app_not_connected', 'app_busy', 'app_refused', 'connection_broken', 'upstream_failed', 'upstream_timeout'] as const

export const showNotionSync = reading('show-notion-sync', {
  summary: 'Shows the Notion database that the contacts, or the tasks, are synced with',
  description: '`sync` is null where none is. `failure` says in words why it is not level.',
  body: z.object({ kind }).prefault({}),
  reply: z.object({ sync: NotionSync.nullable() }),
  example: { request: {}, reply: { sync: example } },
  errors: [],
  action: {
    title: 'Show the sync with Notion',
    when: 'The person asks whether their contacts or tasks are synced with Notion, or how that is going',
    effect: 'reads',
    evidence: {
      columns: {
        'sync.title': col.text('Database'),
        'sync.linked': col.count('In sync'),
        'sync.conflicts': col.count('Conflicts'),
        'sync.synced_at': col.time('Synced'),
      },
    },
  },
})

export const proposeNotionSync = reading('propose-notion-sync', {
  summary: 'Proposes which columns of a Notion database hold the fields of contacts or tasks',
  description: 'By the types and the names of the columns. A field without a column that fits is null. Nothing is written.',
  body: z.object({ kind, connection_id, database_id }),
  reply: z.object({
    title: z.string(),
    columns: z.array(NotionColumn),
    /** Has the fields of the kind. */
    proposal: z.object(
      Object.fromEntries(notionFields.map((field) => [field, Proposed])) as Record<(typeof notionFields)[number], typeof Proposed>,
    ),
  }),
  example: {
    request: { connection_id: exampleId, database_id: example.database_id },
    reply: {
      title: 'People',
      columns: [{ id: 'em', name: 'Email', type: 'email' }],
      proposal: { name: null, email: 'em', phone: null, company: null, job_title: null },
    },
  },
  errors: callErrors,
  action: {
    title: 'Match the columns of a Notion database',
    when: 'The person asks whether a Notion database could be synced with their contacts or tasks',
    effect: 'reads',
    needs: ['notion'],
    evidence: { rows: 'columns', columns: { name: col.text('Column'), type: col.text('Type') } },
  },
})

export const startNotionSync = changing('start-notion-sync', {
  summary: 'Syncs the contacts, or the tasks, with a Notion database, both ways',
  description: `Rows with the email address of a contact are linked to it; other rows with one become contacts. An open row is linked to an open task that says the same in every column; other open rows become tasks. A field that is empty on one side is filled from the other, and one that has two values is a conflict. With \`adds\`, contacts with an address or open tasks that are not in the database are added to it, up to ${MOST_NOTION_ROWS.toLocaleString('en')}. A contact needs columns for \`name\` and \`email\`, a task one for \`title\`. A second start of a kind with another database replaces the first. Contacts and tasks each have a database of their own.`,
  body: z.object({ kind, connection_id, database_id, columns: Columns, adds: z.boolean() }),
  reply: NotionSync,
  example: {
    request: { connection_id: exampleId, database_id: example.database_id, columns: { name: 'title', email: 'em' }, adds: true },
    reply: example,
  },
  errors: [...callErrors, 'app_input'],
  action: {
    title: 'Sync contacts or tasks with Notion',
    when: 'The person asks to keep their contacts or their tasks and a Notion database the same',
    effect: 'changes',
    needs: ['notion'],
    preview: proposeNotionSync,
    does: ({ kind, adds }) => {
      const added = kind === 'tasks' ? 'open tasks' : 'contacts with an email address'
      return `Keeps your ${kind ?? 'contacts'} and the Notion database the same${adds ? `, and adds your ${added} to the database` : ''}`
    },
  },
})

export const stopNotionSync = changing('stop-notion-sync', {
  summary: 'Stops a sync with Notion',
  description: 'Contacts, tasks and rows stay as they are on both sides.',
  body: z.object({ sync_id }),
  reply: z.object({ stopped: z.boolean() }),
  example: { request: { sync_id: exampleId }, reply: { stopped: true } },
  errors: ['not_found'],
  action: {
    title: 'Stop syncing with Notion',
    when: 'The person asks that their contacts or tasks and Notion are not kept the same any more',
    effect: 'changes',
    does: () => 'Stops the sync with Notion. Both sides stay as they are',
  },
})

export const runNotionSync = changing('run-notion-sync', {
  summary: 'Syncs contacts or tasks with Notion now',
  description: 'Reads the whole database, so that rows which were deleted there are noticed. It also runs by itself every few minutes.',
  body: z.object({ sync_id }),
  reply: NotionSync,
  example: { request: { sync_id: exampleId }, reply: example },
  errors: ['not_found'],
  action: {
    title: 'Sync with Notion now',
    when: 'The person asks to sync their contacts or tasks with Notion now',
    effect: 'changes',
    noPreview: 'The database is read when this runs. What is in it is not known before.',
    does: () => 'Brings your side and the Notion database level',
  },
})

export const listNotionConflicts = reading('list-notion-conflicts', {
  summary: 'Lists contacts or tasks whose fields have one value here and another in Notion',
  description: 'At most fifty, the oldest first. Neither side is overwritten until `settle-notion-conflict` says which value stays.',
  body: z.object({ sync_id }),
  reply: z.object({
    conflicts: z.array(
      z.object({
        id: link_id,
        contact_id: z.uuid().nullable(),
        task_id: z.uuid().nullable(),
        /** Of the contact, or the title of the task. */
        name: z.string(),
        fields: z.array(z.object({ field: z.enum(notionFields), here: z.string().nullable(), there: z.string().nullable() })),
      }),
    ),
  }),
  example: {
    request: { sync_id: exampleId },
    reply: {
      conflicts: [
        {
          ...{ id: exampleId, contact_id: exampleId, task_id: null, name: 'Ines Ortega' },
          fields: [{ field: 'phone', here: '+351 910 000 000', there: '+351 910 000 001' }],
        },
      ],
    },
  },
  errors: [],
  action: {
    title: 'List conflicts with Notion',
    when: 'The person asks which contacts or tasks differ from Notion',
    effect: 'reads',
    evidence: { rows: 'conflicts', columns: { name: col.text('Name') } },
  },
})

export const settleNotionConflict = changing('settle-notion-conflict', {
  summary: 'Says which values of a contact or a task stay, the ones here or the ones in Notion',
  description: 'Of `here`, the values are written to Notion by the next sync, which begins at once.',
  body: z.object({ link_id, keep: z.enum(['here', 'there']) }),
  reply: z.object({ settled: z.boolean() }),
  example: { request: { link_id: exampleId, keep: 'here' }, reply: { settled: true } },
  errors: ['not_found', 'contact_exists', 'app_input'],
  action: {
    title: 'Settle a conflict with Notion',
    when: 'The person says which value of a contact or a task stays, the one here or the one in Notion',
    effect: 'changes',
    does: ({ keep }) => (keep === 'here' ? 'Writes the values from here to Notion' : 'Takes over the values in Notion'),
  },
})
