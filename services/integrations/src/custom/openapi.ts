import { DomainError } from '@operon/kit/errors'

/** Where a part of the input goes. */
export type Part = { name: string; in: 'path' | 'query' | 'header'; required: boolean; schema: Json }
export type Operation = {
  name: string
  title: string
  effect: 'reads' | 'sends'
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  path: string
  parts: Part[]
  /** Of its JSON body; null where it takes none. */
  body: Json | null
  bodyRequired: boolean
}
type Json = Record<string, unknown>

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const
const MOST_OPERATIONS = 300
const MOST_SCHEMA = 20_000
const MOST_DEPTH = 8
const MOST_TEXT = 1_000
/** Of all operations together, in characters. */
const MOST_KEPT = 2_000_000
/** Values of a schema, and of the whole document, that are looked at: by references a few lines can stand for billions. */
const MOST_VALUES = 5_000
const MOST_LOOKED_AT = 300_000
/** Headers that the call itself sets. */
export const OURS = ['authorization', 'cookie', 'host', 'content-type', 'content-length', 'accept', 'connection', 'transfer-encoding']
/** The values that may still be looked at. */
type Budget = { left: number }
const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)
const notRead = (why: string) =>
  new DomainError('custom_api_document', { message: `This is no OpenAPI 3 document that can be read: ${why}.` })

/** Of an API without a document: any call below its address. */
export const anyCalls: Operation[] = (
  [
    ['get', 'Read a path', 'GET', 'reads'],
    ['post', 'Post to a path', 'POST', 'sends'],
    ['put', 'Replace at a path', 'PUT', 'sends'],
    ['patch', 'Change at a path', 'PATCH', 'sends'],
    ['delete', 'Delete at a path', 'DELETE', 'sends'],
  ] as const
).map(([name, title, method, effect]) => ({
  ...{ name, title, method, effect, path: '/{path}' },
  parts: [
    { name: 'path', in: 'path', required: true, schema: { type: 'string', description: 'Below the address, as items/7' } },
    { name: 'query', in: 'query', required: false, schema: { type: 'object', description: 'Names and values of the query' } },
  ],
  body: method === 'GET' || method === 'DELETE' ? null : { description: 'Sent as JSON' },
  bodyRequired: false,
}))

/** The operations of a document: paths with JSON bodies. The rest is left out and counted. */
export function operationsIn(text: string, from?: string): { base: string | null; operations: Operation[]; leftOut: number } {
  let document: unknown
  try {
    document = JSON.parse(text)
  } catch {
    throw notRead('it is not JSON')
  }
  if (!isObject(document) || !/^3\./.test(String(document.openapi))) throw notRead('it does not say “openapi”: “3…”')
  if (!isObject(document.paths)) throw notRead('it has no paths')
  const whole = document
  const found = new Map<string, Operation>()
  const budget: Budget = { left: MOST_LOOKED_AT }
  let [leftOut, kept] = [0, 0]
  for (const [path, item] of Object.entries(document.paths)) {
    const at = resolved(whole, item)
    if (!isObject(at)) continue
    for (const method of METHODS) {
      const operation = at[method]
      if (!isObject(operation)) continue
      const name = nameOf(operation, method, path)
      const mayRead = path.startsWith('/') && found.size < MOST_OPERATIONS && !found.has(name) && budget.left > 0 && kept < MOST_KEPT
      const read = mayRead ? readOne(whole, { path, method, name }, at, operation, budget) : null
      if (!read) leftOut++
      else {
        found.set(name, read)
        kept += JSON.stringify(read).length
      }
    }
  }
  if (!found.size) throw notRead('nothing in it can be called')
  return { base: baseOf(document.servers, from), operations: [...found.values()], leftOut }
}

const nameOf = ({ operationId }: Json, method: string, path: string) => String(operationId ?? `${method} ${path}`).slice(0, 120)

function baseOf(servers: unknown, from?: string): string | null {
  const [first] = Array.isArray(servers) ? servers : []
  const url = isObject(first) ? String(first.url ?? '').slice(0, MOST_TEXT) : ''
  const filled = url.replace(/\{(\w+)\}/g, (_, name) => {
    const variables = isObject(first) && isObject(first.variables) ? first.variables : {}
    const variable = Object.hasOwn(variables, name) ? variables[name] : undefined
    return isObject(variable) ? String(variable.default ?? '').slice(0, MOST_TEXT) : ''
  })
  try {
    return new URL(filled || '/', from).href
  } catch {
    return null
  }
}

