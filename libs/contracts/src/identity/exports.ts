import { z } from 'zod'
import { fn, id, reading, time } from '../contract.ts'
import { erasing } from '../erasure.ts'
import { json } from './shapes.ts'

// Everything that the platform holds about a person, as a file made by a job, or as one answer.

export const EXPORT_KEPT_DAYS = 7

/** The services that hold something of a person, in the order in which an export asks them. */
export const exportParts = ['identity', ...erasing] as const
const part = z.enum(exportParts)

const accountFile = z.object({
  id: z.uuid(),
  state: z.enum(['working', 'ready', 'failed']),
  begun_at: time,
  /** Progress: the part being read, and its place among all parts. */
  part: part.nullable(),
  part_number: z.int(),
  parts: z.int(),
  rows: z.int(),
  bytes: z.int(),
  /** The part that does not answer at the moment, or did not until the export failed. */
  waiting_for: part.nullable(),
  finished_at: time.nullable(),
  /** The file, or the line that says why there is none, goes then. */
  kept_until: time.nullable(),
})

export const accountExportBegin = fn('account-export-begin', {
  access: 'aal2',
  summary: 'Begins a file of everything that the platform holds about the caller, or answers the one that is being made',
  body: z.object({}).nullish(),
  reply: z.object({ export: accountFile }),
})
export const accountExports = reading('account-exports', {
  summary: 'The newest exports of the caller, with the progress of one that is being made',
  body: z.object({}).nullish(),
  reply: z.object({ exports: z.array(accountFile) }),
})
export const accountExportOpen = fn('account-export-open', {
  access: 'aal2',
  summary: 'A link to an export’s file, good for five minutes',
  body: z.object({ export_id: id('export') }),
  reply: z.object({ url: z.url(), expires_at: time }),
})
export const accountExport = fn('account-export', {
  access: 'aal2',
  summary:
    'Everything that the platform holds about the caller, as one document; refused while a part of it does not answer. An account that holds much begins a file instead.',
  raw: true,
  body: z.object({}).nullish(),
  reply: json,
})
