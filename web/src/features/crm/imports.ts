import type { CallReply } from '@operon/contracts/calls'
import Papa from 'papaparse'
import { call } from '../../api/call.ts'
import { newKey } from './queries.ts'

export const fields = ['name', 'email', 'phone', 'company', 'job_title', 'tags'] as const
export type Field = (typeof fields)[number]
export const fieldNames: Record<Field, string> = {
  name: 'Name',
  email: 'Email',
  phone: 'Phone',
  company: 'Company',
  job_title: 'Job title',
  tags: 'Tags',
}
export type Sheet = { fileName: string; columns: string[]; rows: string[][] }
export type Checked = CallReply<'check-import'>
export type Run = CallReply<'show-import'>

const MOST_ROWS = 100_000
const PIECE = 2_000

export function readSheet(file: File): Promise<Sheet> {
  return new Promise((resolve, reject) =>
    Papa.parse<string[]>(file, {
      skipEmptyLines: 'greedy',
      complete: ({ data: [columns, ...rows] }) => {
        if (!columns || rows.length === 0) return reject(new Error('The file has no rows below its headings.'))
        if (columns.length > 50) return reject(new Error('The file has more than 50 columns. Remove those you do not need.'))
        if (rows.length > MOST_ROWS) return reject(new Error('The file has more than 100,000 rows. Split it.'))
        resolve({ fileName: file.name.slice(-200), columns: columns.map((name) => name.slice(0, 200)), rows })
      },
      error: reject,
    }),
  )
}

const known: Record<Field, RegExp> = {
  name: /^(full |contact )?name$/i,
  email: /e-?mail/i,
  phone: /phone|mobile|tel/i,
  company: /company|organi[sz]ation|firm|account/i,
  job_title: /title|position|role/i,
  tags: /tags?|labels?|groups?/i,
}
/** The columns whose headings say what they are. */
export function guess(columns: string[]): Partial<Record<Field, number>> {
  const found: Partial<Record<Field, number>> = {}
  for (const field of fields) {
    const at = columns.findIndex((name, index) => known[field].test(name.trim()) && !Object.values(found).includes(index))
    if (at >= 0) found[field] = at
  }
  return found
}

/** Columns that have the name of a field of one's own. */
export const guessOwn = (columns: string[], fields: readonly { id: string; name: string }[]): Record<string, number> =>
  Object.fromEntries(
    fields.flatMap(({ id, name }) => {
      const at = columns.findIndex((column) => column.trim().toLowerCase() === name.toLowerCase())
      return at < 0 ? [] : [[id, at]]
    }),
  )

/** In pieces, so that each fits a request, and the person sees how far it is. */
export async function upload({ fileName, columns, rows }: Sheet, told: (share: number) => void): Promise<string> {
  const { import_id } = await call('start-import', { file_name: fileName, columns }, { idempotencyKey: newKey() })
  for (let from = 0; from < rows.length; ) {
    const piece = pieceOf(rows, from)
    await call('stage-import', { import_id, from, rows: piece })
    from += piece.length
    told(from / rows.length)
  }
  return import_id
}

const BYTES = 700_000
function pieceOf(rows: string[][], from: number): string[][] {
  let bytes = 0
  const piece: string[][] = []
  for (const row of rows.slice(from, from + PIECE)) {
    const cells = row.slice(0, 50).map((cell) => cell.slice(0, 4000))
    // A letter outside ASCII takes up to three bytes.
    bytes += cells.reduce((sum, cell) => sum + cell.length * 3 + 3, 2)
    if (piece.length && bytes > BYTES) break
    piece.push(cells)
  }
  return piece
}
