import { createHash } from 'node:crypto'
import { afterAll, expect, test, vi } from 'vitest'
import { approve, click, hashOf, newEmail, signedUp, startWithSandbox } from '../testing/platform.ts'

const app = 'http://localhost:5173'
const platform = await startWithSandbox({ AUTH_REDIRECT_ALLOW_LIST: `${app}/**` })
afterAll(() => platform.close())

/** As a page of another origin asks: its fetch keeps no cookie. */
async function beginElsewhere(token: string, provider = 'github') {
  const search = new URLSearchParams({ provider, skip_http_redirect: 'true', redirect_to: `${app}/settings` })
  const response = await fetch(`${platform.base}/auth/v1/user/identities/authorize?${search}`, {
    headers: { authorization: `Bearer ${token}`, 'sec-fetch-site': 'cross-site', 'user-agent': 'a browser' },
  })
  expect(response.headers.getSetCookie()).toEqual([])
  return ((await response.json()) as { url: string }).url
}
async function go(url: string, userAgent = 'a browser') {
  const response = await fetch(platform.real(url), { redirect: 'manual', headers: { 'user-agent': userAgent } })
  const cookies = Object.fromEntries(response.headers.getSetCookie().map((line) => line.split(';')[0]!.split('=') as [string, string]))
  return { location: new URL(response.headers.get('location')!), cookies }
}

test('an app on another origin links a sign-in, in the browser that began it, once', async () => {
  const { client, session } = await signedUp(platform)
  const url = await beginElsewhere(session.access_token)
  expect((await go(url, 'another browser')).location.href).toContain('bad_oauth_state')
  const { location, cookies } = await go(url)
  expect((await go(url)).location.href).toContain('bad_oauth_state')
  const page = await fetch(platform.real(location.href))
  expect(page.headers.get('content-security-policy')).toMatch(/form-action 'self' http: https:/)
  const back = await click(platform, await approve(platform, location, { email: newEmail('gh') }), cookies)
  expect(back.origin).toBe(app)
  expect(hashOf(back).access_token).toBeTruthy()
  expect((await client.auth.getUserIdentities()).data?.identities.map((each) => each.provider)).toContain('github')
})

/** An id token as a provider hands it to an app directly. */
async function tokensOf(email: string, more: Record<string, string> = {}): Promise<{ id_token: string; access_token: string }> {
  const redirect_uri = `${app}/callback`
  const verifier = 'v'.repeat(43)
  const consent = new URL(`${platform.url('sandbox')}/sandbox/oauth/google/authorize`)
  const fields = {
    client_id: 'operon-sandbox',
    redirect_uri,
    response_type: 'code',
    scope: 'openid email',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    ...more,
  }
  for (const [name, value] of Object.entries(fields)) consent.searchParams.set(name, value)
  const code = new URL(await approve(platform, consent, { email, ...(more.unverified && { unverified: true }) })).searchParams.get('code')!
  const { url } = (await platform.services.identity!.rt.ask((await import('@operon/contracts/sandbox/events')).sandboxAddress, {
    provider: 'oauth',
  })) as { url: string }
  const body = new URLSearchParams({
    grant_type: 'authorization_code',
    client_id: fields.client_id,
    redirect_uri,
    code,
    code_verifier: verifier,
  })
  return (await fetch(`${url}/google/token`, { method: 'POST', body })).json() as never
}
const idTokenOf = async (...asked: Parameters<typeof tokensOf>) => (await tokensOf(...asked)).id_token
const signIn = (credentials: object) => platform.client().auth.signInWithIdToken({ provider: 'google', ...credentials } as never)
const hashed = (nonce: string) => createHash('sha256').update(nonce).digest('hex')

// The first of these: keys that are known are not asked for.
test('keys that a provider could not give for a moment are asked for again with the next sign-in', async () => {
  const fault = { provider: 'oauth', match: '/google/certs', kind: 'status', status: 500 }
  const asked = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(fault) }
  expect((await fetch(`${platform.url('sandbox')}/sandbox/api/faults`, asked)).status).toBe(200)
  const token = await idTokenOf(newEmail('tap'))
  expect((await signIn({ token })).error).toMatchObject({ status: 500, message: 'The keys of the provider could not be read' })
  expect((await signIn({ token })).error).toBeNull()
})

test('an identity token of a provider signs in, with the nonce whose hash it carries and for this app alone', async () => {
  const email = newEmail('tap')
  const token = await idTokenOf(email, { nonce: hashed('once') })
  const { data, error } = await signIn({ token, nonce: 'once' })
  expect(error).toBeNull()
  expect(data.user).toMatchObject({ email, app_metadata: { provider: 'google' } })
  expect((await signIn({ token, nonce: 'twice' })).error).toMatchObject({ status: 400, code: 'invalid_nonce' })
  expect((await signIn({ token })).error?.message).toMatch(/should either both exist or not/)
  expect((await signIn({ token: `${token.slice(0, -6)}AAAAAA`, nonce: 'once' })).error?.message).toBe('Bad ID token')
  expect((await signIn({ token: await idTokenOf(email, { client_id: 'another-app' }) })).error?.message).toBe(
    'Unacceptable audience in id_token: [another-app]',
  )
  expect((await signIn({ provider: 'azure', token, nonce: 'once' })).error?.message).toBe('Bad ID token')
  expect((await signIn({ provider: 'apple', token })).error).toMatchObject({
    code: 'provider_disabled',
    message: 'Provider (issuer "https://appleid.apple.com") is not enabled',
  })
})

test('an identity token that names the access token beside it comes with that one or none', async () => {
  const { id_token: token, access_token } = await tokensOf(newEmail('tap'))
  for (const given of [{}, { access_token }]) expect((await signIn({ token, ...given })).error).toBeNull()
  expect((await signIn({ token, access_token: `${access_token}x` })).error?.message).toBe('Bad ID token')
})

test('an identity token signs nobody in once its time is over', async () => {
  const token = await idTokenOf(newEmail('tap'))
  const at = Date.now()
  vi.spyOn(Date, 'now').mockReturnValue(at + 2 * 3_600_000)
  expect((await signIn({ token })).error?.message).toBe('Bad ID token')
})

test('a token of a provider connects to the account that is signed in, with a fresh proof', async () => {
  const { client, user } = await signedUp(platform)
  const linked = await client.auth.linkIdentity({ provider: 'google', token: await idTokenOf(newEmail('tap')) } as never)
  expect(linked.error).toBeNull()
  const after = (await client.auth.getUser()).data.user!
  expect([after.id, after.app_metadata.providers]).toEqual([user.id, ['email', 'google']])
  await platform.services
    .identity!.rt.db.updateTable('sessions')
    .set({ amr: JSON.stringify([{ method: 'password', timestamp: Math.floor(Date.now() / 1000) - 3600 }]) as never })
    .where('user_id', '=', user.id)
    .execute()
  const late = await client.auth.linkIdentity({ provider: 'google', token: await idTokenOf(newEmail('tap')) } as never)
  expect(late.error).toMatchObject({ code: 'reauthentication_needed' })
})
