import type { z } from 'zod'
import { noColumnToWrite, refusal, tooMuch } from './errors.ts'
import { MAX_ROWS } from './query.ts'

/** The rows of an insert, by the contract. A column that may not be written is told, not dropped. */
export function readRows(table: string, schema: z.ZodObject, body: unknown, columns: string[] | null): unknown[] {
  const rows = Array.isArray(body) ? body : [body]
  if (rows.length > MAX_ROWS) throw tooMuch(`${rows.length} rows, at most ${MAX_ROWS}`)
  return rows.map((row) => readRow(table, schema, row, columns))
}

export function readPatch(table: string, schema: z.ZodObject, body: unknown, columns: string[] | null): unknown {
  const patch = readRow(table, schema, body, columns)
  if (!Object.keys(patch).length) throw refusal(400, 'PGRST102', 'The change names no column.')
  return patch
}

function readRow(table: string, schema: z.ZodObject, row: unknown, columns: string[] | null): Record<string, unknown> {
  if (!isRow(row)) throw refusal(400, 'PGRST102', 'Empty or invalid json')
  const given = columns
    ? Object.fromEntries(columns.filter((column) => Object.hasOwn(row, column)).map((column) => [column, row[column]]))
    : row
  const unknown = Object.keys(given).find((column) => !Object.hasOwn(schema.shape, column))
  if (unknown !== undefined) throw noColumnToWrite(table, unknown.slice(0, 63))
  const parsed = schema.safeParse(given)
  if (parsed.success) return parsed.data
  throw problem(table, parsed.error.issues[0]!, given)
}

function problem(table: string, issue: z.core.$ZodIssue, row: Record<string, unknown>) {
  const column = String(issue.path[0] ?? '')
  const value = row[column]
  if (value === undefined || value === null)
    return refusal(400, '23502', `null value in column "${column}" of relation "${table}" violates not-null constraint`)
  if (issue.code === 'too_big') return refusal(400, '22001', `value too long for column "${column}": ${issue.message}`)
  if (issue.code === 'invalid_type' || issue.code === 'invalid_format' || issue.code === 'invalid_value')
    return refusal(400, '22P02', `invalid input for column "${column}": ${issue.message}`)
  return refusal(400, '23514', `column "${column}" of relation "${table}" does not accept this value: ${issue.message}`)
}

const isRow = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value)
