import { errors } from '@operon/contracts/messages'
import { hasZodFastifySchemaValidationErrors } from 'fastify-type-provider-zod'
import type { z } from 'zod'
import { DomainError } from './errors.ts'

/** Returns what a schema lets through; its refusals are told field by field, as over HTTP. */
export function parsed<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  throw refusal(result.error.issues.map(({ path, message }) => ({ field: path.join('.'), message })))
}

const refusal = (fields: Field[]) => new DomainError('invalid', { message: readable(fields), details: { fields } })

/** Turns what was thrown into the refusal that a caller is told; a bug says nothing of itself. */
export function asDomainError(thrown: unknown): DomainError {
  if (thrown instanceof DomainError) return thrown
  const error = thrown as { statusCode?: number; code?: string; message?: string }
  if (hasZodFastifySchemaValidationErrors(thrown as Error)) return refusal(fieldsOf(thrown as never))
  if (error.statusCode === 413) return new DomainError('too_large')
  if (error.statusCode === 415) return new DomainError('invalid', { status: 415, message: 'This content type is not accepted here.' })
  if (error.statusCode && error.statusCode < 500)
    return new DomainError('invalid', { status: error.statusCode, message: error.message ?? errors.invalid.message, cause: thrown })
  // Postgres: disk full, too many connections, going down, or not there.
  if (error.code === '53100') return new DomainError('storage_full', { cause: thrown })
  if (
    /^(53|57P0|08|55000)/.test(error.code ?? '') ||
    ['ECONNREFUSED', 'ECONNRESET', 'ENOENT'].includes(error.code ?? '') ||
    /timeout exceeded when trying to connect|Connection terminated|connection error and is not queryable/.test(error.message ?? '')
  )
    return new DomainError('unavailable', { cause: thrown })
  // Text that Postgres cannot hold (a NUL byte, a lone surrogate) is the caller's mistake.
  if (error.code === '22021' || error.code === '22P05' || error.code === '22P02' || error.code === '22003')
    return new DomainError('invalid')
  return new DomainError('internal', { cause: thrown })
}

type Field = { field: string; message: string }
type Validation = { validation: { instancePath: string; message: string }[] }
const fieldsOf = (error: Validation): Field[] =>
  error.validation.map((issue) => ({ field: issue.instancePath.replaceAll('/', '.').replace(/^\./, ''), message: issue.message }))
const readable = (fields: Field[]) => fields.map(({ field, message }) => (field ? `${field}: ${message}` : message)).join('; ')
