import { identityService } from '@operon/identity/service'
import { approve, click, codeIn, hashOf, inboxAt, linkIn, memory, newEmail, PASSWORD, unpaced } from '@operon/identity/testing/platform'
import { freePort } from '@operon/kit/ports'
import { startTestPlatform } from '@operon/kit/testing/service'
import { sandboxService } from '@operon/sandbox/service'
import { createClient, type Session } from '@supabase/supabase-js'
import { Secret, TOTP } from 'otpauth'
import { afterAll, expect, test, vi } from 'vitest'
import { openGateway } from './all-in-one.ts'

// The published client, unmodified, through the public door: every way into an account and out of it.

const SERVICE_KEY = 'test-service-key-0123456789'
const site = await start()
afterAll(() => site.close())

/** Identity and the sandbox behind the gateway, at the address that links and providers lead to. */
async function start(env: Record<string, string> = {}) {
  const port = await freePort()
  const url = `http://localhost:${port}`
  const platform = await startTestPlatform([identityService, sandboxService], {
    PORT: String(port),
    WEB_DIST: '/none',
    PUBLIC_URL: url,
    SERVICE_KEY,
    AUTH_AUTOCONFIRM: 'false',
    AUTH_ERASING_SERVICES: 'none',
    RATE_AUTH: '10000/60s',
    RATE_AUTH_STRICT: '10000/60s',
    RATE_PUBLIC_SEND: '10000/60s',
    LIMIT_SIGN_UP_PER_MINUTE: '1000',
    LIMIT_SIGN_IN_PER_MINUTE: '1000',
    LIMIT_VERIFY_PER_MINUTE: '1000',
    ...unpaced,
    ...env,
  })
  const gateway = await openGateway(platform.infra, Object.values(platform.services))
  return {
    url,
    ...inboxAt(url),
    async close() {
      await gateway.drain()
      await gateway.close()
      await platform.close()
    },
  }
}

const browser = { real: (url: string) => url }
/** A client in a browser of its own, which keeps the cookies that it gets. */
function newClient(auth: object = {}, at = site.url) {
  const cookies: Record<string, string> = {}
  const keeping: typeof fetch = async (...request) => {
    const response = await fetch(...request)
    for (const line of response.headers.getSetCookie()) {
      const pair = line.split(';')[0]!
      cookies[pair.slice(0, pair.indexOf('='))] = pair.slice(pair.indexOf('=') + 1)
    }
    return response
  }
  const options = { storage: memory(), autoRefreshToken: false, detectSessionInUrl: false, ...auth }
  return Object.assign(createClient(at, 'anon', { auth: options, global: { fetch: keeping } }), { cookies })
}
const admin = () => createClient(site.url, SERVICE_KEY, { auth: { persistSession: false, autoRefreshToken: false } }).auth.admin

const mail = (to: string, subject?: RegExp) => site.mail(to, subject)
const home = () => `${site.url}/auth/seller`
const tokensIn = (url: URL) => hashOf(url) as { access_token: string; refresh_token: string }

async function signedUp(client = newClient()) {
  const email = newEmail()
  await client.auth.signUp({ email, password: PASSWORD })
  const { data, error } = await client.auth.verifyOtp({ email, token: codeIn(await mail(email, /^Confirm/)), type: 'signup' })
  if (error) throw error
  return { client, email, user: data.user!, session: data.session! }
}
async function signedIn(email: string) {
  const client = newClient()
  expect((await client.auth.signInWithPassword({ email, password: PASSWORD })).error).toBeNull()
  return client
}
const isIn = async ({ auth }: Pick<ReturnType<typeof newClient>, 'auth'>) => (await auth.refreshSession()).error === null

