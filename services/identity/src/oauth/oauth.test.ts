import { afterAll, expect, test } from 'vitest'
import { approve, click, hashOf, newEmail, PASSWORD, signedUp, startIdentity, startWithSandbox } from '../testing/platform.ts'

const platform = await startWithSandbox()
afterAll(() => platform.close())

const home = 'http://localhost:8080/auth'
async function signInWith(
  provider: 'google' | 'github' | 'facebook' | 'azure',
  person: { email: string; name?: string; unverified?: boolean },
  client = platform.client(),
) {
  const cookies: Record<string, string> = {}
  const { data } = await client.auth.signInWithOAuth({ provider, options: { redirectTo: home, skipBrowserRedirect: true } })
  const consent = await click(platform, data.url!.replace(platform.base, 'http://localhost:8080'), cookies)
  const callback = await approve(platform, consent, person)
  return { target: await click(platform, callback, cookies), callback, cookies, client, consent }
}

test('each provider signs in, and the same person comes back to the same account [spec-31]', async () => {
  for (const provider of ['google', 'github', 'facebook', 'azure'] as const) {
    const email = newEmail(provider)
    const first = hashOf((await signInWith(provider, { email })).target)
    expect(first, provider).toMatchObject({ token_type: 'bearer', provider_token: expect.any(String) })
    const client = platform.client()
    const { data } = await client.auth.setSession({ access_token: first.access_token!, refresh_token: first.refresh_token! })
    expect(data.user).toMatchObject({ email, app_metadata: { provider, providers: [provider] }, user_metadata: { name: 'Ada Provider' } })
    const again = hashOf((await signInWith(provider, { email })).target)
    expect((await client.auth.getUser(again.access_token!)).data.user?.id).toBe(data.user!.id)
  }
})

test('PKCE clients get a code, and the provider token with the session', async () => {
  const email = newEmail()
  const { target, client } = await signInWith('google', { email }, platform.client({ flowType: 'pkce' }))
  const { data, error } = await client.auth.exchangeCodeForSession(target.searchParams.get('code')!)
  expect(error).toBeNull()
  expect(data.session).toMatchObject({ provider_token: expect.any(String), user: { email } })
})

test('a proven address joins the account; an unproven maker of it loses the password', async () => {
  const { email, user } = await signedUp(platform)
  const { target } = await signInWith('google', { email })
  expect((await platform.mail(email, /sign-in was connected/)).text).toContain('opened with Google as well')
  expect((await platform.client().auth.getUser(hashOf(target).access_token!)).data.user?.id).toBe(user.id)
  expect((await platform.client().auth.signInWithPassword({ email, password: PASSWORD })).error).toMatchObject({
    code: 'invalid_credentials',
  })
})

test('an address that the provider does not vouch for joins nothing', async () => {
  const { email, client } = await signedUp(platform)
  const { target } = await signInWith('google', { email, unverified: true })
  expect(hashOf(target)).toMatchObject({ error_code: 'provider_email_needs_verification' })
  expect((await client.auth.getUser()).data.user?.identities).toHaveLength(1)
})

test("identities are linked and unlinked, never the last one, never somebody else's", async () => {
  const { client, user, session, email: own } = await signedUp(platform)
  const email = newEmail('gh')
  const link = async (token: string) => {
    const response = await fetch(
      `${platform.base}/auth/v1/user/identities/authorize?provider=github&skip_http_redirect=true&redirect_to=${encodeURIComponent(home)}`,
      { headers: { authorization: `Bearer ${token}` } },
    )
    const cookie = response.headers.getSetCookie()[0]!.split(';')[0]!.split('=') as [string, string]
    const { url } = (await response.json()) as { url: string }
    return hashOf(await click(platform, await approve(platform, new URL(url), { email }), { [cookie[0]]: cookie[1] }))
  }
  expect(await link(session.access_token)).toMatchObject({ token_type: 'bearer' })
  const { data } = await client.auth.getUserIdentities()
  expect(data?.identities.map((identity) => identity.provider)).toEqual(['email', 'github'])
  const other = await signedUp(platform)
  expect(await link(other.session.access_token)).toMatchObject({ error_code: 'identity_already_exists' })
  const github = data!.identities.find((identity) => identity.provider === 'github')!
  expect((await other.client.auth.unlinkIdentity(github)).error).not.toBeNull()
  expect((await client.auth.unlinkIdentity(github)).error).toBeNull()
  expect((await client.auth.unlinkIdentity(data!.identities[0]!)).error).toMatchObject({ code: 'single_identity_not_deletable' })
  expect((await client.auth.getUser()).data.user).toMatchObject({ id: user.id, app_metadata: { providers: ['email'] } })
  // The owner hears of both, and of what was refused nobody does.
  const connected = await platform.mail(own, /sign-in was connected/)
  expect(connected.text).toContain('opened with GitHub as well')
  expect(connected.text).toContain('Address: 127.0.0.1')
  expect((await platform.mail(own, /sign-in was removed/)).text).toContain('no longer be opened with GitHub')
  expect(await platform.mails(own)).toHaveLength(2)
  expect(await platform.mails(other.email)).toEqual([])
})

