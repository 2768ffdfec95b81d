import { z } from 'zod'
import { changing, endpoint, fn, id, reading, text, time } from '../contract.ts'

// Contacts from a spreadsheet: staged, looked at without any change, merged at once, and taken back.

export const IMPORT_ROWS = 100_000
export const IMPORT_PIECE = 2_000
export const importFields = ['name', 'email', 'phone', 'company', 'job_title', 'tags'] as const
const import_id = id('import')
/** The column that each field is read from, counted from 0. */
const Mapping = z.partialRecord(z.enum(importFields), z.int().min(0).max(49))
export const onMatch = ['fill', 'overwrite', 'skip'] as const

const Counts = z.object({ new: z.int(), changed: z.int(), same: z.int(), refused: z.int() })
const ImportRun = z.object({
  import_id: z.uuid(),
  file_name: z.string(),
  state: z.enum(['uploading', 'running', 'done', 'undoing', 'undone', 'failed']),
  added: z.int(),
  changed: z.int(),
  /** Those that were changed by somebody since the import are kept as they are. */
  undone: z.object({ removed: z.int(), restored: z.int(), kept: z.int() }).nullable(),
  at: time,
})

export const startImport = changing('start-import', {
  summary: 'Begins an import of contacts with the headings of its columns',
  body: z.object({ file_name: text(200), columns: z.array(text(200)).min(1).max(50) }),
  reply: z.object({ import_id: z.uuid() }),
  errors: ['imports_full'],
})
export const stageImport = fn('stage-import', {
  access: 'user',
  summary: 'Adds rows to an import, at most 2,000 a call; the same rows twice count once',
  body: z.object({
    import_id,
    /** The place of the first of these rows, counted from 0. */
    from: z.int().min(0).max(IMPORT_ROWS),
    rows: z
      .array(z.array(text(4000)).max(50))
      .min(1)
      .max(IMPORT_PIECE),
  }),
  reply: z.object({ staged: z.int() }),
  errors: ['not_found', 'import_too_long'],
})
export const checkImport = fn('check-import', {
  access: 'user',
  summary: 'Says what an import would do, and changes no contact',
  body: z.object({
    import_id,
    mapping: Mapping,
    /** The columns of fields of one's own, by the ids of the fields. */
    fields: z.record(z.uuid(), z.int().min(0).max(49)).default({}),
    on_match: z.enum(onMatch).default('fill'),
  }),
  reply: z.object({
    counts: Counts,
    /** The first of each kind. */
    rows: z.array(
      z.object({
        row: z.int(),
        action: z.string(),
        reason: z.string().nullable(),
        name: z.string().nullable(),
        email: z.string().nullable(),
      }),
    ),
  }),
  errors: ['not_found', 'import_mapping'],
})
export const runImport = changing('run-import', {
  summary: 'Merges a checked import into the contacts, all of it or nothing',
  description: 'It runs as a job: `show-import` says when it is done.',
  body: z.object({ import_id }),
  reply: ImportRun,
  errors: ['not_found', 'import_mapping', 'conflict'],
})
export const undoImport = changing('undo-import', {
  summary: 'Takes an import back: what it added goes, what it changed becomes what it was',
  description: 'Contacts that were changed since, or with which something happened, are kept and counted. Open for 30 days.',
  body: z.object({ import_id }),
  reply: ImportRun,
  errors: ['not_found', 'conflict'],
})
export const showImport = reading('show-import', {
  summary: 'How an import stands',
  body: z.object({ import_id }),
  reply: ImportRun,
  errors: ['not_found'],
})
export const listImports = reading('list-imports', {
  summary: 'The imports of the last 30 days, newest first',
  body: z.object({}).prefault({}),
  reply: z.object({ imports: z.array(ImportRun) }),
})
export const exportContacts = endpoint({
  method: 'POST',
  path: '/functions/v1/export-contacts',
  access: 'user',
  rate: 'read',
  summary: 'All contacts as a CSV file',
  description: 'A cell that a spreadsheet would run as a formula begins with an apostrophe; an import takes it off again.',
  body: z.object({}).nullish(),
  reply: z.string(),
  raw: true,
  contentType: 'text/csv',
})