test('sign-up with confirmation: the link brings the session, once [spec-24] [spec-25]', async () => {
  const { auth } = newClient()
  const email = newEmail()
  const { data } = await auth.signUp({ email, password: PASSWORD, options: { emailRedirectTo: home(), data: { name: 'Ada' } } })
  expect(data.session).toBeNull()
  expect((await auth.signInWithPassword({ email, password: PASSWORD })).error).toMatchObject({ code: 'email_not_confirmed' })
  const first = await mail(email, /^Confirm/)
  expect((await auth.resend({ type: 'signup', email, options: { emailRedirectTo: home() } })).error).toBeNull()
  const second = await vi.waitFor(
    async () => (await site.mails(email)).find(({ id }) => id !== first.id) ?? Promise.reject(new Error('not yet')),
  )
  expect(hashOf(await click(browser, linkIn(first)))).toMatchObject({ error_code: 'otp_expired' })
  const arrived = await click(browser, linkIn(second))
  expect(arrived.href).toMatch(new RegExp(`^${home()}#`))
  expect((await auth.setSession(tokensIn(arrived))).data.user).toMatchObject({ id: data.user!.id, user_metadata: { name: 'Ada' } })
  expect(hashOf(await click(browser, linkIn(second)))).toMatchObject({ error_code: 'otp_expired' })
})

test('sign-up without confirmation: a session at once [spec-24]', { timeout: 30_000 }, async () => {
  const open = await start({ AUTH_AUTOCONFIRM: 'true' })
  try {
    const { auth } = newClient({}, open.url)
    const email = newEmail()
    expect((await auth.signUp({ email, password: PASSWORD })).data.session?.user.email).toBe(email)
    expect((await auth.signUp({ email, password: PASSWORD })).error).toMatchObject({ code: 'user_already_exists' })
    expect((await auth.getClaims()).data?.claims).toMatchObject({ iss: `${open.url}/auth/v1`, aal: 'aal1' })
  } finally {
    await open.close()
  }
})

test('password; a crowd of refreshes has one successor, and an old token ends them all [spec-29] [spec-30]', async () => {
  const { email, session } = await signedUp()
  await signedIn(email)
  expect((await newClient().auth.signInWithPassword({ email, password: 'Wr0ng-horse-battery' })).error).toMatchObject({
    code: 'invalid_credentials',
    message: 'Invalid login credentials',
  })
  const refresh = async (refresh_token: string) => (await newClient().auth.refreshSession({ refresh_token })).data.session?.refresh_token
  const successors = await Promise.all(Array.from({ length: 20 }, () => refresh(session.refresh_token)))
  expect(new Set(successors).size).toBe(1)
  const next = await refresh(successors[0]!)
  expect(next).toBeTruthy()
  expect(await refresh(session.refresh_token)).toBeUndefined()
  expect(await refresh(next!)).toBeUndefined()
})

test('magic link, code by mail, code by text message [spec-31]', async () => {
  const { email, user } = await signedUp()
  await newClient().auth.signInWithOtp({ email, options: { emailRedirectTo: home() } })
  const message = await mail(email, /sign-in link/)
  const token_hash = new URL(linkIn(message)).searchParams.get('token')!
  expect((await newClient().auth.verifyOtp({ token_hash, type: 'email' })).data.user?.id).toBe(user.id)
  expect((await newClient().auth.verifyOtp({ email, token: codeIn(message), type: 'email' })).error).toMatchObject({ code: 'otp_expired' })
  const somebodyNew = newEmail()
  await newClient().auth.signInWithOtp({ email: somebodyNew })
  const { data } = await newClient().auth.verifyOtp({ email: somebodyNew, token: codeIn(await mail(somebodyNew)), type: 'email' })
  expect(data.user?.email).toBe(somebodyNew)
  const phone = `+1558${String(Date.now()).slice(-7)}`
  await newClient().auth.signInWithOtp({ phone })
  const { data: texted } = await newClient().auth.verifyOtp({ phone, token: codeIn(await mail(phone)), type: 'sms' })
  expect(texted.user?.phone).toBe(phone.slice(1))
})