test('a person who removes email and password from the ways in has no password any more, and hears of it', async () => {
  const { client, email, user } = await signedUp(platform)
  // Proven, so that joining leaves the password where it is.
  await platform.admin().auth.admin.updateUserById(user.id, { email_confirm: true })
  await signInWith('google', { email })
  const signIn = async () => (await platform.client().auth.signInWithPassword({ email, password: PASSWORD })).error
  expect(await signIn()).toBeNull()
  const { data } = await client.auth.getUserIdentities()
  expect((await client.auth.unlinkIdentity(data!.identities.find(({ provider }) => provider === 'email')!)).error).toBeNull()
  expect(await signIn()).toMatchObject({ code: 'invalid_credentials' })
  expect((await platform.mail(email, /sign-in was removed/)).text).toContain('no longer be opened with your email and password')
  const { target } = await signInWith('google', { email })
  expect((await client.auth.getUser(hashOf(target).access_token!)).data.user).toMatchObject({ id: user.id, email })
})

test('S17: a state of another browser, used twice, made up or without its cookie is worth nothing', async () => {
  const email = newEmail()
  const { callback, cookies } = await signInWith('google', { email })
  expect(hashOf(await click(platform, callback, cookies))).toMatchObject({ error_code: 'bad_oauth_state' })
  const victim: Record<string, string> = {}
  const { data } = await platform
    .client()
    .auth.signInWithOAuth({ provider: 'google', options: { redirectTo: home, skipBrowserRedirect: true } })
  const begin = data.url!.replace(platform.base, 'http://localhost:8080')
  const attackers = await approve(platform, await click(platform, begin, {}), { email })
  expect(hashOf(await click(platform, attackers, victim))).toMatchObject({ error_code: 'bad_oauth_state' })
  const own: Record<string, string> = {}
  await click(platform, begin, own)
  expect(hashOf(await click(platform, attackers, own))).toMatchObject({ error_code: 'bad_oauth_state' })
  const forged = new URL(attackers)
  forged.searchParams.set('state', crypto.randomUUID())
  expect(hashOf(await click(platform, forged.href, own))).toMatchObject({ error_code: 'bad_oauth_state' })
})

test('S17: the provider is asked with S256, an exact redirect and no parameter of the caller; a denial comes back as one', async () => {
  const cookies: Record<string, string> = {}
  const evil = 'redirect_uri=https://evil.example&state=fixed&client_id=evil&code_challenge_method=plain'
  const consent = await click(platform, `http://localhost:8080/auth/v1/authorize?provider=google&${evil}`, cookies).catch(
    (error: Error) => error,
  )
  // A method without a challenge is refused outright.
  expect(consent).toBeInstanceOf(Error)
  const asked = await click(
    platform,
    'http://localhost:8080/auth/v1/authorize?provider=google&redirect_uri=https://evil.example&state=fixed&client_id=evil',
    cookies,
  )
  expect(Object.fromEntries(asked.searchParams)).toMatchObject({
    redirect_uri: 'http://localhost:8080/auth/v1/callback',
    code_challenge_method: 'S256',
    client_id: 'operon-sandbox',
  })
  expect(asked.searchParams.get('state')).not.toBe('fixed')
  const denied = await click(platform, await approve(platform, asked, { email: newEmail() }, 'deny'), cookies)
  expect(hashOf(denied)).toMatchObject({ error: 'access_denied', error_code: 'access_denied' })
})

test('S17: an answer in the name of another issuer is refused before its code is sent anywhere', async () => {
  const asGoogle = await startIdentity({ AUTH_GOOGLE_CLIENT_ID: 'shop', AUTH_GOOGLE_CLIENT_SECRET: 'secret' })
  const door = { real: (url: string) => url.replace('http://localhost:8080', asGoogle.base) }
  const cookies: Record<string, string> = {}
  const asked = await click(door, 'http://localhost:8080/auth/v1/authorize?provider=google', cookies)
  const back = `code=any&state=${asked.searchParams.get('state')}&iss=https://evil.example`
  expect(hashOf(await click(door, `http://localhost:8080/auth/v1/callback?${back}`, cookies))).toMatchObject({
    error_code: 'bad_oauth_callback',
    error_description: 'The answer came from another provider',
  })
  await asGoogle.close()
})
