import { openMailer } from '@operon/kit/mail/mailer'
import { update } from '@operon/kit/testing/rows'
import { afterAll, expect, test, vi } from 'vitest'
import { click, codeIn, hashOf, linkIn, newEmail, PASSWORD, startWithSandbox } from '../testing/platform.ts'

const platform = await startWithSandbox({ AUTH_AUTOCONFIRM: 'false' })
afterAll(() => platform.close())

const redirect = { emailRedirectTo: 'http://localhost:8080/auth/seller' }
const confirmed = async (email = newEmail()) => {
  const client = platform.client()
  await client.auth.signUp({ email, password: PASSWORD, options: redirect })
  const { data, error } = await client.auth.verifyOtp({ email, token: codeIn(await platform.mail(email, /^Confirm/)), type: 'email' })
  if (error) throw error
  return { client, email, user: data.user!, session: data.session! }
}

test('without autoconfirm there is no session until the link is opened [spec-24] [spec-25]', async () => {
  const email = newEmail()
  const client = platform.client()
  const { data } = await client.auth.signUp({ email, password: PASSWORD, options: { ...redirect, data: { name: 'Ada' } } })
  expect(data.session).toBeNull()
  expect((await client.auth.signInWithPassword({ email, password: PASSWORD })).error).toMatchObject({
    status: 400,
    code: 'email_not_confirmed',
  })
  const message = await platform.mail(email, /^Confirm/)
  const target = await click(platform, linkIn(message))
  expect(`${target.origin}${target.pathname}`).toBe('http://localhost:8080/auth/seller')
  expect(hashOf(target)).toMatchObject({ type: 'signup', token_type: 'bearer', expires_in: '3600' })
  const { access_token, refresh_token } = hashOf(target) as { access_token: string; refresh_token: string }
  expect((await client.auth.setSession({ access_token, refresh_token })).data.user?.id).toBe(data.user!.id)
  const again = await click(platform, linkIn(message))
  expect(hashOf(again)).toMatchObject({
    error: 'access_denied',
    error_code: 'otp_expired',
    error_description: 'Email link is invalid or has expired',
  })
})

test('signing up again answers the same for a known and a new address, and the owner gets a mail [spec-23]', async () => {
  const { email } = await confirmed()
  const known = await platform.client().auth.signUp({ email, password: 'S0mething-else-entirely', options: { data: { name: 'Eve' } } })
  const fresh = await platform
    .client()
    .auth.signUp({ email: newEmail(), password: 'S0mething-else-entirely', options: { data: { name: 'Eve' } } })
  expect(known.error).toBeNull()
  const shape = (value: unknown): unknown =>
    Array.isArray(value)
      ? value.map(shape)
      : value && typeof value === 'object'
        ? Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, shape(inner)]))
        : typeof value
  expect(shape(known.data)).toEqual(shape(fresh.data))
  await platform.mail(email, /already have/)
  expect((await platform.client().auth.signInWithPassword({ email, password: PASSWORD })).error).toBeNull()
})

test('a magic link signs in once, and makes an account for somebody new [spec-31]', async () => {
  const { email } = await confirmed()
  await platform.client().auth.signInWithOtp({ email, options: redirect })
  expect(hashOf(await click(platform, linkIn(await platform.mail(email, /sign-in link/))))).toMatchObject({ type: 'magiclink' })
  const stranger = newEmail()
  await platform.client().auth.signInWithOtp({ email: stranger })
  const client = platform.client()
  const { data } = await client.auth.verifyOtp({ email: stranger, token: codeIn(await platform.mail(stranger, /^Confirm/)), type: 'email' })
  expect(data.session?.user.email).toBe(stranger)
  const nobody = newEmail()
  expect((await platform.client().auth.signInWithOtp({ email: nobody, options: { shouldCreateUser: false } })).error).toBeNull()
})

test('recovery by link: PASSWORD_RECOVERY, a new password, and every other session ends [spec-29]', async () => {
  const { client: old, email } = await confirmed()
  const client = platform.client()
  await client.auth.resetPasswordForEmail(email, { redirectTo: 'http://localhost:8080/reset-password' })
  const target = await click(platform, linkIn(await platform.mail(email, /^Reset/)))
  expect(target.pathname).toBe('/reset-password')
  const { access_token, refresh_token, type } = hashOf(target) as Record<string, string>
  expect(type).toBe('recovery')
  await client.auth.setSession({ access_token: access_token!, refresh_token: refresh_token! })
  expect((await client.auth.updateUser({ password: 'Brand-new-secret1' })).error).toBeNull()
  expect((await old.auth.refreshSession()).error).toMatchObject({ code: 'refresh_token_not_found' })
  expect((await platform.client().auth.signInWithPassword({ email, password: 'Brand-new-secret1' })).error).toBeNull()
  await platform.mail(email, /was changed/)
})