test('recovery with PKCE: only the browser that asked gets the session, and a new password ends the others [spec-29]', async () => {
  const { client: old, email } = await signedUp()
  const { auth } = newClient({ flowType: 'pkce' })
  await auth.resetPasswordForEmail(email, { redirectTo: `${site.url}/reset-password` })
  const code = (await click(browser, linkIn(await mail(email, /^Reset/)))).searchParams.get('code')!
  expect((await newClient({ flowType: 'pkce' }).auth.exchangeCodeForSession(code)).error).not.toBeNull()
  expect((await auth.exchangeCodeForSession(code)).data.session?.user.email).toBe(email)
  expect((await auth.updateUser({ password: 'Brand-new-secret1' })).error).toBeNull()
  expect(await isIn(old)).toBe(false)
  expect((await newClient().auth.signInWithPassword({ email, password: 'Brand-new-secret1' })).error).toBeNull()
})

test.each(['google', 'github', 'facebook', 'azure'] as const)('%s, with and without PKCE [spec-31]', async (provider) => {
  const email = newEmail(provider)
  for (const flowType of ['implicit', 'pkce']) {
    const { auth } = newClient({ flowType })
    const cookies = {}
    const { data } = await auth.signInWithOAuth({ provider, options: { redirectTo: home(), skipBrowserRedirect: true } })
    const back = await click(browser, await approve(browser, await click(browser, data.url!, cookies), { email }), cookies)
    const arrived = await (flowType === 'pkce'
      ? auth.exchangeCodeForSession(back.searchParams.get('code')!)
      : auth.setSession(tokensIn(back)))
    expect(arrived.data.user).toMatchObject({ email, app_metadata: { provider } })
  }
})

/** Goes to the provider and comes back with its account linked. */
async function link({ auth, cookies }: ReturnType<typeof newClient>, email: string): Promise<Session> {
  const { data } = await auth.linkIdentity({ provider: 'github', options: { redirectTo: home(), skipBrowserRedirect: true } })
  const back = await click(browser, await approve(browser, new URL(data.url!), { email }), cookies)
  const { data: arrived, error } = await auth.setSession(tokensIn(back))
  if (error) throw error
  return arrived.session!
}

test('a provider is linked and unlinked, and the last way in stays', async () => {
  const { client, user } = await signedUp()
  await link(client, newEmail('gh'))
  const { identities } = (await client.auth.getUserIdentities()).data!
  expect(identities.map(({ provider, user_id }) => [provider, user_id])).toEqual([
    ['email', user.id],
    ['github', user.id],
  ])
  expect((await client.auth.unlinkIdentity(identities[1]!)).error).toBeNull()
  expect((await client.auth.unlinkIdentity(identities[0]!)).error).toMatchObject({ code: 'single_identity_not_deletable' })
})

test('an email changes when both addresses agree', async () => {
  const { client, email, user } = await signedUp()
  const next = newEmail('next')
  expect((await client.auth.updateUser({ email: next })).data.user).toMatchObject({ email, new_email: next })
  const agree = async (address: string, subject: RegExp) =>
    (await client.auth.verifyOtp({ email: address, token: codeIn(await mail(address, subject)), type: 'email_change' })).data.user
  expect(await agree(email, /change of your/)).toBeNull()
  expect(await agree(next, /new email/)).toMatchObject({ id: user.id, email: next })
})

test('a second factor, and a recovery code in its place, lift a session to aal2 [spec-32]', async () => {
  const { client, email } = await signedUp()
  const { data: factor } = await client.auth.mfa.enroll({ factorType: 'totp', friendlyName: 'Phone' })
  const secret = Secret.fromBase32((factor as { totp: { secret: string } }).totp.secret)
  const { data: challenge } = await client.auth.mfa.challenge({ factorId: factor!.id })
  const code = new TOTP({ secret }).generate()
  expect((await client.auth.mfa.verify({ factorId: factor!.id, challengeId: challenge!.id, code })).error).toBeNull()
  const { data } = await client.functions.invoke('account-recovery-codes', { body: {} })
  const weak = await signedIn(email)
  const levels = async () => (await weak.auth.mfa.getAuthenticatorAssuranceLevel()).data
  expect(await levels()).toMatchObject({ currentLevel: 'aal1', nextLevel: 'aal2' })
  const used = await weak.functions.invoke('account-recovery-use', { body: { code: data.codes[0] } })
  await weak.auth.setSession(used.data)
  expect(await levels()).toMatchObject({ currentLevel: 'aal2' })
  expect((await weak.auth.mfa.unenroll({ factorId: factor!.id })).error).toBeNull()
})

