import { notOffered } from '@operon/contracts/identity-off'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type IdentityTest, SERVICE_KEY, signedUp, startIdentity } from '../testing/platform.ts'

let platform: IdentityTest
beforeAll(async () => {
  platform = await startIdentity()
})
afterAll(() => platform.close())

const call = async (method: string, path: string, key?: string, body: object = {}) => {
  const headers = { ...(key && { authorization: `Bearer ${key}` }), ...(method !== 'GET' && { 'content-type': 'application/json' }) }
  const response = await fetch(platform.base + path, { method, headers, ...(method !== 'GET' && { body: JSON.stringify(body) }) })
  return { status: response.status, body: (await response.json()) as Record<string, any> }
}

test('what is not offered answers as a server that has it switched off, after the same look at who asks', async () => {
  const { session } = await signedUp(platform)
  const said: Record<keyof typeof notOffered, [string, string]> = {
    saml: ['saml_provider_disabled', 'SAML 2.0 is disabled'],
    ssoProvider: ['sso_provider_not_found', 'SSO Identity Provider not found'],
    passkeys: ['passkey_disabled', 'Passkeys are disabled'],
    oauthServer: ['feature_disabled', 'OAuth server is disabled'],
    customProviders: ['feature_disabled', 'Custom OAuth providers are disabled'],
    scim: ['feature_disabled', 'SCIM server is disabled'],
  }
  for (const [feature, [error_code, msg]] of Object.entries(said))
    for (const { method, path, access } of notOffered[feature as keyof typeof notOffered]) {
      const at = path.replace('*', 'clients')
      const key = access === 'service' ? SERVICE_KEY : access === 'user' ? session.access_token : undefined
      expect([method, at, await call(method, at, key)]).toEqual([method, at, { status: 404, body: { code: 404, error_code, msg } }])
      if (access !== 'public') expect([method, at, (await call(method, at)).status]).toEqual([method, at, 401])
      if (access === 'service') expect((await call(method, at, session.access_token)).body).toMatchObject({ error_code: 'not_admin' })
    }
})

test('lists of what is not offered are empty for the service key', async () => {
  const { user } = await signedUp(platform)
  expect(await call('GET', '/auth/v1/admin/sso/providers', SERVICE_KEY)).toEqual({ status: 200, body: { items: [] } })
  expect(await call('GET', `/auth/v1/admin/users/${user.id}/passkeys`, SERVICE_KEY)).toEqual({ status: 200, body: [] })
  const nobody = await call('GET', `/auth/v1/admin/users/${crypto.randomUUID()}/passkeys`, SERVICE_KEY)
  expect(nobody).toMatchObject({ status: 404, body: { error_code: 'user_not_found' } })
})

test('the service key renames a factor of its user, and of nobody else', async () => {
  const { client, user } = await signedUp(platform)
  const other = await signedUp(platform)
  const { data } = await client.auth.mfa.enroll({ factorType: 'totp', friendlyName: 'Phone' })
  const at = (of: string) => `/auth/v1/admin/users/${of}/factors/${data!.id}`
  const renamed = await call('PUT', at(user.id), SERVICE_KEY, { friendly_name: 'Old phone' })
  expect(renamed).toMatchObject({ status: 200, body: { id: data!.id, friendly_name: 'Old phone', status: 'unverified' } })
  expect(await call('PUT', at(other.user.id), SERVICE_KEY, { friendly_name: 'x' })).toMatchObject({ status: 404 })
})

test('what can be no refresh token is invalid, what is none of ours is not found', async () => {
  const refresh = async (refresh_token?: string) =>
    (await call('POST', '/auth/v1/token?grant_type=refresh_token', '', { refresh_token })).body
  const invalid = { code: 400, error_code: 'validation_failed', msg: 'Refresh token is not valid' }
  for (const token of [undefined, '', 'x', 'not a token at all, but long enough to be one of fifty-nine'])
    expect(await refresh(token)).toEqual(invalid)
  expect(await refresh('A'.repeat(59))).toMatchObject({ code: 400, error_code: 'refresh_token_not_found' })
})

test('discovery names the issuer of the tokens and where the keys are', async () => {
  const { session } = await signedUp(platform)
  const { body } = await call('GET', '/auth/v1/.well-known/openid-configuration')
  const claims = JSON.parse(Buffer.from(session.access_token.split('.')[1]!, 'base64url').toString())
  expect(body).toMatchObject({ issuer: claims.iss, jwks_uri: `${claims.iss}/.well-known/jwks.json` })
  expect(body.id_token_signing_alg_values_supported).toEqual(['ES256'])
})
