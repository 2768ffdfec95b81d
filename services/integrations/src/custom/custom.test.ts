import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { connectionBroken } from '@operon/contracts/integrations/events'
import { startTestPlatform, startTestService, type TestUser } from '@operon/kit/testing/service'
import { afterAll, expect, test } from 'vitest'
import { integrationsService } from '../service.ts'
import { operationsIn } from './openapi.ts'

/** A shop's own API, with its document and a token endpoint. */
type Heard = { method: string; url: string; headers: IncomingMessage['headers']; body: string }
const heard: Heard[] = []
let good = 'a-key'
let sold = 0
const document = {
  openapi: '3.1.0',
  servers: [{ url: '/v1' }],
  paths: {
    '/items': {
      get: {
        operationId: 'listItems',
        summary: 'List items',
        parameters: [{ name: 'color', in: 'query', schema: { $ref: '#/components/schemas/Color' } }],
      },
      post: {
        operationId: 'addItem',
        requestBody: { required: true, content: { 'application/json': { schema: { $ref: '#/components/schemas/Item' } } } },
      },
    },
    '/items/{id}': {
      parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
      get: { operationId: 'showItem' },
      put: { operationId: 'pictureOf', requestBody: { required: true, content: { 'image/png': {} } } },
    },
    '/text': { get: { operationId: 'text' } },
    '/big': { get: { operationId: 'big' } },
  },
  components: {
    schemas: {
      Color: { type: 'string', enum: ['red', 'blue'] },
      Item: { type: 'object', properties: { name: { type: 'string' }, like: { $ref: '#/components/schemas/Item' } } },
    },
  },
}
const server = createServer(async (request, response) => {
  let body = ''
  for await (const chunk of request) body += chunk
  const { method = '', url = '', headers } = request
  const say = (status: number, answer: unknown) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(typeof answer === 'string' ? answer : JSON.stringify(answer))
  if (url === '/openapi.json') return say(200, document)
  if (url === '/token') return say(200, { access_token: good, expires_in: 3600 })
  heard.push({ method, url, headers, body })
  if (headers.authorization !== `Bearer ${good}` && headers['x-key'] !== good && !url.includes(`key=${good}`))
    return say(401, { message: 'Who are you?' })
  if (url === '/v1/text') return say(200, 'plain words')
  if (url === '/v1/big') return say(200, { text: 'x'.repeat(30_000) })
  if (method === 'POST') return say(201, { id: ++sold })
  return url.startsWith('/v1/items') ? say(200, { items: [{ id: 7 }] }) : say(404, { message: 'Nothing here' })
})

let at = ''
const platform = await startTestPlatform([integrationsService])
await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
at = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
afterAll(async () => {
  server.close()
  await platform.close()
})

async function call(user: TestUser, name: string, body: object, key: string = crypto.randomUUID(), of = platform.url('integrations')) {
  const response = await fetch(`${of}/functions/v1/${name}`, {
    method: 'POST',
    headers: { ...user.headers, 'content-type': 'application/json', 'idempotency-key': key },
    body: JSON.stringify(body),
  })
  return { status: response.status, body: (await response.json()) as any }
}
const connected = async (user: TestUser, more: object = {}) => {
  const stock = { name: 'Stock', document_url: `${at}/openapi.json`, auth: 'bearer', key: good, ...more }
  return (await call(user, 'connect-custom-api', stock)).body
}