test('an anonymous account becomes permanent under its id: by email and by a provider', async () => {
  const byMail = newClient()
  const guest = (await byMail.auth.signInAnonymously()).data.user!
  expect(guest.is_anonymous).toBe(true)
  const email = newEmail()
  expect((await byMail.auth.updateUser({ email })).error).toBeNull()
  const { data } = await byMail.auth.verifyOtp({ email, token: codeIn(await mail(email)), type: 'email_change' })
  expect(data.user).toMatchObject({ id: guest.id, email, is_anonymous: false })
  expect((await byMail.auth.updateUser({ password: PASSWORD })).error).toBeNull()
  await signedIn(email)

  const byProvider = newClient()
  const { id } = (await byProvider.auth.signInAnonymously()).data.user!
  const address = newEmail('gh')
  expect((await link(byProvider, address)).user).toMatchObject({ id, email: address, is_anonymous: false })
})

test('signing out: here, elsewhere, everywhere [spec-29]', async () => {
  const { client, email } = await signedUp()
  const [phone, tablet] = [await signedIn(email), await signedIn(email)]
  await phone.auth.signOut({ scope: 'local' })
  expect([await isIn(client), await isIn(phone), await isIn(tablet)]).toEqual([true, false, true])
  await client.auth.signOut({ scope: 'others' })
  expect([await isIn(client), await isIn(tablet)]).toEqual([true, false])
  const late = await signedIn(email)
  const { access_token } = (await late.auth.getSession()).data.session!
  await client.auth.signOut()
  expect(await isIn(late)).toBe(false)
  expect((await newClient().auth.getUser(access_token)).error).toMatchObject({ name: 'AuthSessionMissingError' })
})

test('a service key makes, invites, changes, bans, signs out and removes', async () => {
  const email = newEmail()
  const { data, error } = await admin().createUser({ email, password: PASSWORD, email_confirm: true })
  expect(error).toBeNull()
  const { id } = data.user!
  const client = await signedIn(email)
  expect((await admin().listUsers({ page: 1, perPage: 1 })).data.users).toMatchObject([{ id }])
  expect((await admin().updateUserById(id, { user_metadata: { a: 1 } })).data.user?.user_metadata).toMatchObject({ a: 1 })
  const { properties } = (await admin().generateLink({ type: 'magiclink', email, options: { redirectTo: home() } })).data
  expect(tokensIn(await click(browser, properties!.action_link)).access_token).toBeTruthy()
  const { access_token } = (await client.auth.getSession()).data.session!
  expect((await admin().signOut(access_token, 'global')).error).toBeNull()
  expect(await isIn(client)).toBe(false)
  expect((await admin().updateUserById(id, { ban_duration: '1h' })).error).toBeNull()
  expect((await newClient().auth.signInWithPassword({ email, password: PASSWORD })).error).toMatchObject({ code: 'user_banned' })
  expect((await admin().deleteUser(id)).error).toBeNull()
  expect((await admin().getUserById(id)).error).toMatchObject({ code: 'user_not_found' })
  const invited = newEmail('invited')
  expect((await admin().inviteUserByEmail(invited, { redirectTo: home() })).error).toBeNull()
  expect(hashOf(await click(browser, linkIn(await mail(invited))))).toMatchObject({ type: 'invite' })
  expect((await newClient().auth.admin.listUsers()).error).toMatchObject({ status: 401 })
})
