import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
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
let sandbox: Sandbox
beforeAll(async () => {
  sandbox = await startSandbox({ dataDir, publicUrl: 'http://localhost:9206', seed: 'rdap' })
})
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