test('a document makes operations that are read and called, with what an operation takes filled in', async () => {
  const user = platform.user()
  const { connection_id, operations, left_out } = await connected(user)
  // A picture cannot be sent.
  expect([operations, left_out]).toEqual([5, 1])
  const listed = (await call(user, 'list-custom-operations', { connection_id, q: 'item list' })).body.operations
  expect(listed).toEqual([
    {
      ...{ name: 'listItems', title: 'List items', effect: 'reads', method: 'GET', path: '/items' },
      input: { type: 'object', properties: { color: { type: 'string', enum: ['red', 'blue'] } }, additionalProperties: false },
    },
  ])
  const read = (operation: string, input: object = {}) => call(user, 'read-custom-api', { connection_id, operation, input })
  expect((await read('listItems', { color: 'red' })).body).toEqual({ answer: '{"items":[{"id":7}]}', cut: false })
  expect(heard.at(-1)).toMatchObject({ method: 'GET', url: '/v1/items?color=red', headers: { authorization: 'Bearer a-key' } })
  await read('showItem', { id: 'a/../b' })
  expect(heard.at(-1)!.url).toBe('/v1/items/a%2F..%2Fb')
  expect((await read('showItem', { id: '..' })).body.code).toBe('app_input')
  expect((await read('showItem')).body.message).toContain('id is missing')
  expect((await read('listItems', { size: 1 })).body.message).toContain('there is no size')
  expect((await read('text')).body.answer).toBe('plain words')
  expect((await read('big')).body).toMatchObject({ cut: true })
  expect((await read('addItem', { body: {} })).body.code).toBe('app_action_unknown')
  const key = crypto.randomUUID()
  const add = () => call(user, 'run-custom-api', { connection_id, operation: 'addItem', input: { body: { name: 'Cup' } } }, key)
  const [one, other] = [await add(), await add()]
  expect([one.body, other.body, sold]).toEqual([{ answer: '{"id":1}', cut: false }, one.body, 1])
  expect(heard.at(-1)!.body).toBe('{"name":"Cup"}')
  const { apis } = (await call(user, 'list-custom-apis', {})).body
  expect(apis).toMatchObject([{ connection_id, name: 'Stock', base: `${at}/v1`, state: 'connected', operations: 5 }])
  expect(JSON.stringify(apis)).not.toContain(good)
  // It is none of the library's apps.
  expect((await call(user, 'list-connections', {})).body.connections).toEqual([])
})

test('the key travels as the API wants it, and one that is refused is not kept', async () => {
  const user = platform.user()
  for (const how of [
    { auth: 'header', auth_name: 'X-Key' },
    { auth: 'query', auth_name: 'key' },
    { auth: 'oauth', client_id: 'us', token_url: `${at}/token` },
  ])
    expect([how, (await connected(user, { ...how, check_path: 'items' })).operations]).toEqual([how, 5])
  expect((await connected(user, { key: 'another' })).code).toBe('app_key_refused')
  expect((await connected(user, { auth: 'header' })).code).toBe('app_key_missing')
  for (const auth_name of ['Host', 'content-length', 'Transfer-Encoding'])
    expect([auth_name, (await connected(user, { auth: 'header', auth_name })).code]).toEqual([auth_name, 'app_key_missing'])
  expect((await call(user, 'list-custom-apis', {})).body.apis.length).toBe(3)
})

test('without a document any path below the address is called, and nothing else', async () => {
  const user = platform.user()
  const { connection_id, operations } = await connected(user, { document_url: undefined, base: `${at}/v1/` })
  expect(operations).toBe(5)
  const get = (input: object) => call(user, 'read-custom-api', { connection_id, operation: 'get', input })
  expect((await get({ path: 'items/7', query: { color: 'blue' } })).body.cut).toBe(false)
  expect(heard.at(-1)!.url).toBe('/v1/items/7?color=blue')
  expect((await get({ path: '../openapi.json' })).body.code).toBe('app_input')
  await get({ path: 'https://elsewhere.example.com/' })
  expect(heard.at(-1)!.url).toBe('/v1/https%3A//elsewhere.example.com/')
})

test('a key that is refused later is told, and another one makes it work again; nobody else has any of it', async () => {
  const [ann, eve] = [platform.user(), platform.user()]
  const { connection_id } = await connected(ann)
  good = 'another-key'
  const read = (user: TestUser) => call(user, 'read-custom-api', { connection_id, operation: 'listItems' })
  expect((await read(ann)).body.code).toBe('connection_broken')
  expect((await call(ann, 'list-custom-apis', {})).body.apis[0].state).toBe('broken')
  const told = await platform.services
    .integrations!.rt.db.selectFrom('outbox' as never)
    .selectAll()
    .where('name' as never, '=', connectionBroken.name as never)
    .where('user_id' as never, '=', ann.id as never)
    .execute()
  expect(told.length).toBe(1)
  expect((await connected(eve, { connection_id })).code).toBe('app_not_connected')
  expect((await connected(ann, { connection_id })).connection_id).toBe(connection_id)
  expect((await read(ann)).status).toBe(200)
  expect((await read(eve)).body.code).toBe('app_not_connected')
  expect((await call(eve, 'disconnect-custom-api', { connection_id })).body).toEqual({ disconnected: false })
  expect((await call(ann, 'disconnect-custom-api', { connection_id })).body).toEqual({ disconnected: true })
  expect((await read(ann)).body.code).toBe('app_not_connected')
  good = 'a-key'
})

