import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { z } from 'zod'
import { type Sandbox, startSandbox } from '../sandbox.ts'

// RFC 9083 by hand, for nobody publishes it as a schema: strict, so that a member that it does not have is refused.
const property = z.tuple([z.string(), z.record(z.string(), z.unknown()), z.string(), z.unknown()])
const version = z.tuple([z.literal('version'), z.strictObject({}), z.literal('text'), z.literal('4.0')])
const domain = z.strictObject({
  objectClassName: z.literal('domain'),
  rdapConformance: z.array(z.string()),
  handle: z.string(),
  ldhName: z.string(),
  status: z.array(z.string()),
  events: z.array(z.strictObject({ eventAction: z.enum(['registration', 'expiration', 'last changed']), eventDate: z.iso.datetime() })),
  entities: z.array(
    z.strictObject({
      objectClassName: z.literal('entity'),
      roles: z.array(z.string()),
      vcardArray: z.tuple([z.literal('vcard'), z.tuple([version], property)]),
    }),
  ),
  nameservers: z.array(z.strictObject({ objectClassName: z.literal('nameserver'), ldhName: z.string() })),
})
const refusal = z.strictObject({
  rdapConformance: z.array(z.string()),
  errorCode: z.int(),
  title: z.string(),
  description: z.array(z.string()),
})

const dataDir = mkdtempSync(join(tmpdir(), 'sandbox-rdap-'))
const sandbox: Sandbox = await startSandbox({ dataDir, publicUrl: 'http://localhost:9206', seed: 'rdap' })
afterAll(async () => {
  await sandbox.close()
  rmSync(dataDir, { recursive: true })
})

test.each([
  ['google.com', 200, domain],
  ['brightpath1.io', 404, refusal],
  ['not a name', 400, refusal],
])('%s is answered with %i, as RFC 9083 has it', async (name, status, shape) => {
  const answer = await fetch(`${sandbox.addresses.rdap}/domain/${name}`)
  expect([answer.status, answer.headers.get('content-type')]).toEqual([status, 'application/rdap+json'])
  shape.parse(await answer.json())
})

// The price lists by hand as well: what their documentation names, and nothing besides.
const amount = z.string().regex(/^\d+\.\d\d$/)
const porkbun = z.strictObject({
  status: z.literal('SUCCESS'),
  pricing: z.record(z.string(), z.strictObject({ registration: amount, renewal: amount, transfer: amount })),
})
const vercel = z.strictObject({ years: z.int(), purchasePrice: z.number(), renewalPrice: z.number(), transferPrice: z.number() })
const vercelRefusal = z.strictObject({ error: z.strictObject({ code: z.string(), message: z.string() }) })
const namesiloPrice = z.strictObject({ registration: amount, transfer: amount, renew: amount })
const asked = z.strictObject({ operation: z.literal('getPrices'), ip: z.ipv4() })
const namesilo = z.strictObject({
  request: asked,
  reply: z.object({ code: z.literal(300), detail: z.literal('success') }).catchall(namesiloPrice),
})
const namesiloRefusal = z.strictObject({ request: asked, reply: z.strictObject({ code: z.int().max(299), detail: z.string() }) })

const post = (body: object) => ({ method: 'POST', body: JSON.stringify(body) })
const holder = { headers: { authorization: 'Bearer key' } }
test.each<[string, string, RequestInit, number, z.ZodType]>([
  ['Porkbun', '/api/json/v3/pricing/get', post({ tlds: ['com'] }), 200, porkbun],
  [
    'Porkbun with a field that it does not have',
    '/api/json/v3/pricing/get',
    post({ tld: 'com' }),
    400,
    z.strictObject({ status: z.literal('ERROR'), message: z.string() }),
  ],
  ['Vercel', '/v1/registrar/tlds/com/price?years=2', holder, 200, vercel],
  ['Vercel with a parameter that it does not have', '/v1/registrar/tlds/com/price?year=2', holder, 400, vercelRefusal],
  ['Vercel without a key', '/v1/registrar/tlds/com/price', {}, 401, vercelRefusal],
  ['NameSilo', '/api/getPrices?version=1&type=json&key=k', {}, 200, namesilo],
  ['NameSilo with a parameter that it does not have', '/api/getPrices?version=1&type=json&key=k&tld=com', {}, 200, namesiloRefusal],
  ['NameSilo without a key', '/api/getPrices?version=1&type=json', {}, 200, namesiloRefusal],
])('the prices of %s: %s', async (_who, path, options, status, shape) => {
  const answer = await fetch(sandbox.addresses.rdap + path, options)
  expect(answer.status).toBe(status)
  shape.parse(await answer.json())
})

test('Porkbun lists the endings that were asked for', async () => {
  const listed = async (body: object) =>
    Object.keys(porkbun.parse(await (await fetch(`${sandbox.addresses.rdap}/api/json/v3/pricing/get`, post(body))).json()).pricing)
  expect(await listed({ tlds: ['io', 'co'] })).toEqual(['io', 'co'])
  expect(await listed({})).toContain('com')
})
