import { endpoint } from '@operon/contracts/contract'
import { DomainError } from '@operon/kit/errors'
import Fastify from 'fastify'
import { afterAll, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { jsonOf, raw, spokenBy, testGateway, verifierOfTests } from './testing/start.ts'

const app = Fastify({ bodyLimit: 8 * 1024 * 1024 })
let failing: string[] = []
app.post('/functions/v1/open', (request) => ({ headers: request.headers, body: request.body }))
app.addContentTypeParser('text/x', { parseAs: 'string' }, (_request, body, done) => done(null, body))
app.delete('/functions/v1/gone', () => ({ ok: true }))
app.get('/rest/v1/things', () => {
  throw new DomainError('not_found')
})
await app.ready()
const gateway = await testGateway({
  spoken: [
    ...spokenBy('billing'),
    {
      service: 'billing',
      endpoints: [endpoint({ method: 'DELETE', path: '/functions/v1/gone', access: 'public', rate: 'write', reply: z.unknown() })],
      tables: [],
    },
    { service: 'gateway', endpoints: [(await import('@operon/contracts/gateway/api')).platformInfo], tables: [] },
  ],
  upstreams: { billing: { kind: 'local', app, ready: async () => ({ ok: failing.length === 0, failing, sandboxed: ['stripe'] }) } },
})
afterAll(async () => {
  await gateway.close()
  await app.close()
})

const call = (path: string, init?: RequestInit) => fetch(`${gateway.url}${path}`, init)

test('a service in this process gets the request itself, with the same word on who it is from', async () => {
  const response = await call('/functions/v1/open', {
    method: 'POST',
    body: '{"x":1}',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': '6.6.6.6', 'x-operon-actor': 'x' },
  })
  const seen = await jsonOf(response)
  expect(seen.body).toEqual({ x: 1 })
  expect(seen.headers).toMatchObject({ 'x-forwarded-for': '127.0.0.1' })
  expect(seen.headers).not.toHaveProperty('x-operon-actor')
  expect(response.headers.get('x-request-id')).toBe(seen.headers['x-request-id'])
  expect(response.headers.get('x-content-type-options')).toBe('nosniff')
  expect(response.headers.get('ratelimit')).toMatch(/^"read";r=/)
})

test('a call that says JSON and sends nothing is answered, not waited for', async () => {
  const answer = await raw(
    gateway.port,
    'DELETE /functions/v1/gone HTTP/1.1\r\nhost: a\r\ncontent-type: text/x\r\nconnection: close\r\n\r\n',
  )
  expect(answer).toMatch(/^HTTP\/1.1 200 /)
})

test('the gateway is ready whatever is away, and says of the fleet what is', async () => {
  const statusz = async () => {
    const response = await call('/statusz')
    return [response.status, await response.json()]
  }
  const billing = { running: 1, of: 1, versions: [expect.any(String)] }
  const version = expect.any(String)
  await vi.waitFor(async () =>
    expect(await statusz()).toEqual([200, { ok: true, version, services: { billing: { ok: true, ...billing } }, failing: [] }]),
  )
  failing = ['billing: database']
  await vi.waitFor(async () =>
    expect(await statusz()).toEqual([
      503,
      { ok: false, version, services: { billing: { ok: false, ...billing } }, failing: ['billing: database'] },
    ]),
  )
  const ready = await call('/readyz')
  expect([ready.status, await ready.json()]).toEqual([200, { ok: true, failing: [], version }])
  failing = []
})

test('many who ask at once how the fleet is share one look, and a service that takes its time to say so holds nobody up', async () => {
  let looks = 0
  const shared = await testGateway({
    upstreams: {
      billing: {
        kind: 'local',
        app,
        ready: () => {
          looks += 1
          return new Promise(() => {})
        },
      },
    },
  })
  const many = await Promise.all(
    Array.from({ length: 20 }, () =>
      fetch(`${shared.url}/statusz`).then(async (response) => [response.status, (await jsonOf(response)).failing]),
    ),
  )
  for (const answer of many) expect(answer).toEqual([503, ['billing: no answer in time']])
  expect(looks).toBe(1)
  await vi.waitFor(async () => {
    await fetch(`${shared.url}/statusz`)
    expect(looks).toBe(2)
  })
  await shared.close()
})

test('a gateway that identity tells no keys, as one with another master key, says so', async () => {
  let told = () => {}
  const verifier = verifierOfTests(() => new Promise<void>((resolve) => (told = resolve)))
  const lonely = await testGateway({ verifier, upstreams: { identity: { kind: 'local', app } } })
  const failing = async () => (await jsonOf(fetch(`${lonely.url}/statusz`))).failing
  expect(await failing()).toEqual(['gateway: identity tells it no keys'])
  told()
  await vi.waitFor(async () => expect(await failing()).toEqual([]))
  await lonely.close()
})

test('a page learns what is sandboxed before anyone has signed in', async () => {
  expect(await (await call('/functions/v1/platform-info', { method: 'POST' })).json()).toMatchObject({
    product_name: 'Operon',
    sandboxed: ['stripe'],
    demo_accounts: false,
  })
})

test('metrics are for the machine itself and for the service key', async () => {
  expect(await (await call('/metrics')).text()).toMatch(
    /operon_http_request_seconds_count\{service="gateway",route="\/functions\/v1\/open",method="POST",status="200"\} \d/,
  )
  expect((await call('/metrics', { headers: { 'x-forwarded-for': '9.9.9.9' } })).status).toBe(404)
})

test('a preflight is answered here, for any origin and without credentials', async () => {
  const response = await call('/functions/v1/open', {
    method: 'OPTIONS',
    headers: { origin: 'https://else', 'access-control-request-method': 'POST' },
  })
  expect(response.status).toBe(204)
  expect(response.headers.get('access-control-allow-origin')).toBe('*')
  expect(response.headers.get('access-control-allow-credentials')).toBeNull()
  expect(response.headers.get('access-control-allow-methods')).toBe('POST, OPTIONS')
  for (const name of ['apikey', 'authorization', 'x-client-info', 'prefer', 'range', 'accept-profile'])
    expect(response.headers.get('access-control-allow-headers')).toContain(name)
  // Uploads that resume, and assistants that speak MCP.
  for (const name of ['tus-resumable', 'upload-length', 'upload-offset', 'upload-metadata', 'mcp-session-id', 'mcp-protocol-version'])
    expect(response.headers.get('access-control-allow-headers')).toContain(name)
  for (const name of ['location', 'upload-offset', 'upload-length', 'mcp-session-id'])
    expect(response.headers.get('access-control-expose-headers')).toContain(name)
  // Clients of the auth protocol read an error by this field.
  expect(response.headers.get('access-control-expose-headers')).toContain('x-supabase-api-version')
})

test('the reference is made from the contracts: each operation says who may call it, each id says what it is of', async () => {
  const document = await jsonOf(call('/openapi.json'))
  const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods as Record<string, Record<string, unknown>>))
  expect(operations.length).toBeGreaterThan(10)
  for (const operation of operations)
    expect(operation).toMatchObject({ 'x-access': expect.any(String), 'x-rate': expect.any(String), operationId: expect.any(String) })
  expect(document.paths['/auth/v1/admin/users/{id}'].get.parameters).toEqual([
    expect.objectContaining({ name: 'id', in: 'path', 'x-id': 'user' }),
  ])
  for (const [, kind, name] of JSON.stringify(document).matchAll(/"\$ref":"#\/components\/(\w+)\/([^"]+)"/g))
    expect(document.components[kind!]).toHaveProperty([name!])
  expect(document.paths['/rest/v1/things'].get.responses['200'].content['application/json'].schema.items).toEqual({
    $ref: '#/components/schemas/things',
  })
  const page = await call('/docs')
  expect(page.headers.get('content-security-policy')).toMatch(/default-src 'none'/)
  const text = await page.text()
  expect(text).toContain('/auth/v1/admin/users/{id}')
  for (const [, path] of text.matchAll(/(?:href|src)="(\/docs\/[^"]+)"/g)) expect((await call(path!)).status).toBe(200)
  for (const [, at] of text.matchAll(/href="#([^"]+)"/g)) expect(text).toContain(`id="${at}"`)
  for (const path of ['/openapi.json', '/docs']) {
    const first = await call(path, { headers: { 'accept-encoding': 'br' } })
    expect(first.headers.get('content-encoding')).toBe('br')
    expect((await call(path, { headers: { 'if-none-match': first.headers.get('etag')! } })).status).toBe(304)
    const wrong = await call(path, { method: 'POST' })
    expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
  }
})
