import { required, StripeError } from './errors.ts'
import type { Params } from './form.ts'
import { tables } from './parameters.gen.ts'

/**
 * The kinds of a parameter: text, a whole number, a decimal, a boolean, a map of texts, nothing (which unsets it), one of some words, a list, an
 * object (`r` it needs, `n` Stripe takes and the stand-in does not play), or any of several.
 */
export type Field =
  | 's'
  | 'i'
  | 'd'
  | 'b'
  | 'm'
  | ''
  | { e: string[] }
  | { a: Field }
  | { o: Record<string, Field>; r: string[]; n?: string[] }
  | { u: Field[] }
export type Table = { takes: Record<string, Field>; needs: string[]; others: string[] }

const currencies = new Set(Intl.supportedValuesOf('currency').map((code) => code.toLowerCase()))

/** Refuses what Stripe refuses, in its words, and what Stripe takes but is not played here. */
export function checkParameters(operation: string, params: Params): void {
  const table = tables[operation]
  if (!table) return
  check(params, { o: table.takes, r: table.needs, n: table.others }, '')
}

function check(value: unknown, field: Field, at: string): unknown {
  if (typeof field === 'object' && 'u' in field) return oneOf(value, field.u, at)
  if (field === 's') return isText(value, at)
  if (field === 'i') return matches(value, /^-?\d{1,15}$/, 'integer', at)
  if (field === 'd') return matches(value, /^-?\d+(\.\d+)?$/, 'decimal', at)
  if (field === 'b') return matches(value, /^(true|false)$/, 'boolean', at)
  if (field === '') return value === '' ? undefined : refuse(`Invalid value for ${at}.`, at)
  if (field === 'm') return isMap(value, at)
  if ('e' in field) return isWord(value, field.e, at)
  if ('a' in field) return isList(value, field.a, at)
  return isObject(value, field, at)
}

function isObject(value: unknown, { o, r, n = [] }: { o: Record<string, Field>; r: string[]; n?: string[] }, at: string) {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) refuse('Invalid object', at)
  const given = value as Params
  const name = (key: string) => (at ? `${at}[${key}]` : key)
  const unknown = Object.keys(given).filter((key) => !(key in o) && !n.includes(key))
  if (unknown.length > 0)
    throw new StripeError(400, `Received unknown parameter${unknown.length > 1 ? 's' : ''}: ${unknown.map(name).join(', ')}`, {
      code: 'parameter_unknown',
      param: name(unknown[0]!),
    })
  const unplayed = Object.keys(given).find((key) => !(key in o))
  if (unplayed !== undefined) refuse(`Stripe takes ${name(unplayed)}, and this stand-in does not play it yet.`, name(unplayed))
  for (const key of r) if (given[key] === undefined) throw required(name(key))
  for (const [key, each] of Object.entries(given)) check(each, o[key]!, name(key))
}

/** The first that fits; else what is wrong with the one that comes nearest. */
function oneOf(value: unknown, options: Field[], at: string) {
  const problems = options.map((option) => problemWith(value, option, at))
  if (problems.includes(null)) return
  const isObjectLike = typeof value === 'object'
  const nearest = options.findIndex((option) => isObjectLike === (typeof option === 'object' && !('e' in option)))
  throw problems[Math.max(nearest, 0)]!
}

function problemWith(value: unknown, option: Field, at: string): unknown {
  try {
    check(value, option, at)
    return null
  } catch (error) {
    return error
  }
}

function isText(value: unknown, at: string) {
  if (typeof value !== 'string') return refuse('Invalid string', at)
  if (value.length > 5000) refuse(`Invalid string: ${value.slice(0, 10)}...; must be at most 5000 characters`, at)
  // An empty one unsets the currency nowhere.
  if (/(^|\[)currency\]?$/.test(at) && !currencies.has(value.toLowerCase()))
    refuse(`Invalid currency: ${value}. Stripe currently supports these currencies: ${[...currencies].join(', ')}`, at)
}

function matches(value: unknown, pattern: RegExp, what: string, at: string) {
  if (typeof value !== 'string' || !pattern.test(value))
    refuse(`Invalid ${what}: ${String(value)}`, at, what === 'integer' ? 'parameter_invalid_integer' : undefined)
}

function isWord(value: unknown, words: string[], at: string) {
  if (typeof value === 'string' && words.includes(value)) return
  const last = words.length > 1 ? `one of ${words.slice(0, -1).join(', ')}, or ${words.at(-1)}` : words[0]
  refuse(`Invalid ${at}: must be ${last}`, at)
}

function isList(value: unknown, of: Field, at: string) {
  // An empty list is sent as nothing.
  if (value === '') return
  if (!Array.isArray(value)) return refuse('Invalid array', at)
  for (const [index, each] of value.entries()) check(each, of, `${at}[${index}]`)
}

const MOST_KEYS = 50
function isMap(value: unknown, at: string) {
  if (value === '') return
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return refuse('Invalid object', at)
  const entries = Object.entries(value)
  if (entries.length > MOST_KEYS) refuse(`You can only have up to ${MOST_KEYS} keys in ${at}.`, at)
  for (const [key, each] of entries) {
    if (key.length > 40) refuse(`Metadata keys must be 40 characters or less; ${key} is ${key.length} characters.`, at)
    if (typeof each !== 'string') refuse('Invalid string', `${at}[${key}]`)
    else if (each.length > 500)
      refuse(`Metadata values can have up to 500 characters, but you passed in a value that is ${each.length} characters.`, `${at}[${key}]`)
  }
}

function refuse(message: string, param: string, code?: string): never {
  throw new StripeError(400, message, { ...(code && { code }), param })
}
