import { DomainError } from '../errors.ts'

/** A refusal in PostgREST's own words, which its clients know. */
export const refusal = (status: number, code: string, message: string, details?: string) =>
  new DomainError(code, { status, message, ...(details && { details }) })

export const notUnderstood = (what: string, details?: string) => refusal(400, 'PGRST100', what, details)
export const tooMuch = (what: string) => refusal(400, 'PGRST100', `This query is larger than the data API accepts: ${what}`)
export const noColumn = (table: string, column: string) => refusal(400, '42703', `column ${table}.${column} does not exist`)
export const noColumnToWrite = (table: string, column: string) =>
  refusal(400, 'PGRST204', `Could not find the '${column}' column of '${table}' in the schema cache`)
export const notSingle = (rows: number) =>
  refusal(406, 'PGRST116', 'Cannot coerce the result to a single JSON object', `The result contains ${rows} rows`)
export const mayNot = (table: string, signedIn: boolean) => refusal(signedIn ? 403 : 401, '42501', `permission denied for table ${table}`)

const constraints: Record<string, [number, string]> = {
  '23505': [409, 'duplicate key value violates unique constraint'],
  '23503': [409, 'a row that this one refers to, or that refers to it, stands in the way'],
  '23502': [400, 'a required column has no value'],
  '23514': [400, 'a value is outside what its column accepts'],
}

/** Postgres refused a value: the caller's mistake, told with Postgres's code. Anything else passes as it is. */
export function asRefusal(error: unknown): unknown {
  const { code, message } = error as { code?: unknown; message?: string }
  if (error instanceof DomainError || typeof code !== 'string') return error
  if (/^22[0-9A-Z]{3}$/.test(code)) return refusal(400, code, message ?? 'invalid input')
  const known = constraints[code]
  return known ? refusal(known[0], code, known[1]) : error
}
