import { gzipSync } from 'node:zlib'
import type { Endpoint, Table } from '@operon/contracts/contract'
import type { KitConfig } from '@operon/kit/config'
import { z } from 'zod'
import { send } from './call.ts'
import type { Page } from './handle.ts'
import type { RawHeaders } from './headers.ts'
import type { Spoken } from './routes.ts'

type Json = Record<string, unknown>
type Options = { config: KitConfig; spoken: Spoken[] }

/** `/openapi.json` and `/docs`, both made from the contracts. */
export function referencePages({ config, spoken }: Options): Map<string, Page> {
  const document = openApi(config, spoken)
  const serve = (text: string, headers: RawHeaders): Page => {
    let zipped: Buffer | null = null
    return (call) => {
      const takesZip = /\bgzip\b/.test(String(call.request.headers['accept-encoding'] ?? ''))
      if (takesZip) zipped ??= gzipSync(text)
      const always = [...headers, 'cache-control', 'no-cache', 'vary', 'accept-encoding']
      send(call, 200, takesZip ? zipped! : text, takesZip ? [...always, 'content-encoding', 'gzip'] : always)
    }
  }
  const policy = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
  return new Map<string, Page>([
    [
      '/openapi.json',
      serve(JSON.stringify(document), ['content-type', 'application/json; charset=utf-8', 'access-control-allow-origin', '*']),
    ],
    ['/docs', serve(docsPage(document), ['content-type', 'text/html; charset=utf-8', 'content-security-policy', policy])],
  ])
}

export function openApi(config: Pick<KitConfig, 'PRODUCT_NAME' | 'PUBLIC_URL'>, spoken: Spoken[]): Json {
  const paths: Record<string, Json> = {}
  const add = (path: string, method: string, operation: Json) => {
    const key = path.replaceAll(/:(\w+)/g, '{$1}').replace(/\*$/, '{path}')
    paths[key] ??= {}
    paths[key][method.toLowerCase()] = operation
  }
  for (const { service, endpoints, tables } of spoken) {
    for (const endpoint of endpoints) add(endpoint.path, endpoint.method, operationOf(service, endpoint))
    for (const table of tables)
      for (const [method, operation] of tableOperations(service, table)) add(`/rest/v1/${table.name}`, method, operation)
  }
  return {
    openapi: '3.1.0',
    info: {
      title: config.PRODUCT_NAME,
      version: '0.1.0',
      description:
        'Made from the contracts. `x-access` says who may call, `x-rate` how calls are counted, `x-id` which parameters are ids.',
    },
    servers: [{ url: config.PUBLIC_URL }],
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer' }, apikey: { type: 'apiKey', in: 'header', name: 'apikey' } },
    },
    paths,
  }
}

function operationOf(service: string, endpoint: Endpoint): Json {
  const {
    path,
    method,
    access,
    rate,
    summary,
    params,
    query,
    body,
    reply,
    status = 200,
    raw,
    bytes,
    contentType = 'application/json',
    apiKeys,
    idempotent,
  } = endpoint
  const parameters = [...parametersOf('path', params), ...parametersOf('query', query), ...undeclared(path, params)]
  if (idempotent) parameters.push({ name: 'idempotency-key', in: 'header', required: false, schema: { type: 'string' } })
  const bodyType = bytes ? 'application/octet-stream' : 'application/json'
  return {
    operationId: `${service}-${method.toLowerCase()}${path.replaceAll(/[^\w]+/g, '-')}`,
    tags: [service],
    ...(summary && { summary }),
    'x-access': access,
    'x-rate': rate,
    ...(apiKeys && { 'x-api-keys': true }),
    ...(access !== 'public' && { security: [{ bearer: [] }] }),
    ...(parameters.length && { parameters }),
    ...((body || bytes) && { requestBody: { required: true, content: { [bodyType]: { schema: bytes ? {} : schemaOf(body!, 'input') } } } }),
    responses: {
      [status]: { description: 'Done', content: { [contentType]: { schema: raw ? {} : schemaOf(reply, 'output') } } },
      default: problem,
    },
  }
}

const problem = { description: 'Refused', content: { 'application/problem+json': { schema: { type: 'object' } } } }

