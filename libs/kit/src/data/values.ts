import type { z } from 'zod'
import { refusal } from './errors.ts'

export type Kind = 'uuid' | 'text' | 'integer' | 'number' | 'boolean' | 'timestamp' | 'date' | 'json'
export type Columns = Record<string, Kind>

type Def = { type: string; format?: string; innerType?: z.ZodType; in?: z.ZodType }
const formats: Record<string, Kind> = {
  uuid: 'uuid',
  guid: 'uuid',
  datetime: 'timestamp',
  date: 'date',
  safeint: 'integer',
  int32: 'integer',
}
const kinds: Record<string, Kind> = { string: 'text', number: 'number', int: 'integer', boolean: 'boolean', enum: 'text', literal: 'text' }

/** How a column's values are written in a query, told by its schema. */
export function kindOf(schema: z.ZodType): Kind {
  const { type, format, innerType, in: input } = (schema as unknown as { _zod: { def: Def } })._zod.def
  if (innerType) return kindOf(innerType)
  if (type === 'pipe' && input) return kindOf(input)
  return formats[format ?? ''] ?? kinds[type] ?? 'json'
}

export const columnsOf = (schema: z.ZodObject): Columns =>
  Object.fromEntries(Object.entries(schema.shape).map(([name, column]) => [name, kindOf(column as z.ZodType)]))

/** The columns that always hold a value. */
export const requiredOf = (schema: z.ZodObject): ReadonlySet<string> =>
  new Set(Object.entries(schema.shape).flatMap(([name, column]) => ((column as z.ZodType).safeParse(null).success ? [] : [name])))

const names: Record<Kind, string> = {
  uuid: 'uuid',
  text: 'text',
  integer: 'integer',
  number: 'numeric',
  boolean: 'boolean',
  timestamp: 'timestamp with time zone',
  date: 'date',
  json: 'json',
}
const shapes: Record<Kind, RegExp> = {
  uuid: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i,
  text: /^[^\0]*$/,
  integer: /^[+-]?\d{1,15}$/,
  number: /^[+-]?\d{1,40}(\.\d{1,40})?(e[+-]?\d{1,2})?$/i,
  boolean: /^(true|false|t|f)$/i,
  timestamp: /^\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d{1,9})?)?)?( ?(Z|[+-]\d\d(:?\d\d)?))?$/i,
  date: /^\d{4}-\d\d-\d\d$/,
  // Nothing but `is` compares a document.
  json: /^(?!)/,
}

/** A value of a query as it is bound. A value that does not fit the column's type gets PostgreSQL's own error. */
export function literal(kind: Kind, text: string): string {
  if (shapes[kind].test(text)) return text
  if (kind === 'text') throw refusal(400, '22021', 'invalid byte sequence for encoding "UTF8": 0x00')
  const code = kind === 'timestamp' || kind === 'date' ? '22007' : '22P02'
  throw refusal(400, code, `invalid input syntax for type ${names[kind]}: "${text.slice(0, 100)}"`)
}

/** A value of a row as PostgREST writes it. */
export function present(kind: Kind, value: unknown): unknown {
  if (value === null || value === undefined) return null
  if (kind === 'timestamp') return timestamp(value)
  if (kind === 'date' && value instanceof Date) return value.toISOString().slice(0, 10)
  if ((kind === 'number' || kind === 'integer') && typeof value === 'string') return Number(value)
  return value
}

// Text keeps the microseconds, without which a page that continues after the last time seen repeats rows.
function timestamp(value: unknown): string {
  if (value instanceof Date) return value.toISOString().replace('Z', '+00:00')
  const text = String(value)
  return /Z$|[+-]\d\d:\d\d$/.test(text) ? text.replace('Z', '+00:00') : `${text.replace(' ', 'T')}+00:00`
}
