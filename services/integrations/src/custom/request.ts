import { DomainError } from '@operon/kit/errors'
import type { AppRequest } from '../apps/app.ts'
import type { Operation } from './openapi.ts'

const wrong = (message: string) => new DomainError('app_input', { message: `The operation needs other fields: ${message}` })
export const segments = (path: string) =>
  path
    .replace(/^\/+/, '')
    .split('/')
    .map((each) => encodeURIComponent(each))
    .join('/')

export function requestOf(operation: Operation, input: Record<string, unknown>): AppRequest {
  const { parts, body, bodyRequired, method } = operation
  const known = new Set([...parts.map(({ name }) => name), ...(body ? ['body'] : [])])
  for (const name of Object.keys(input)) if (!known.has(name)) throw wrong(`there is no ${name}`)
  let path = operation.path
  const query: Record<string, string> = {}
  const headers: Record<string, string> = {}
  const isAnyCall = path === '/{path}'
  for (const { name, in: place, required } of parts) {
    const given = Object.hasOwn(input, name) ? input[name] : undefined
    if (given === undefined || given === null) {
      if (required) throw wrong(`${name} is missing`)
      continue
    }
    if (isAnyCall && place === 'query') {
      if (typeof given !== 'object') throw wrong('query takes names and values')
      for (const [key, value] of Object.entries(given)) query[key] = plain(key, value)
      continue
    }
    const value = plain(name, given)
    if (place === 'path') path = path.replaceAll(`{${name}}`, () => (isAnyCall ? segments(value) : encodeURIComponent(value)))
    else if (place === 'query') query[name] = value
    else if (/^[\x20-\x7e]*$/.test(value)) headers[name.toLowerCase()] = value
    else throw wrong(`${name} cannot stand in a header`)
  }
  if (bodyRequired && input.body === undefined) throw wrong('body is missing')
  return { method, path, query, headers, ...(body && input.body !== undefined && { json: input.body }) }
}

function plain(name: string, value: unknown): string {
  if (Array.isArray(value)) return value.map((each) => plain(name, each)).join(',')
  if (['string', 'number', 'boolean'].includes(typeof value)) return String(value).slice(0, 4000)
  throw wrong(`${name} takes a plain value`)
}
