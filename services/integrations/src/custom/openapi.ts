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
/** Headers that the call itself sets. */
const OURS = ['authorization', 'cookie', 'host', 'content-type', 'content-length', 'accept', 'connection', 'transfer-encoding']
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
  const found: Operation[] = []
  let leftOut = 0
  for (const [path, item] of Object.entries(document.paths)) {
    const at = resolved(whole, item)
    if (!isObject(at)) continue
    for (const method of METHODS) {
      const operation = at[method]
      if (!isObject(operation)) continue
      const read = path.startsWith('/') && found.length < MOST_OPERATIONS ? readOne(whole, path, method, at, operation) : null
      if (!read || found.some(({ name }) => name === read.name)) leftOut++
      else found.push(read)
    }
  }
  if (!found.length) throw notRead('nothing in it can be called')
  return { base: baseOf(document.servers, from), operations: found, leftOut }
}

function baseOf(servers: unknown, from?: string): string | null {
  const [first] = Array.isArray(servers) ? servers : []
  const url = isObject(first) ? String(first.url ?? '') : ''
  const filled = url.replace(/\{(\w+)\}/g, (_, name) => {
    const variables = isObject(first) && isObject(first.variables) ? first.variables : {}
    const variable = Object.hasOwn(variables, name) ? variables[name] : undefined
    return isObject(variable) ? String(variable.default ?? '') : ''
  })
  try {
    return new URL(filled || '/', from).href
  } catch {
    return null
  }
}

function readOne(document: Json, path: string, method: (typeof METHODS)[number], item: Json, operation: Json): Operation | null {
  const parts: Part[] = []
  for (const each of [...listOf(operation.parameters), ...listOf(item.parameters)]) {
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
      ...whole(document, given.schema ?? {}),
      ...(given.description !== undefined && { description: String(given.description).slice(0, 300) }),
    }
    parts.push({ name, in: place as Part['in'], required: isRequired, schema })
  }
  const request = resolved(document, operation.requestBody)
  const content = isObject(request) && isObject(request.content) ? request.content : {}
  const json = Object.entries(content).find(([type]) => /^application\/(.*\+)?json/.test(type))?.[1]
  // A body of another kind cannot be sent.
  if (isObject(request) && !json && request.required === true) return null
  const name = String(operation.operationId ?? `${method} ${path}`).slice(0, 120)
  const read: Operation = {
    ...{ name, method: method.toUpperCase() as Operation['method'], path, parts },
    title: String(operation.summary ?? operation.operationId ?? `${method.toUpperCase()} ${path}`).slice(0, 200),
    effect: method === 'get' ? 'reads' : 'sends',
    body: isObject(json) ? whole(document, json.schema ?? {}) : null,
    bodyRequired: isObject(request) && request.required === true,
  }
  return JSON.stringify(read).length > MOST_SCHEMA ? { ...read, body: read.body && { type: 'object' } } : read
}

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value.slice(0, 100) : [])

/** The target of a reference inside the document; others are not followed. */
function resolved(document: Json, value: unknown): unknown {
  let at = value
  for (let hops = 0; isObject(at) && typeof at.$ref === 'string'; hops++) {
    if (hops > MOST_DEPTH || !at.$ref.startsWith('#/')) return null
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

/** A schema with its references filled in, as deep as is of use. */
function whole(document: Json, value: unknown): Json {
  let left = 400
  const fill = (given: unknown, depth: number): unknown => {
    const at = resolved(document, given)
    if (Array.isArray(at)) return at.slice(0, 200).map((each) => fill(each, depth + 1))
    if (!isObject(at)) return at
    if (depth > MOST_DEPTH || --left < 0) return {}
    return Object.fromEntries(
      Object.entries(at)
        .filter(([key]) => !['example', 'examples', 'xml', 'externalDocs', '__proto__'].includes(key))
        .map(([key, each]) => [key, fill(each, depth + 1)]),
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
