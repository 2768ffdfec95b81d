import { endpointsOf, tablesOf } from '@operon/contracts/registry'
import { afterAll, afterEach, expect, test, vi } from 'vitest'
import { newEmail, PASSWORD, signedUp, startIdentity } from '../testing/platform.ts'

// Texts that clients of the auth protocol show by themselves, in the situations that this server puts them in.

const platform = await startIdentity()
afterAll(() => platform.close())
afterEach(() => void vi.unstubAllGlobals())

test('a code or a resend for nobody asks for an address [spec-34]', async () => {
  const { auth } = platform.client()
  const needed = 'You must provide either an email or phone number.'
  expect((await auth.signInWithOtp({} as never)).error).toMatchObject({ message: needed })
  expect((await auth.resend({ type: 'signup' } as never)).error?.message).toMatch(/^You must provide either an email or phone number/)
  // The server says the same to a client that does not look.
  for (const [path, body] of [
    ['otp', { create_user: true }],
    ['resend', { type: 'signup' }],
  ] as const) {
    const headers = { 'content-type': 'application/json' }
    const response = await fetch(`${platform.base}/auth/v1/${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
    expect([path, response.status, await response.json()]).toEqual([path, 400, { code: 400, error_code: 'validation_failed', msg: needed }])
  }
})

test('a token whose signature was changed is no token, to the client and to the server [spec-34]', async () => {
  const { client, session } = await signedUp(platform)
  const [header, claims, signature] = session.access_token.split('.') as [string, string, string]
  const forged = `${header}.${claims}.${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`
  expect((await client.auth.getClaims(session.access_token)).error).toBeNull()
  expect((await client.auth.getClaims(forged)).error).toMatchObject({ message: 'Invalid JWT signature' })
  expect((await client.auth.getUser(forged)).error).toMatchObject({ status: 403, code: 'bad_jwt' })
})

test('an address that brings half a session, or one of the other flow, says so [spec-34]', async () => {
  const { session } = await signedUp(platform)
  const arriveAt = async (hash: string, flowType: 'implicit' | 'pkce') => {
    vi.stubGlobal('window', { location: { href: `http://localhost/auth#${hash}` }, addEventListener() {}, removeEventListener() {} })
    vi.stubGlobal('document', { visibilityState: 'visible', addEventListener() {}, removeEventListener() {} })
    const { auth } = platform.client({ flowType, detectSessionInUrl: true })
    return (await auth.initialize()).error
  }
  expect(await arriveAt(`access_token=${session.access_token}`, 'implicit')).toMatchObject({ message: 'No session defined in URL' })
  expect(await arriveAt(`access_token=${session.access_token}&refresh_token=x`, 'pkce')).toMatchObject({
    message: 'Not a valid PKCE flow url.',
  })
})

test('without a session every call that needs one says Not authenticated [spec-53]', async () => {
  const anonymous = platform.client()
  for (const { path } of endpointsOf('identity').filter(({ path: at, access }) => at.startsWith('/functions/') && access !== 'public')) {
    const { error } = await anonymous.functions.invoke(path.slice('/functions/v1/'.length), { body: {} })
    expect([path, error?.context.status, (await error.context.json()).message]).toEqual([path, 401, 'Not authenticated'])
  }
  for (const { name } of tablesOf('identity').filter(({ access }) => access !== 'public')) {
    const { error, status } = await anonymous.from(name).select('*')
    expect([name, status, error?.message]).toEqual([name, 401, 'Not authenticated'])
  }
})

test('the publishable key grants what a signed-out visitor has and nothing more [spec-35]', async () => {
  const call = async (method: string, path: string, headers: Record<string, string>) => {
    const response = await fetch(platform.base + path.replace(/:\w+/g, crypto.randomUUID()), {
      method,
      redirect: 'manual',
      headers: { ...headers, ...(method !== 'GET' && { 'content-type': 'application/json' }) },
      ...(method !== 'GET' && { body: '{}' }),
    })
    return response.status
  }
  const key = { apikey: 'anon', authorization: 'Bearer anon' }
  for (const { method, path, access } of endpointsOf('identity')) {
    const [visitor, withKey] = [await call(method, path, {}), await call(method, path, key)]
    expect([method, path, withKey]).toEqual([method, path, visitor])
    expect([method, path, withKey === 401]).toEqual([method, path, access !== 'public'])
  }
  // It opens no account, not even beside a real key of the wrong kind, and another word is no key.
  const { email } = await signedUp(platform)
  expect(await call('GET', `/rest/v1/profiles?email=eq.${email}`, key)).toBe(200)
  expect(await call('GET', '/rest/v1/user_roles', key)).toBe(401)
  expect(await call('GET', '/auth/v1/settings', { authorization: 'Bearer nobodys-key' })).toBe(200)
  expect(await call('GET', '/auth/v1/user', { apikey: 'anon', authorization: 'Bearer nobodys-key' })).toBe(403)
})

test('what the server refuses a sign-up for, in its own words [spec-34]', async () => {
  const { email } = await signedUp(platform)
  const signUp = async (address: string, password: string) =>
    (await platform.client().auth.signUp({ email: address, password })).error?.message
  expect(await signUp(email, PASSWORD)).toBe('User already registered')
  expect(await signUp(newEmail(), 'Sunnyday42!')).toMatch(/^This password has leaked from another site/)
  expect(await signUp('not-an-address', PASSWORD)).toBe('Unable to validate email address: invalid format')
})