test('recovery for an address that nobody has answers the same and sends nothing', async () => {
  const email = newEmail()
  expect((await platform.client().auth.resetPasswordForEmail(email)).error).toBeNull()
  const jobs = platform.services.identity!.rt.jobs
  await vi.waitFor(async () => expect(await jobs.waiting()).toBe(0))
  expect(await platform.mails(email)).toEqual([])
})

test('PKCE: the link brings a code that only the client that asked can exchange, once', async () => {
  const { email } = await confirmed()
  const client = platform.client({ flowType: 'pkce' })
  await client.auth.signInWithOtp({ email, options: redirect })
  const target = await click(platform, linkIn(await platform.mail(email, /sign-in link/)))
  const code = target.searchParams.get('code')!
  expect(target.hash).toBe('')
  const thief = platform.client({ flowType: 'pkce' })
  await thief.auth.signInWithOtp({ email: newEmail() })
  const { data, error } = await client.auth.exchangeCodeForSession(code)
  expect(error).toBeNull()
  expect(data.session?.user.email).toBe(email)
  const second = await fetch(`${platform.base}/auth/v1/token?grant_type=pkce`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ auth_code: code, code_verifier: 'x'.repeat(43) }),
  })
  expect([second.status, ((await second.json()) as { error_code: string }).error_code]).toEqual([404, 'flow_state_not_found'])
})

test('PKCE from the sign-up on: confirmation, resend and recovery each bring a code to the browser that asked', async () => {
  const client = platform.client({ flowType: 'pkce' })
  const email = newEmail()
  const { data: signedUp } = await client.auth.signUp({ email, password: PASSWORD, options: redirect })
  expect(signedUp.session).toBeNull()
  const first = await platform.mail(email, /^Confirm/)
  await client.auth.resend({ type: 'signup', email, options: redirect })
  const second = await vi.waitFor(async () => {
    const found = (await platform.mails(email)).find(({ id }) => id !== first.id)
    expect(found).toBeDefined()
    return found!
  })
  const late = await click(platform, linkIn(first))
  // A client of this flow reads the query, so what is wrong stands there as well.
  expect(late.searchParams.get('error_code')).toBe('otp_expired')
  expect(hashOf(late)).toMatchObject({ error: 'access_denied', error_description: 'Email link is invalid or has expired' })
  const code = (await click(platform, linkIn(second))).searchParams.get('code')!
  const { data, error } = await client.auth.exchangeCodeForSession(code)
  expect(error).toBeNull()
  expect(data.session?.user).toMatchObject({ id: signedUp.user!.id, email })
  await client.auth.resetPasswordForEmail(email)
  const recovery = (await click(platform, linkIn(await platform.mail(email, /^Reset/)))).searchParams.get('code')!
  const { data: recovered } = await client.auth.exchangeCodeForSession(recovery)
  expect((recovered as { redirectType?: string }).redirectType).toBe('recovery')
  expect((await client.auth.updateUser({ password: 'Brand-new-secret1' })).error).toBeNull()
})

test('a wrong code and one whose hour is over are refused alike; a right one counts once', async () => {
  const { email } = await confirmed()
  const client = platform.client()
  const refused = { status: 403, code: 'otp_expired', message: 'Token has expired or is invalid' }
  const ask = async () => {
    const seen = new Set((await platform.mails(email)).map(({ id }) => id))
    await client.auth.signInWithOtp({ email })
    return vi.waitFor(async () => {
      const found = (await platform.mails(email)).find(({ id, subject }) => !seen.has(id) && /sign-in link/.test(subject))
      expect(found).toBeDefined()
      return codeIn(found!)
    }, 8000)
  }
  const token = await ask()
  const wrong = token === '000000' ? '000001' : '000000'
  expect((await client.auth.verifyOtp({ email, token: wrong, type: 'email' })).error).toMatchObject(refused)
  expect((await client.auth.verifyOtp({ email, token, type: 'email' })).error).toBeNull()
  expect((await client.auth.verifyOtp({ email, token, type: 'email' })).error).toMatchObject(refused)
  const late = await ask()
  await platform.services
    .identity!.rt.db.updateTable('one_time_tokens')
    .set({ expires_at: new Date(Date.now() - 1000) })
    .where('relates_to', '=', email)
    .execute()
  expect((await client.auth.verifyOtp({ email, token: late, type: 'email' })).error).toMatchObject(refused)
  expect((await client.auth.verifyOtp({ email, token: late, type: 'nonsense' as never })).error).toMatchObject({
    message: 'Unsupported verification type',
  })
})

