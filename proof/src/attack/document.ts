export type Json = any
type Parameter = { name: string; in: 'path' | 'query' | 'header'; required?: boolean; schema: Json; 'x-id'?: string }
export type Operation = {
  name: string
  method: string
  path: string
  service: string
  access: string | undefined
  apiKeys: boolean
  halfSignedIn: boolean
  /** Opened by an app's token or a key, and by no session. */
  resource: boolean
  table: string | undefined
  parameters: Parameter[]
  body: Json
  bytes: boolean
  /** Answers people, in HTML, also where it refuses. */
  page: boolean
  reply: Json
}

export function operationsOf(document: Json): Operation[] {
  return Object.entries(resolved(document.paths, document) as Record<string, Record<string, Json>>).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      const success = Object.entries(operation.responses as Record<string, Json>).find(([status]) => status.startsWith('2'))?.[1]
      return {
        name: `${method.toUpperCase()} ${path}`,
        method: method.toUpperCase(),
        path,
        service: operation.tags?.[0],
        access: operation['x-access'],
        apiKeys: operation['x-api-keys'] === true,
        halfSignedIn: operation['x-half-signed-in'] === true,
        resource: operation['x-resource'] === true,
        table: operation['x-table'],
        parameters: operation.parameters ?? [],
        body: operation.requestBody?.content?.['application/json']?.schema,
        bytes: Boolean(operation.requestBody?.content?.['application/octet-stream']),
        page: Object.values(operation.responses as Record<string, Json>).some(({ content }) => content?.['text/html']),
        reply: success?.content?.['application/json']?.schema,
      }
    }),
  )
}

/** References replaced by what they refer to. The contracts have no shape that contains itself. */
function resolved(value: Json, document: Json): Json {
  if (Array.isArray(value)) return value.map((each) => resolved(each, document))
  if (typeof value !== 'object' || value === null) return value
  const { $ref, ...own } = value
  const target =
    typeof $ref === 'string'
      ? resolved(
          $ref
            .slice(2)
            .split('/')
            .reduce((at, name) => at[name], document),
          document,
        )
      : {}
  return { ...target, ...Object.fromEntries(Object.entries(own).map(([name, each]) => [name, resolved(each, document)])) }
}

/** Ends what it is called with, so that it gets an actor of its own. */
export const isDestructive = ({ name }: Pick<Operation, 'name'>) =>
  /logout|account-delete|session-revoke|admin\/users|identities|factors|PUT \/auth\/v1\/user/.test(name)

/** A value that fits a schema; `ids` gives real ones by what they are of. */
export function sample(schema: Json, ids: Record<string, string> = {}): Json {
  if (!schema || typeof schema !== 'object') return 'x'
  if (schema['x-id'] && ids[schema['x-id']]) return ids[schema['x-id']]
  if ('const' in schema) return schema.const
  if (schema.enum) return schema.enum[0]
  if (schema.default !== undefined) return schema.default
  const options = schema.anyOf ?? schema.oneOf ?? schema.allOf
  if (options) return sample(options.find((each: Json) => each['x-id'] && ids[each['x-id']]) ?? options[0], ids)
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type
  if (type === 'object') {
    const required: string[] = schema.required ?? []
    return Object.fromEntries(
      Object.entries(schema.properties ?? {})
        .filter(([name, each]) => required.includes(name) || hasKnownId(each, ids))
        .map(([name, each]) => [name, sample(each, ids)]),
    )
  }
  if (type === 'array') return Array.from({ length: schema.minItems ?? 1 }, () => sample(schema.items, ids))
  if (type === 'integer' || type === 'number') return Math.max(schema.minimum ?? 1, 1)
  if (type === 'boolean') return true
  if (type === 'null') return null
  return text(schema)
}

const hasKnownId = (schema: Json, ids: Record<string, string>): boolean =>
  Boolean(schema?.['x-id'] && ids[schema['x-id']]) ||
  [...(schema?.anyOf ?? []), ...(schema?.items ? [schema.items] : [])].some((each: Json) => hasKnownId(each, ids))

function text({ format, minLength = 1, pattern }: Json): string {
  if (format === 'uuid') return '01900000-0000-7000-8000-000000000000'
  if (format === 'email') return 'someone@example.com'
  if (format === 'date-time') return '2026-11-21T00:00:00.000Z'
  if (format === 'uri') return 'https://example.com/'
  if (typeof pattern === 'string' && /\\d/.test(pattern)) return '2026-11'
  return 'word'.padEnd(minLength, 'x')
}

/** A whole call that fits: the path with its parameters, the query, the body. */
export function sampleCall(operation: Operation, ids: Record<string, string> = {}): { path: string; body: Json } {
  let path = operation.path
  const query = new URLSearchParams()
  for (const { name, in: where, required, schema, 'x-id': of } of operation.parameters) {
    const value = of && ids[of] ? ids[of] : sample(schema, ids)
    if (where === 'path') path = path.replace(`{${name}}`, encodeURIComponent(String(value)))
    const known = Boolean(of && ids[of])
    if (where === 'query' && (required || known)) query.set(name, operation.table ? `eq.${value}` : String(value))
  }
  if (operation.table && !query.size && (operation.method === 'PATCH' || operation.method === 'DELETE'))
    query.set(firstFilter(operation), 'eq.01900000-0000-7000-8000-000000000000')
  const body = operation.bytes
    ? 'bytes'
    : operation.body
      ? sample(operation.body, ids)
      : operation.method === 'POST' || operation.method === 'PATCH' || operation.method === 'PUT'
        ? {}
        : undefined
  return { path: query.size ? `${path}?${query}` : path, body }
}

const firstFilter = (operation: Operation) =>
  operation.parameters.find((each) => each['x-id'])?.name ??
  operation.parameters.find((each) => each.schema?.format === 'uuid')?.name ??
  'id'

/** Names in an answer that its schema does not have. */
export function undeclaredFields(schema: Json, value: Json, at = ''): string[] {
  if (!schema || value === null || typeof value !== 'object') return []
  const options: Json[] = schema.anyOf ?? schema.oneOf ?? []
  if (options.length) return options.map((each) => undeclaredFields(each, value, at)).sort((a, b) => a.length - b.length)[0]!
  if (Array.isArray(value)) return value.slice(0, 3).flatMap((each) => undeclaredFields(schema.items, each, `${at}[]`))
  if (schema.type !== 'object' || !schema.properties || (schema.additionalProperties && schema.additionalProperties !== false)) return []
  return Object.entries(value).flatMap(([name, each]) =>
    name in schema.properties ? undeclaredFields(schema.properties[name], each, `${at}.${name}`) : [`${at}.${name}`],
  )
}
