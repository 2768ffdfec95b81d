import { generateKeyPairSync, type JsonWebKey } from 'node:crypto'
import { createSigner } from 'fast-jwt'
import { expect, test } from 'vitest'
import { signedUp, startIdentity } from '../testing/platform.ts'

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const jwk = (key: { privateKey: typeof ec.privateKey }, kid: string, alg: string) => ({
  ...key.privateKey.export({ format: 'jwk' }),
  kid,
  alg,
})
const partsOf = (token: string) =>
  token
    .split('.')
    .slice(0, 2)
    .map((part) => JSON.parse(Buffer.from(part, 'base64url').toString()))

test('brought keys: the first one signs, every one is believed, none is given away', { timeout: 30_000 }, async () => {
  const platform = await startIdentity({ AUTH_JWK_SET: JSON.stringify({ keys: [jwk(rsa, 'new', 'RS256'), jwk(ec, 'old', 'ES256')] }) })
  const { client, session } = await signedUp(platform)
  const [header, claims] = partsOf(session.access_token)
  expect(header).toMatchObject({ alg: 'RS256', kid: 'new' })
  expect((await client.auth.getClaims(session.access_token)).data?.claims.sub).toBe(session.user.id)

  const { keys } = (await (await fetch(`${platform.base}/auth/v1/.well-known/jwks.json`)).json()) as { keys: JsonWebKey[] }
  expect(keys.map(({ kty, d, p, q }) => [kty, d, p, q])).toEqual([
    ['RSA', undefined, undefined, undefined],
    ['EC', undefined, undefined, undefined],
  ])
  // A token of the key before stays good until it ends; another key under its name does not.
  const signed = (pair: typeof ec, kid: string) =>
    createSigner({ key: pair.privateKey.export({ type: 'pkcs8', format: 'pem' }) as string, algorithm: 'ES256', kid })(claims)
  const userWith = (token: string) => platform.client().auth.getUser(token)
  expect((await userWith(signed(ec, 'old'))).data.user?.id).toBe(session.user.id)
  expect((await userWith(signed(generateKeyPairSync('ec', { namedCurve: 'P-256' }), 'old'))).error).toMatchObject({ code: 'bad_jwt' })
  await platform.close()
})

test('a set that cannot sign, or is none, keeps identity from starting and says what is wrong', { timeout: 30_000 }, async () => {
  const { d: _private, ...publicOnly } = jwk(ec, 'k', 'ES256')
  for (const [set, problem] of [
    ['{"keys":[]}', /must be a JWK set/],
    ['not json', /must be a JWK set/],
    [JSON.stringify({ keys: [publicOnly] }), /needs one key with its private part/],
  ] as const)
    await expect(startIdentity({ AUTH_JWK_SET: set })).rejects.toThrow(problem)
})