test('where people come, nothing of ours is called', async () => {
  const guarded = await startTestService(integrationsService, { WEBHOOK_LOOPBACK: 'false' })
  const user = guarded.user()
  const ask = (more: object) => call(user, 'connect-custom-api', { name: 'Ours', ...more }, undefined, guarded.url())
  for (const address of ['http://127.0.0.1:9', 'http://169.254.169.254/latest', 'http://[::1]:9', at.replace('127.0.0.1', 'localhost')])
    for (const more of [
      { base: address },
      { document_url: address },
      { base: 'https://api.example.com', auth: 'oauth', key: 'k', client_id: 'c', token_url: address },
    ])
      expect([address, more, (await ask(more)).body.code]).toEqual([address, more, 'blocked_address'])
  await guarded.close()
})

test('a document that is none is refused, and one that points at itself has an end', () => {
  for (const text of ['<html>', '[]', '{"swagger":"2.0","paths":{}}', '{"openapi":"3.0.0","paths":{}}'])
    expect(() => operationsIn(text)).toThrow('no OpenAPI 3 document')
  const loop = { ...document, components: { schemas: { ...document.components.schemas, Color: { $ref: '#/components/schemas/Color' } } } }
  const { operations } = operationsIn(JSON.stringify(loop), at)
  expect(JSON.stringify(operations).length).toBeLessThan(30_000)
})

test('a small document that stands for billions of values is read as far as is of use, and what is kept of any is bounded', async () => {
  const lists = Object.fromEntries(
    [1, 2, 3].map((n) => [`L${n}`, Array.from({ length: 200 }, () => (n === 3 ? 1 : { $ref: `#/components/schemas/L${n + 1}` }))]),
  )
  const fields = Array.from({ length: 60 }, (_, n) => [`field-${n}`, { type: 'string', description: 'x'.repeat(300) }])
  const wide = { type: 'object', properties: Object.fromEntries(fields) }
  const parameters = Array.from({ length: 60 }, (_, n) => ({ name: `p${n}`, in: 'query', schema: { $ref: '#/components/schemas/Wide' } }))
  const read = (paths: object) =>
    operationsIn(
      JSON.stringify({ openapi: '3.1.0', paths, components: { schemas: { ...lists, Wide: wide }, items: { get: { parameters } } } }),
    )
  const nested = { name: 'q', in: 'query', schema: { enum: { $ref: '#/components/schemas/L1' } } }
  const bomb = read({ '/a': { get: { parameters: [nested] } } })
  expect(JSON.stringify(bomb.operations).length).toBeLessThan(21_000)
  // Each path is a few letters that stand for the same thousands of values.
  const paths = Array.from({ length: 2_000 }, (_, n) => [`/${n}`, { $ref: '#/components/items' }])
  const many = read(Object.fromEntries(paths))
  expect(JSON.stringify(many.operations).length).toBeLessThan(2_100_000)
  expect(many.operations.length + many.leftOut).toBe(2_000)
  expect(read({ [`/${'x'.repeat(30_000)}`]: { get: {} }, '/b': { get: {} } }).operations.map(({ path }) => path)).toEqual(['/b'])
  const long = { ...document, servers: [{ url: `https://api.example.com${'/'.repeat(20_000)}x` }] }
  const refused = await call(platform.user(), 'connect-custom-api', { name: 'Long', document: JSON.stringify(long) })
  expect(refused.body.code).toBe('custom_api_document')
})

test('an account that nobody can write to, and a demo, connect no address of their own; nobody has more than are listed', async () => {
  const nobody = platform.user({ is_anonymous: true })
  expect((await connected(nobody)).code).toBe('anonymous_no_calls')
  const hook = { url: 'https://example.com/hook', name: 'x', events: ['billing.payment_succeeded'] }
  expect((await call(nobody, 'webhook-endpoint-create', hook)).body.code).toBe('anonymous_no_calls')
  expect((await connected(platform.user({ app_metadata: { demo: { reads_only: false } } }))).code).toBe('demo_never')
  const user = platform.user()
  const { db } = platform.services.integrations!.rt as any
  const rows = Array.from({ length: 49 }, () => ({ id: crypto.randomUUID(), user_id: user.id }))
  const connection = { app: 'custom', account: 'x', scopes: [], sandbox: false }
  await db
    .insertInto('connections')
    .values(rows.map(({ id, user_id }) => ({ id, user_id, account_id: id, ...connection })))
    .execute()
  await db
    .insertInto('custom_apis')
    .values(rows.map((row) => ({ ...row, base: at, auth: 'none', operations: '[]' })))
    .execute()
  const both = await Promise.all([connected(user), connected(user)])
  expect(both.map(({ code }) => code)).toContain('connection_limit')
  expect((await call(user, 'list-custom-apis', {})).body.apis.length).toBe(50)
})
