import { createHash, createPublicKey, verify } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as oidc from 'oauth4webapi'
import { afterAll, expect, test } from 'vitest'
import { type Sandbox, startSandbox } from '../sandbox.ts'

const dataDir = mkdtempSync(join(tmpdir(), 'sandbox-oauth-'))
const back = 'http://localhost:9202/auth/v1/callback'
const verifier = 'a-verifier-that-is-long-enough-for-the-rfc-0123456789'
const challenge = createHash('sha256').update(verifier).digest('base64url')
const sandbox: Sandbox = await startSandbox({ dataDir, publicUrl: 'http://localhost:9202', seed: 'oauth' })
afterAll(async () => {
  await sandbox.close()
  rmSync(dataDir, { recursive: true })
})

const asked = {
  client_id: 'operon',
  redirect_uri: back,
  response_type: 'code',
  scope: 'openid email',
  state: 's1',
  code_challenge: challenge,
  code_challenge_method: 'S256',
}
const page = (provider: string, more: object = {}) =>
  fetch(`${sandbox.addresses.stripe}/sandbox/oauth/${provider}/authorize?${new URLSearchParams({ ...asked, ...more })}`)
const decide = (provider: string, more: object = {}) =>
  fetch(`${sandbox.addresses.stripe}/sandbox/oauth/${provider}/authorize`, {
    method: 'POST',
    redirect: 'manual',
    body: new URLSearchParams({ ...asked, decision: 'approve', email: 'ada@example.com', name: 'Ada Lovelace', ...more }),
  })
async function codeFor(provider: string, more: object = {}) {
  return new URL((await decide(provider, more)).headers.get('location')!).searchParams.get('code')!
}
async function exchange(path: string, fields: object) {
  const body = new URLSearchParams({
    grant_type: 'authorization_code',
    client_id: 'operon',
    redirect_uri: back,
    code_verifier: verifier,
    ...fields,
  })
  const answer = await fetch(sandbox.addresses.oauth + path, { method: 'POST', body })
  return { status: answer.status, body: (await answer.json()) as Record<string, string> }
}
async function get(path: string, token: string): Promise<any> {
  const answer = await fetch(sandbox.addresses.oauth + path, { headers: { authorization: `Bearer ${token}` } })
  return answer.json()
}

test('Google: the person approves, the code gives tokens once, and the identity token is signed', async () => {
  expect(await (await page('google')).text()).toContain('Sign in with Google')
  const answer = await decide('google')
  const location = new URL(answer.headers.get('location')!)
  expect(location.origin + location.pathname).toBe(back)
  expect(location.searchParams.get('state')).toBe('s1')
  const code = location.searchParams.get('code')!
  const { body } = await exchange('/google/token', { code })
  expect(await get('/google/userinfo', body.access_token!)).toMatchObject({
    email: 'ada@example.com',
    email_verified: true,
    given_name: 'Ada',
  })
  const [head, claims, signature] = body.id_token!.split('.')
  const { keys } = await get('/google/certs', '')
  const key = createPublicKey({ key: keys[0], format: 'jwk' })
  expect(verify('RSA-SHA256', Buffer.from(`${head}.${claims}`), key, Buffer.from(signature!, 'base64url'))).toBe(true)
  const refreshed = await exchange('/google/token', { grant_type: 'refresh_token', refresh_token: body.refresh_token })
  expect(refreshed.body.access_token).toBeTruthy()
  expect((await exchange('/google/token', { code })).body.error).toBe('invalid_grant')
  expect(await get('/google/userinfo', body.access_token!)).toMatchObject({ error: { code: 401 } })
})

test('GitHub, Facebook and Microsoft answer in their own shapes, with a number that stays', async () => {
  const github = await exchange('/github/login/oauth/access_token', { code: await codeFor('github') })
  const user = await get('/github/user', github.body.access_token!)
  expect(user).toMatchObject({ login: 'ada', email: null, id: expect.any(Number) })
  expect(await get('/github/user/emails', github.body.access_token!)).toContainEqual({
    email: 'ada@example.com',
    primary: true,
    verified: true,
    visibility: 'private',
  })
  const again = await exchange('/github/login/oauth/access_token', { code: await codeFor('github') })
  expect((await get('/github/user', again.body.access_token!)).id).toBe(user.id)
  const facebook = await exchange('/facebook/oauth/access_token', { code: await codeFor('facebook') })
  expect(await get('/facebook/me?fields=id,name,email', facebook.body.access_token!)).toMatchObject({
    name: 'Ada Lovelace',
    email: 'ada@example.com',
  })
  const microsoft = await exchange('/microsoft/oauth2/v2.0/token', { code: await codeFor('microsoft') })
  expect(await get('/microsoft/v1.0/me', microsoft.body.access_token!)).toMatchObject({
    mail: 'ada@example.com',
    displayName: 'Ada Lovelace',
  })
})

