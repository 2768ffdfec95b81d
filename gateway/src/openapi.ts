import type { Endpoint, Table } from '@operon/contracts/contract'
import type { KitConfig } from '@operon/kit/config'
import { VERSION } from '@operon/kit/version'
import type { z } from 'zod'
import type { Spoken } from './routes.ts'
import { type Json, Schemas } from './schemas.ts'

export function openApi(config: Pick<KitConfig, 'PRODUCT_NAME' | 'PUBLIC_URL'>, spoken: Spoken[]): Json {
  const schemas = schemasOf(spoken)
  const parameters: Record<string, Json> = { ...dataParameters, 'idempotency-key': idempotencyKey }
  const paths: Record<string, Json> = {}
  const add = (path: string, method: string, operation: Json) => {
    const key = path.replaceAll(/:(\w+)/g, '{$1}').replace(/\*$/, '{path}')
    paths[key] ??= {}
    paths[key][method.toLowerCase()] = operation
  }
  for (const { service, endpoints, tables } of spoken) {
    for (const endpoint of endpoints) add(endpoint.path, endpoint.method, operationOf(schemas, service, endpoint))
    for (const table of tables) {
      for (const filter of filtersOf(schemas, table)) parameters[`${table.name}.${filter.name}`] = filter
      for (const [method, operation] of tableOperations(schemas, service, table)) add(`/rest/v1/${table.name}`, method, operation)
    }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: config.PRODUCT_NAME,
      version: VERSION,
      description:
        'Made from the contracts. `x-access` says who may call, `x-rate` how calls are counted, `x-id` which parameters are ids.',
    },
    servers: [{ url: config.PUBLIC_URL }],
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer' }, apikey: { type: 'apiKey', in: 'header', name: 'apikey' } },
      responses: { Refused: { description: 'Refused', content: { 'application/problem+json': { schema: { type: 'object' } } } } },
      parameters,
      schemas: Object.fromEntries(Object.entries(schemas.components).sort(([a], [b]) => (a < b ? -1 : 1))),
    },
    paths,
  }
}

function operationOf(schemas: Schemas, service: string, endpoint: Endpoint): Json {
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
    resource,
    halfSignedIn,
    idempotent,
    notOffered,
    description,
    example,
  } = endpoint
  const parameters: Json[] = [
    ...parametersOf(schemas, 'path', params),
    ...parametersOf(schemas, 'query', query),
    ...undeclared(path, params),
  ]
  if (idempotent) parameters.push(parameter('idempotency-key'))
  const bodyType = bytes ? 'application/octet-stream' : 'application/json'
  return {
    operationId: `${service}-${method.toLowerCase()}${path.replaceAll(/[^\w]+/g, '-')}`,
    tags: [service],
    ...(summary && { summary }),
    'x-access': access,
    'x-rate': rate,
    ...((apiKeys || resource || endpoint.action) && { 'x-api-keys': true }),
    ...(description && { description }),
    ...(resource && { 'x-resource': true }),
    ...(halfSignedIn && { 'x-half-signed-in': true }),
    ...(notOffered && { 'x-not-offered': notOffered }),
    ...(access !== 'public' && { security: [{ bearer: [] }] }),
    ...(parameters.length && { parameters }),
    ...((body || bytes) && {
      requestBody: {
        required: true,
        content: {
          [bodyType]: {
            schema: bytes ? {} : schemas.use(body!, 'input'),
            ...(example?.request !== undefined && { example: example.request }),
          },
        },
      },
    }),
    responses: {
      [status]: {
        description: 'Done',
        content: { [contentType]: { schema: raw ? {} : schemas.use(reply, 'output'), ...(example && { example: example.reply }) } },
      },
      default: refused,
    },
  }
}

const refused = { $ref: '#/components/responses/Refused' }
const parameter = (name: string) => ({ $ref: `#/components/parameters/${name}` })
const idempotencyKey = { name: 'idempotency-key', in: 'header', required: false, schema: { type: 'string' } }
const dataParameters = Object.fromEntries(
  ['select', 'order', 'limit', 'offset'].map((name) => [name, { name, in: 'query', required: false, schema: { type: 'string' } }]),
)

const filtersOf = (schemas: Schemas, { columns }: Table): Parameter[] =>
  parametersOf(schemas, 'query', columns).map((column) => ({
    ...column,
    required: false,
    description: 'A filter as PostgREST has them: eq.<value>, in.(…), gt.<value> …',
  }))

function* tableOperations(schemas: Schemas, service: string, table: Table): Generator<[string, Json]> {
  const { name, access, rate, summary, columns, insert, update } = table
  const filters = Object.keys(columns.shape).map((column) => parameter(`${name}.${column}`))
  const common = { tags: [service], 'x-access': access, 'x-table': name, ...(access !== 'public' && { security: [{ bearer: [] }] }) }
  const rows = { type: 'array', items: schemas.use(columns, 'output') }
  const responses = (status: number) => ({
    [status]: { description: 'Rows', content: { 'application/json': { schema: rows } } },
    default: refused,
  })
  yield [
    'GET',
    {
      ...common,
      operationId: `${service}-read-${name}`,
      'x-rate': rate,
      ...(summary && { summary }),
      parameters: [...Object.keys(dataParameters).map(parameter), ...filters],
      responses: responses(200),
    },
  ]
  const write = { ...common, 'x-rate': 'write' }
  const body = (schema: z.ZodObject) => ({ required: true, content: { 'application/json': { schema: schemas.use(schema, 'input') } } })
  if (insert) yield ['POST', { ...write, operationId: `${service}-insert-${name}`, requestBody: body(insert), responses: responses(201) }]
  if (update)
    yield [
      'PATCH',
      { ...write, operationId: `${service}-update-${name}`, parameters: filters, requestBody: body(update), responses: responses(200) },
    ]
  if (table.delete) yield ['DELETE', { ...write, operationId: `${service}-delete-${name}`, parameters: filters, responses: responses(200) }]
}

type Parameter = { name: string; in: string; required: boolean; schema: unknown; description?: string; 'x-id'?: unknown }

function parametersOf(schemas: Schemas, where: 'path' | 'query', shape: z.ZodObject | undefined): Parameter[] {
  if (!shape) return []
  const { properties, required } = schemas.fields(shape)
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

/** Shapes are called as their contracts export them, rows as their tables; where two services share a name, it says whose it is. */
function schemasOf(spoken: Spoken[]): Schemas {
  const named: Record<string, z.ZodType> = {}
  for (const { service, shapes = {}, tables } of spoken) {
    for (const [exported, schema] of Object.entries(shapes)) {
      const name = exported.replace(/Shape$/, '').replace(/^./, (letter) => letter.toUpperCase())
      named[named[name] ? `${service}.${name}` : name] = schema
    }
    for (const { name, columns } of tables) named[name] = columns
  }
  const unnamed = spoken.flatMap(({ endpoints, tables }) => [
    ...endpoints.flatMap(({ params, query, body, reply }) => [params, query, body, reply]),
    ...tables.flatMap(({ columns, insert, update }) => [columns, insert, update]),
  ])
  return new Schemas(
    named,
    unnamed.filter((schema) => schema !== undefined),
  )
}