test('a link without its token or its kind is no link: told as JSON, since it says nothing of where to go', async () => {
  const ask = async (query: string) => {
    const response = await fetch(`${platform.base}/auth/v1/verify?${query}`, { redirect: 'manual' })
    return [response.status, ((await response.json()) as { msg: string }).msg]
  }
  expect(await ask('type=signup')).toEqual([400, 'Verify requires a token or a token hash'])
  expect(await ask('token=x')).toEqual([400, 'Verify requires a verification type'])
})

test('an email change needs both addresses', async () => {
  const { client, email, user } = await confirmed()
  const next = newEmail('next')
  const { data } = await client.auth.updateUser({ email: next })
  expect(data.user).toMatchObject({ email, new_email: next })
  const first = await click(platform, linkIn(await platform.mail(email, /change of your/)))
  expect(hashOf(first).message).toBe('Confirmation link accepted. Please proceed to confirm link sent to the other email')
  expect((await client.auth.getUser()).data.user?.email).toBe(email)
  const second = await click(platform, linkIn(await platform.mail(next, /new email/)))
  expect(hashOf(second)).toMatchObject({ type: 'email_change' })
  const moved = (await client.auth.getUser()).data.user!
  expect(moved).toMatchObject({ id: user.id, email: next })
  expect(moved.identities?.[0]?.identity_data?.email).toBe(next)
  for (const address of [email, next]) expect((await platform.mail(address, /email was changed/)).text).toContain(`now belongs to ${next}`)
})

test('a link for a change that is not pending any more changes nothing', async () => {
  const { client, email, user } = await confirmed()
  const next = newEmail('next')
  await client.auth.updateUser({ email: next })
  await click(platform, linkIn(await platform.mail(email, /change of your/)))
  const { db } = platform.services.identity!.rt
  await update(db, 'users', { id: user.id }, { email_change: null })
  const after = await click(platform, linkIn(await platform.mail(next, /new email/)))
  expect(hashOf(after)).toMatchObject({ error_code: 'otp_expired' })
  expect((await client.auth.getUser()).data.user).toMatchObject({ id: user.id, email })
})

test('an anonymous account becomes a permanent one with the same id', async () => {
  const client = platform.client()
  const { data } = await client.auth.signInAnonymously()
  expect(data.user?.is_anonymous).toBe(true)
  const email = newEmail()
  expect((await client.auth.updateUser({ password: PASSWORD })).error).toMatchObject({ status: 422 })
  await client.auth.updateUser({ email, password: PASSWORD })
  const { data: verified } = await client.auth.verifyOtp({
    email,
    token: codeIn(await platform.mail(email, /new email/)),
    type: 'email_change',
  })
  expect(verified.user).toMatchObject({ id: data.user!.id, email, is_anonymous: false })
  expect((await platform.client().auth.signInWithPassword({ email, password: PASSWORD })).error).toBeNull()
})

test('a code by text message signs in', async () => {
  const client = platform.client()
  const phone = `+1555${String(Date.now()).slice(-7)}`
  expect((await client.auth.signInWithOtp({ phone })).error).toBeNull()
  const { data, error } = await client.auth.verifyOtp({ phone, token: codeIn(await platform.mail(phone, /code/)), type: 'sms' })
  expect(error).toBeNull()
  expect(data.user?.phone).toBe(phone.slice(1))
})

test('an old session changes its password only with a code by mail', async () => {
  const { client, email, user } = await confirmed()
  await platform.services
    .identity!.rt.db.updateTable('sessions')
    .set({ amr: JSON.stringify([{ method: 'otp', timestamp: Math.floor(Date.now() / 1000) - 3600 }]) })
    .where('user_id', '=', user.id)
    .execute()
  expect((await client.auth.updateUser({ password: 'Brand-new-secret1' })).error).toMatchObject({
    status: 400,
    code: 'reauthentication_needed',
  })
  await client.auth.reauthenticate()
  const nonce = codeIn(await platform.mail(email, /is your .* code/))
  const wrong = nonce === '000000' ? '000001' : '000000'
  expect((await client.auth.updateUser({ password: 'Brand-new-secret1', nonce: wrong })).error).toMatchObject({
    code: 'reauthentication_not_valid',
  })
  expect((await client.auth.updateUser({ password: 'Brand-new-secret1', nonce })).error).toBeNull()
})

test('resend sends the confirmation again, for who still needs it', async () => {
  const email = newEmail()
  const client = platform.client()
  await client.auth.signUp({ email, password: PASSWORD })
  const first = await platform.mail(email, /^Confirm/)
  expect((await client.auth.resend({ type: 'signup', email })).error).toBeNull()
  await vi.waitFor(async () => expect((await platform.mails(email)).length).toBe(2))
  const second = (await platform.mails(email)).find((message) => message.id !== first.id)!
  expect(second.message_id).not.toBe(first.message_id)
  expect(hashOf(await click(platform, linkIn(first)))).toMatchObject({ error_code: 'otp_expired' })
  expect(hashOf(await click(platform, linkIn(second)))).toMatchObject({ type: 'signup' })
})