test('denying goes back with an error and no code', async () => {
  const { searchParams } = new URL((await decide('google', { decision: 'deny' })).headers.get('location')!)
  expect([searchParams.get('error'), searchParams.get('code'), searchParams.get('state')]).toEqual(['access_denied', null, 's1'])
})

test('a wrong verifier, another address, another client and a foreign redirect are refused', async () => {
  expect((await exchange('/google/token', { code: await codeFor('google'), code_verifier: 'wrong' })).body.error).toBe('invalid_grant')
  expect((await exchange('/google/token', { code: await codeFor('google'), redirect_uri: `${back}/` })).body.error).toBe(
    'redirect_uri_mismatch',
  )
  expect((await exchange('/google/token', { code: await codeFor('google'), client_id: 'other' })).body.error).toBe('invalid_grant')
  expect((await page('google', { redirect_uri: 'https://evil.example/cb' })).status).toBe(400)
  expect((await page('google', { code_challenge_method: 'plain' })).status).toBe(400)
  expect((await decide('google', { redirect_uri: 'https://evil.example/cb' })).status).toBe(400)
})

test('revoking ends what the grant gave', async () => {
  const { body } = await exchange('/google/token', { code: await codeFor('google') })
  await fetch(`${sandbox.addresses.oauth}/google/revoke`, { method: 'POST', body: new URLSearchParams({ token: body.refresh_token! }) })
  expect(await get('/google/userinfo', body.access_token!)).toMatchObject({ error: { code: 401 } })
})

// A strict client of OAuth 2 and OpenID Connect reads every answer here, and refuses what their texts do not allow.
const plain = { [oidc.allowInsecureRequests]: true }
const operon = { client_id: 'operon' }
async function discovered(provider: string) {
  const issuer = new URL(`http://localhost:9202/sandbox/oauth/${provider}`)
  const answer = await fetch(`${sandbox.addresses.oauth}/${provider}/.well-known/openid-configuration`)
  return oidc.processDiscoveryResponse(issuer, answer)
}
async function granted(as: oidc.AuthorizationServer, provider: string, more: object = {}) {
  const location = new URL((await decide(provider, more)).headers.get('location')!)
  const parameters = oidc.validateAuthResponse(as, operon, location, 's1')
  return oidc.authorizationCodeGrantRequest(as, operon, oidc.None(), parameters, back, verifier, plain)
}

test.each(['google', 'microsoft'])('%s: a strict OpenID client gets from discovery to the person, renews and revokes', async (provider) => {
  const as = await discovered(provider)
  const nonce = oidc.generateRandomNonce()
  const answer = await granted(as, provider, { nonce })
  const tokens = await oidc.processAuthorizationCodeResponse(as, operon, answer, { expectedNonce: nonce, requireIdToken: true })
  await oidc.validateApplicationLevelSignature(as, answer, plain)
  const { sub, email } = oidc.getValidatedIdTokenClaims(tokens)!
  expect(email).toBe('ada@example.com')
  const read = async () => oidc.processUserInfoResponse(as, operon, sub, await oidc.userInfoRequest(as, operon, tokens.access_token, plain))
  expect(await read()).toMatchObject({ sub, email, email_verified: true })
  const renewal = await oidc.refreshTokenGrantRequest(as, operon, oidc.None(), tokens.refresh_token!, plain)
  expect((await oidc.processRefreshTokenResponse(as, operon, renewal)).access_token).not.toBe(tokens.access_token)
  await oidc.processRevocationResponse(await oidc.revocationRequest(as, operon, oidc.None(), tokens.refresh_token!, plain))
  await expect(read()).rejects.toThrow(oidc.WWWAuthenticateChallengeError)
})

test('a code that is used again is refused in the words of OAuth 2', async () => {
  const as = await discovered('google')
  const again = await exchange('/google/token', { code: await codeFor('google'), code_verifier: 'wrong' })
  expect(again).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
  const code = await codeFor('google')
  await exchange('/google/token', { code })
  const parameters = oidc.validateAuthResponse(as, operon, new URLSearchParams({ code, state: 's1' }), 's1')
  const answer = await oidc.authorizationCodeGrantRequest(as, operon, oidc.None(), parameters, back, verifier, plain)
  await expect(oidc.processAuthorizationCodeResponse(as, operon, answer)).rejects.toMatchObject({ status: 400, error: 'invalid_grant' })
})
