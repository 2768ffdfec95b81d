import { generateKeyPairSync } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { migrate } from '@operon/kit/migrate'
import { dropTestDatabase, emptyTestDatabase } from '@operon/kit/testing/database'
import { insert } from '@operon/kit/testing/rows'
import { createSigner } from 'fast-jwt'
import { afterAll, expect, test, vi } from 'vitest'
import { identityService } from '../service.ts'
import { signedUp, startIdentity } from '../testing/platform.ts'
import { keysCommand } from './rotation.ts'

const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const set = JSON.stringify({ keys: [{ ...privateKey.export({ format: 'jwk' }), kid: 'one', alg: 'ES256' }] })
const pem = (key: typeof privateKey) => key.export({ type: 'pkcs8', format: 'pem' }) as string
const sign = createSigner({ key: pem(privateKey), algorithm: 'ES256', kid: 'one' })
const second = () => Math.floor(Date.now() / 1000)

const platform = await startIdentity({ AUTH_JWK_SET: set })
afterAll(() => platform.close())

const ask = async (path: string, token: string) => {
  const response = await fetch(platform.base + path, { headers: { authorization: `Bearer ${token}` } })
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}

test('a classic service_role token of the instance administers it; another key, another role or an end in the past does not', async () => {
  const minted = await keysCommand(['service-role', '30'], { AUTH_JWK_SET: set })
  for (const token of [
    minted,
    sign({ iss: 'supabase', ref: 'abc', role: 'service_role', iat: second(), exp: second() + 60 }),
    sign({ role: 'supabase_admin', iat: second() }),
  ])
    expect(await ask('/auth/v1/admin/users', token)).toMatchObject({ status: 200, body: { aud: 'authenticated' } })
  const other = createSigner({ key: pem(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey), algorithm: 'ES256', kid: 'one' })
  expect(await ask('/auth/v1/admin/users', other({ role: 'service_role' }))).toMatchObject({ status: 403, body: { error_code: 'bad_jwt' } })
  expect((await ask('/auth/v1/admin/users', sign({ iss: 'supabase', role: 'anon' }))).status).toBe(401)
  expect((await ask('/auth/v1/admin/users', sign({ iss: 'supabase', role: 'authenticated', sub: 'x' }))).status).toBe(403)
  expect(await ask('/auth/v1/admin/users', sign({ role: 'service_role', exp: second() - 60 }))).toMatchObject({
    status: 403,
    body: { error_code: 'bad_jwt', msg: expect.stringContaining('token is expired') },
  })
})

test('where no instance has made a key yet, the command says to start one', async () => {
  const url = await emptyTestDatabase()
  const dataDir = await mkdtemp(join(tmpdir(), 'identity-keys-'))
  try {
    await migrate(url, identityService.migrations)
    const env = { DATABASE_URL_IDENTITY: url, DATA_DIR: dataDir }
    await expect(keysCommand(['service-role'], env)).rejects.toThrow('identity has no key yet: start it once')
  } finally {
    await dropTestDatabase(url)
    await rm(dataDir, { recursive: true })
  }
})

test('a token that has ended is told from a forged one', async () => {
  const { session } = await signedUp(platform)
  const [, claims] = session.access_token.split('.')
  const ended = sign({ ...JSON.parse(Buffer.from(claims!, 'base64url').toString()), exp: second() - 60 })
  expect(await ask('/auth/v1/user', ended)).toEqual({
    status: 403,
    body: {
      code: 403,
      error_code: 'bad_jwt',
      msg: 'invalid JWT: unable to parse or verify signature, token has invalid claims: token is expired',
    },
  })
  expect((await ask('/rest/v1/user_roles?select=role', ended)).body).toEqual({
    code: 'PGRST303',
    message: 'JWT expired',
    details: null,
    hint: null,
  })
  const forged = `${ended.slice(0, -6)}AAAAAA`
  expect((await ask('/auth/v1/user', forged)).body.msg).toBe('invalid JWT: unable to parse or verify signature')
  expect((await ask('/rest/v1/user_roles?select=role', forged)).body.code).toBe('PGRST301')
})

test('taken back, every service_role token from before ends, and a new one works', async () => {
  const before = sign({ role: 'service_role', iat: second() - 5 })
  expect((await ask('/auth/v1/admin/users', before)).status).toBe(200)
  const { rt } = platform.services.identity!
  await insert(rt.db, 'service_tokens', { good_since: new Date() })
  rt.verifier.askForKeys()
  expect((await ask('/auth/v1/admin/users', before)).status).toBe(403)
  await vi.waitFor(
    async () => expect((await ask('/auth/v1/admin/users', sign({ role: 'service_role', iat: second() }))).status).toBe(200),
    5000,
  )
})