function* tableOperations(service: string, table: Table): Generator<[string, Json]> {
  const { name, access, rate, summary, columns, insert, update } = table
  const filters = parametersOf('query', columns).map((column) => ({
    ...column,
    required: false,
    description: 'A filter as PostgREST has them: eq.<value>, in.(…), gt.<value> …',
  }))
  const shape = ['select', 'order', 'limit', 'offset'].map((name) => ({ name, in: 'query', required: false, schema: { type: 'string' } }))
  const common = { tags: [service], 'x-access': access, 'x-table': name, ...(access !== 'public' && { security: [{ bearer: [] }] }) }
  const rows = { type: 'array', items: schemaOf(columns, 'output') }
  const responses = (status: number) => ({
    [status]: { description: 'Rows', content: { 'application/json': { schema: rows } } },
    default: problem,
  })
  yield [
    'GET',
    {
      ...common,
      operationId: `${service}-read-${name}`,
      'x-rate': rate,
      ...(summary && { summary }),
      parameters: [...shape, ...filters],
      responses: responses(200),
    },
  ]
  const write = { ...common, 'x-rate': 'write' }
  const body = (schema: z.ZodObject) => ({ required: true, content: { 'application/json': { schema: schemaOf(schema, 'input') } } })
  if (insert) yield ['POST', { ...write, operationId: `${service}-insert-${name}`, requestBody: body(insert), responses: responses(201) }]
  if (update)
    yield [
      'PATCH',
      { ...write, operationId: `${service}-update-${name}`, parameters: filters, requestBody: body(update), responses: responses(200) },
    ]
  if (table.delete) yield ['DELETE', { ...write, operationId: `${service}-delete-${name}`, parameters: filters, responses: responses(200) }]
}

type Parameter = { name: string; in: string; required: boolean; schema: unknown; 'x-id'?: unknown }

function parametersOf(where: 'path' | 'query', shape: z.ZodObject | undefined): Parameter[] {
  if (!shape) return []
  const { properties = {}, required = [] } = schemaOf(shape, 'input') as { properties?: Record<string, Json>; required?: string[] }
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: where,
    required: where === 'path' || required.includes(name),
    schema,
    ...(idOf(schema) !== undefined && { 'x-id': idOf(schema) }),
  }))
}

const idOf = (schema: Json): unknown =>
  schema['x-id'] ?? ((schema.anyOf as Json[] | undefined) ?? []).map((each) => each['x-id']).find(Boolean)

/** A path may have parameters that its contract leaves to the handler. */
function undeclared(path: string, params: z.ZodObject | undefined): Parameter[] {
  const names = [...path.matchAll(/:(\w+)/g)].map((match) => match[1]!)
  if (path.endsWith('*')) names.push('path')
  return names
    .filter((name) => !params || !(name in params.shape))
    .map((name) => ({ name, in: 'path', required: true, schema: { type: 'string' } }))
}

function schemaOf(schema: z.ZodType, io: 'input' | 'output'): Json {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any', reused: 'inline' }) as Json
  return rest
}

function docsPage(document: Json): string {
  const { title } = document.info as { title: string }
  const rows: string[] = []
  let service = ''
  for (const [path, methods] of Object.entries(document.paths as Record<string, Json>)) {
    for (const [method, operation] of Object.entries(methods as Record<string, Json>)) {
      const [tag = ''] = operation.tags as string[]
      if (tag !== service) rows.push(`<h2>${escaped(tag)}</h2>`)
      service = tag
      rows.push(operationHtml(method, path, operation))
    }
  }
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escaped(title)} API</title><style>${style}</style>
<main><h1>${escaped(title)} API</h1><p>Made from the contracts that the services run by. The same as a document: <a href="/openapi.json">/openapi.json</a>.
Send the access token as <code>Authorization: Bearer</code>, the publishable key as <code>apikey</code>.</p>${rows.join('\n')}</main></html>`
}

function operationHtml(method: string, path: string, operation: Json): string {
  const details = { parameters: operation.parameters, requestBody: operation.requestBody, responses: operation.responses }
  return `<details><summary><b>${method.toUpperCase()}</b> <code>${escaped(path)}</code> <i>${escaped(String(operation['x-access']))} · ${escaped(String(operation['x-rate']))}</i>
<span>${escaped(String(operation.summary ?? ''))}</span></summary><pre>${escaped(JSON.stringify(details, null, 2))}</pre></details>`
}

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

const style = `:root{color-scheme:light dark;font:15px/1.5 system-ui,sans-serif}main{max-width:60rem;margin:2rem auto;padding:0 1rem}
h2{margin-top:2.5rem;font-size:1.1rem}details{border-top:1px solid #8884;padding:.4rem 0}summary{cursor:pointer}summary b{display:inline-block;width:4.2rem}
summary i{opacity:.7;font-size:.85em;margin-left:.5rem}summary span{display:block;opacity:.8;margin-left:4.6rem}pre{overflow:auto;font-size:12px;padding:1rem;background:#8882;border-radius:6px}`