test('a job that runs again sends the same mail under the same Message-ID', async () => {
  const email = newEmail()
  await platform.client().auth.signUp({ email, password: PASSWORD })
  const first = await platform.mail(email, /^Confirm/)
  const { rt } = platform.services.identity!
  const row = await rt.db
    .selectFrom('outbox')
    .selectAll()
    .where('name', '=', 'identity.send_mail')
    .where('id', '=', first.message_id!.slice(1).split('@')[0]!)
    .executeTakeFirstOrThrow()
  const { sendMail } = await import('./send.ts')
  const mailer = openMailer(rt)
  await sendMail({ rt, config: rt.config, mailer } as never, {
    id: row.id,
    payload: row.payload as never,
    attempt: 2,
    userId: row.user_id,
    progress: async () => {},
    signal: new AbortController().signal,
  })
  mailer.close()
  const both = await vi.waitFor(async () => {
    const all = await platform.mails(email)
    expect(all).toHaveLength(2)
    return all
  })
  expect(new Set(both.map((message) => message.message_id)).size).toBe(1)
  expect(new Set(both.map(linkIn)).size).toBe(1)
  expect(JSON.stringify(row.payload)).not.toContain(new URL(linkIn(first)).searchParams.get('token'))
})

test('a sign-in from somewhere new is told to the owner, one from a known place is not', async () => {
  const { email } = await confirmed()
  const from = (ip: string, agent: string) =>
    fetch(`${platform.base}/auth/v1/token?grant_type=password`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': ip, 'user-agent': agent },
      body: JSON.stringify({ email, password: PASSWORD }),
    })
  await from('203.0.113.7', 'Firefox')
  const message = await platform.mail(email, /New sign-in/)
  expect(message.text).toContain('203.0.113.7')
  await from('203.0.113.7', 'Another browser')
  await platform.client().auth.resetPasswordForEmail(email)
  await platform.mail(email, /^Reset/)
  expect((await platform.mails(email)).filter(({ subject }) => subject.startsWith('New sign-in'))).toHaveLength(1)
})

test('the new address agreeing twice does not stand for the current one', async () => {
  const { client, email } = await confirmed()
  const next = newEmail('next')
  await client.auth.updateUser({ email: next })
  const first = await platform.mail(next, /new email/)
  await click(platform, linkIn(first))
  await client.auth.resend({ type: 'email_change', email })
  const second = await vi.waitFor(async () => {
    const found = (await platform.mails(next)).find(({ id }) => id !== first.id)
    expect(found).toBeDefined()
    return found!
  })
  expect(hashOf(await click(platform, linkIn(second))).message).toContain('other email')
  expect((await client.auth.getUser()).data.user?.email).toBe(email)
})

test('a scanner that only asks for the head of a link does not use it up', async () => {
  const email = newEmail()
  await platform.client().auth.signUp({ email, password: PASSWORD })
  const link = linkIn(await platform.mail(email, /^Confirm/))
  expect((await fetch(platform.real(link), { method: 'HEAD', redirect: 'manual' })).status).toBe(200)
  expect(hashOf(await click(platform, link))).toMatchObject({ type: 'signup' })
})

test('a phone number that was signed up twice before its proof keeps neither password; afterwards a sign-up answers as for a new one and changes nothing', async () => {
  const phone = `+1556${String(Date.now()).slice(-7)}`
  const signUp = (password: string, name: string) => platform.client().auth.signUp({ phone, password, options: { data: { name } } })
  const first = await signUp(PASSWORD, 'Eve')
  const { id } = await platform.mail(phone, /code/)
  expect((await signUp('An0ther-horse-battery', 'Ada')).error).toBeNull()
  const newest = await vi.waitFor(
    async () => (await platform.mails(phone)).find((message) => message.id !== id) ?? Promise.reject(new Error('not yet')),
  )
  const { data } = await platform.client().auth.verifyOtp({ phone, token: codeIn(newest), type: 'sms' })
  expect(data.user?.user_metadata).toEqual({})

  const again = await signUp(PASSWORD, 'Eve')
  expect(again.error).toBeNull()
  expect(again.data.user!.id).not.toBe(data.user!.id)
  expect(Object.keys(again.data.user!).toSorted()).toEqual(Object.keys(first.data.user!).toSorted())
  const signIn = async (password: string) => (await platform.client().auth.signInWithPassword({ phone, password })).error?.code
  expect([await signIn(PASSWORD), await signIn('An0ther-horse-battery')]).toEqual(['invalid_credentials', 'invalid_credentials'])
  await platform.mail(phone, /no password/)
  expect(await platform.mails(phone)).toHaveLength(3)
})
