import { z } from 'zod'
import { col, fn, id, reading, text, time } from '../contract.ts'

// Rows of one database of a connected Notion workspace. What contacts and tasks of crm are held level with.

const where = { connection_id: id('connection'), database_id: text(100).min(1) }
/**
 * The types of columns whose values have a form as text. A checkbox is `true` or `false`, a status the name of its option. A date is a day, or
 * a time in UTC; its end, where it has one, is not told.
 */
export const rowColumnTypes = ['title', 'email', 'phone_number', 'rich_text', 'url', 'checkbox', 'status', 'date'] as const
const column_id = text(100).min(1)
/** By the ids of columns, which stay when one is renamed. */
const Values = z.record(column_id, text(2000).nullable())

export const NotionColumn = z.object({
  id: z.string(),
  name: z.string(),
  type: z.enum(rowColumnTypes),
  /** Of a status, in the order of its groups: to do, in progress, complete. */
  options: z.array(z.object({ name: z.string(), complete: z.boolean() })).optional(),
})
export const NotionRow = z.object({
  id: z.string(),
  /** It is in the trash over there, or in another database by now. */
  gone: z.boolean(),
  values: Values,
  /** Notion tells it to the minute. */
  last_edited: time,
})
const exampleColumns = [
  { id: 'title', name: 'Name', type: 'title' as const },
  { id: 'em', name: 'Email', type: 'email' as const },
]
const exampleRow = {
  id: '1b6f0c2e-0d0c-4f3c-9a53-7f4a1c9d0a11',
  gone: false,
  values: { title: 'Ines Ortega', em: 'ines@harbour-cafe.example' },
  last_edited: '2026-11-24T10:00:00.000Z',
}
const exampleWhere = { connection_id: '01931a5c-7d4b-7c3e-9a41-0f6f2f9f4b20', database_id: '7c1f0c2e-0d0c-4f3c-9a53-7f4a1c9d0a22' }
const callErrors = ['app_not_connected', 'app_busy', 'app_refused', 'connection_broken', 'upstream_failed', 'upstream_timeout'] as const

export const listNotionColumns = reading('list-notion-columns', {
  summary: 'Lists the columns of a Notion database whose values have a form as text',
  description:
    'Titles, email addresses, phone numbers, texts, links, checkboxes, dates and statuses with their options. Read from Notion at this call.',
  body: z.object(where),
  reply: z.object({
    title: z.string(),
    columns: z.array(NotionColumn),
  }),
  example: { request: exampleWhere, reply: { title: 'People', columns: exampleColumns } },
  errors: callErrors,
  action: {
    title: 'List columns of a Notion database',
    when: 'The person asks which columns a database of theirs in Notion has',
    effect: 'reads',
    needs: ['notion'],
    evidence: { rows: 'columns', columns: { name: col.text('Column'), type: col.text('Type') } },
  },
})

export const listNotionChanges = reading('list-notion-changes', {
  summary: 'Lists the rows of a Notion database that were edited since a time, a hundred at a time',
  description:
    'The oldest edit comes first. Send `cursor` with the next call until it is null; `reset` says that Notion did not take it and the list began again. A row that was deleted in Notion is not listed: it is missing when all are listed without `since`.',
  body: z.object({
    ...where,
    columns: z.array(column_id).min(1).max(10),
    since: time.nullish(),
    cursor: text(500).nullish(),
  }),
  reply: z.object({ rows: z.array(NotionRow), cursor: z.string().nullable(), reset: z.boolean() }),
  example: { request: { ...exampleWhere, columns: ['title', 'em'] }, reply: { rows: [exampleRow], cursor: null, reset: false } },
  errors: callErrors,
  action: {
    title: 'List changes of a Notion database',
    when: 'The person asks which rows of a database in Notion were changed since a time',
    effect: 'reads',
    needs: ['notion'],
    evidence: { rows: 'rows', columns: { id: col.text('Row'), last_edited: col.time('Last edited') } },
  },
})

export const writeNotionRow = fn('write-notion-row', {
  access: 'user',
  idempotent: 'two-phase',
  summary: 'Writes values of a row of a Notion database, or adds a row',
  description:
    'With `row_id` the row is read again first: where a value is neither the one in `base` nor the one to be written, nothing is written and the outcome is `conflict`. Without it a row is added, unless one has the same value in the column `unique` already: the outcome is `found`. `gone`: the row is not there any more.',
  body: z.object({
    ...where,
    row_id: text(100).min(1).optional(),
    unique: column_id.optional(),
    base: Values.default({}),
    changes: Values,
  }),
  reply: z.object({ outcome: z.enum(['written', 'added', 'found', 'conflict', 'gone']), row: NotionRow.nullable() }),
  example: {
    request: { ...exampleWhere, row_id: exampleRow.id, base: { title: 'Ines' }, changes: { title: 'Ines Ortega' } },
    reply: { outcome: 'written' as const, row: exampleRow },
  },
  errors: [...callErrors, 'app_unknown_outcome', 'app_input'],
  action: {
    title: 'Write a row of a Notion database',
    when: 'The person asks to change or add a row of a database in Notion by its columns',
    effect: 'changes',
    needs: ['notion'],
    noPreview: 'The row is read and written in Notion when this runs.',
    does: ({ row_id, changes }) =>
      `${row_id ? 'Changes' : 'Adds'} a row in Notion: ${Object.values(changes)
        .map((value) => `“${value ?? 'nothing'}”`)
        .join(', ')}`,
  },
})