type Named = { path: string; method: (typeof METHODS)[number]; name: string }
function readOne(document: Json, { path, method, name: own }: Named, item: Json, operation: Json, budget: Budget): Operation | null {
  const parts: Part[] = []
  for (const each of [...listOf(operation.parameters), ...listOf(item.parameters)]) {
    budget.left--
    const given = resolved(document, each)
    if (!isObject(given)) return null
    const [name, place] = [String(given.name ?? ''), String(given.in)]
    if (!name || parts.some((known) => known.name === name && known.in === place)) continue
    const isRequired = given.required === true || place === 'path'
    const isOurs = place === 'header' && (OURS.includes(name.toLowerCase()) || !/^[\w-]+$/.test(name))
    if (!['path', 'query', 'header'].includes(place) || isOurs) {
      if (isRequired && !isOurs) return null
      continue
    }
    const schema = {
      ...whole(document, given.schema ?? {}, budget),
      ...(given.description !== undefined && { description: String(given.description).slice(0, 300) }),
    }
    parts.push({ name, in: place as Part['in'], required: isRequired, schema })
  }
  const request = resolved(document, operation.requestBody)
  const content = isObject(request) && isObject(request.content) ? request.content : {}
  budget.left -= Object.keys(content).length
  const json = Object.entries(content).find(([type]) => /^application\/(.*\+)?json/.test(type))?.[1]
  // A body of another kind cannot be sent.
  if (isObject(request) && !json && request.required === true) return null
  const read: Operation = {
    ...{ name: own, method: method.toUpperCase() as Operation['method'], path, parts },
    title: String(operation.summary ?? operation.operationId ?? `${method.toUpperCase()} ${path}`).slice(0, 200),
    effect: method === 'get' ? 'reads' : 'sends',
    body: isObject(json) ? whole(document, json.schema ?? {}, budget) : null,
    bodyRequired: isObject(request) && request.required === true,
  }
  // A call that is too long is told without its body's fields, then without any. A path that is too long by itself is no call of anybody's.
  const shorter = { ...read, body: read.body && { type: 'object' } }
  const shortest = { ...shorter, parts: parts.map((part) => ({ ...part, schema: {} })) }
  return [read, shorter, shortest].find((each) => JSON.stringify(each).length <= MOST_SCHEMA) ?? null
}

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value.slice(0, 100) : [])

/** The target of a reference inside the document; others are not followed. */
function resolved(document: Json, value: unknown): unknown {
  let at = value
  for (let hops = 0; isObject(at) && typeof at.$ref === 'string'; hops++) {
    if (hops > MOST_DEPTH || at.$ref.length > MOST_TEXT || !at.$ref.startsWith('#/')) return null
    let target: unknown = document
    for (const part of at.$ref
      .slice(2)
      .split('/')
      .map((each) => decoded(each)))
      target = isObject(target) && Object.hasOwn(target, part) ? target[part] : undefined
    at = target
  }
  return at
}
function decoded(part: string): string {
  try {
    return decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~')
  } catch {
    return part
  }
}

/** A schema with its references filled in, as deep and as far as is of use. */
function whole(document: Json, value: unknown, budget: Budget): Json {
  let left = Math.min(MOST_VALUES, budget.left)
  // A list or an object costs as much as it has entries, also those that are left out, and a text by its length.
  const takes = (count: number) => {
    left -= count
    budget.left -= count
    return left >= 0
  }
  const fill = (given: unknown, depth: number): unknown => {
    const at = resolved(document, given)
    if (typeof at === 'string') return takes(Math.ceil(Math.min(at.length, MOST_TEXT) / 100)) ? at.slice(0, MOST_TEXT) : ''
    if (Array.isArray(at))
      return depth <= MOST_DEPTH && takes(Math.min(at.length, 200) + 1) ? at.slice(0, 200).map((each) => fill(each, depth + 1)) : []
    if (!isObject(at)) return at
    const names = Object.keys(at)
    if (depth > MOST_DEPTH || !takes(names.length + 1)) return {}
    return Object.fromEntries(
      names
        .filter((name) => name.length <= MOST_TEXT && !['example', 'examples', 'xml', 'externalDocs', '__proto__'].includes(name))
        .map((name) => [name, fill(at[name], depth + 1)]),
    )
  }
  const filled = fill(value, 0)
  return isObject(filled) ? filled : {}
}

/** The JSON schema of what a call takes. */
export function inputOf({ parts, body, bodyRequired }: Operation): Json {
  const required = [...parts.filter(({ required }) => required).map(({ name }) => name), ...(bodyRequired ? ['body'] : [])]
  return {
    type: 'object',
    properties: Object.fromEntries([...parts.map(({ name, schema }) => [name, schema]), ...(body ? [['body', body]] : [])]),
    ...(required.length && { required }),
    additionalProperties: false,
  }
}
