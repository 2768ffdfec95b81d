import { update } from '@operon/kit/testing/rows'
import { afterAll, expect, test, vi } from 'vitest'
import { approve, click, codeIn, hashOf, linkIn, newEmail, PASSWORD, startWithSandbox } from '../testing/platform.ts'

const STRANGERS = 'Str4nger-horse-battery'
const staff = [1, 2, 3].map(() => newEmail('staff'))
const platform = await startWithSandbox({
  AUTH_AUTOCONFIRM: 'false',
  AUTH_STAFF_EMAILS: staff.join(','),
  AUTH_STAFF_SECOND_FACTOR: 'false',
})
afterAll(() => platform.close())

const db = () => platform.services.identity!.rt.db
const signUp = async (email: string, password: string, name = 'Ada') =>
  expect((await platform.client().auth.signUp({ email, password, options: { data: { name } } })).error).toBeNull()
const signIn = async (who: { email: string } | { phone: string }, password: string) =>
  (await platform.client().auth.signInWithPassword({ ...who, password } as { email: string; password: string })).error?.code ?? 'in'
const letters = (email: string, count: number) =>
  vi.waitFor(async () => {
    const all = await platform.mails(email)
    expect(all).toHaveLength(count)
    return all
  })
/** The newest letter, once there are as many as that. */
const newest = async (email: string, count: number) => {
  const all = await letters(email, count)
  const tokens = await db().selectFrom('one_time_tokens').select('id').where('relates_to', '=', email).execute()
  return all.find(({ message_id }) => tokens.some(({ id }: { id: string }) => message_id?.includes(id)))!
}

test('a letter confirms the password that came with it [spec-25]', async () => {
  const email = newEmail()
  await signUp(email, PASSWORD)
  expect(hashOf(await click(platform, linkIn(await platform.mail(email))))).toMatchObject({ type: 'signup' })
  expect(await signIn({ email }, PASSWORD)).toBe('in')
})

test('an address that a stranger signed up keeps its owner from nothing: it is known once it is confirmed [spec-23]', async () => {
  const email = newEmail()
  const known = async () => (await platform.client().from('profiles').select('email').eq('email', email)).data
  await signUp(email, STRANGERS)
  expect(await known()).toEqual([])
  await signUp(email, PASSWORD)
  await click(platform, linkIn(await newest(email, 2)))
  expect(await known()).toEqual([{ email }])
})

for (const [who, passwords] of [
  ['a stranger after the owner', [PASSWORD, STRANGERS]],
  ['a stranger before the owner', [STRANGERS, PASSWORD]],
] as const)
  test(`two sign-ups and one click, ${who}: neither password is kept, and the owner is told`, async () => {
    const email = newEmail()
    for (const password of passwords) await signUp(email, password)
    const arrived = hashOf(await click(platform, linkIn(await newest(email, 2))))
    expect(arrived).toMatchObject({ type: 'signup' })
    for (const password of passwords) expect(await signIn({ email }, password)).toBe('invalid_credentials')
    expect((await platform.mail(email, /Choose a password/)).text).toContain('/forgot-password')
  })

test('two sign-ups: the page asks the opener for a password, and only that one works', async () => {
  const email = newEmail()
  for (const password of [PASSWORD, STRANGERS]) await signUp(email, password)
  const link = linkIn(await newest(email, 2))
  const page = await (await fetch(platform.real(link))).text()
  expect(page).toContain('type="password"')
  const typed = (password: string) =>
    fetch(platform.real(new URL('/auth/v1/verify/link', link).href), {
      method: 'POST',
      redirect: 'manual',
      headers: { 'sec-fetch-site': 'same-origin' },
      body: new URLSearchParams({ ...Object.fromEntries(new URL(link).searchParams), password }),
    })
  const weak = await typed('short')
  expect([weak.status, await weak.text()]).toEqual([422, expect.stringContaining('Password should have at least')])
  expect((await typed('Ch0sen-by-the-owner')).status).toBe(303)
  expect([await signIn({ email }, 'Ch0sen-by-the-owner'), await signIn({ email }, PASSWORD), await signIn({ email }, STRANGERS)]).toEqual([
    'in',
    'invalid_credentials',
    'invalid_credentials',
  ])
})

test('two sign-ups and the code typed in a client: neither password is kept', async () => {
  const email = newEmail()
  for (const password of [PASSWORD, STRANGERS]) await signUp(email, password)
  const { error } = await platform.client().auth.verifyOtp({ email, token: codeIn(await newest(email, 2)), type: 'signup' })
  expect(error).toBeNull()
  for (const password of [PASSWORD, STRANGERS]) expect(await signIn({ email }, password)).toBe('invalid_credentials')
})

test('a letter that was sent once more still stands for its sign-up', async () => {
  const email = newEmail()
  await signUp(email, PASSWORD)
  await letters(email, 1)
  await platform.client().auth.resend({ type: 'signup', email })
  await click(platform, linkIn(await newest(email, 2)))
  expect(await signIn({ email }, PASSWORD)).toBe('in')
})

for (const [way, ask] of [
  ['a magic link', (email: string) => platform.client().auth.signInWithOtp({ email })],
  ['recovery', (email: string) => platform.client().auth.resetPasswordForEmail(email)],
  ['an invitation', (email: string) => platform.admin().auth.admin.inviteUserByEmail(email)],
] as const)
  test(`a stranger registered the address before; the owner comes by ${way}: the stranger's password is worth nothing`, async () => {
    for (const email of [newEmail(), staff.pop()!]) {
      await signUp(email, STRANGERS, 'Eve')
      const [strangers] = await letters(email, 1)
      expect((await ask(email)).error).toBeNull()
      const own = (await letters(email, 2)).find(({ id }) => id !== strangers!.id)!
      expect(hashOf(await click(platform, linkIn(own)))).toHaveProperty('access_token')
      const user = await db().selectFrom('users').selectAll().where('email', '=', email).executeTakeFirstOrThrow()
      expect(user).toMatchObject({ email_proven: true, password_hash: null })
      expect(user.user_metadata).not.toHaveProperty('name')
      expect(await signIn({ email }, STRANGERS)).toBe('invalid_credentials')
      expect(hashOf(await click(platform, linkIn(strangers!)))).toMatchObject({ error_code: 'otp_expired' })
    }
  })

test('the first proof of an address that was confirmed by itself ends password, factor, passkey, number, other sign-ins, sessions and pending changes', async () => {
  const open = await startWithSandbox({ AUTH_AUTOCONFIRM: 'true' })
  try {
    const email = newEmail()
    const stranger = open.client()
    const { data } = await stranger.auth.signUp({ email, password: STRANGERS })
    const { data: link } = await stranger.auth.linkIdentity({ provider: 'github', options: { skipBrowserRedirect: true } })
    expect(link.url).toBeTruthy()
    await stranger.auth.mfa.enroll({ factorType: 'totp', friendlyName: 'Eve' })
    await update(open.services.identity!.rt.db, 'factors', { user_id: data.user!.id }, { status: 'verified' })
    await open.services
      .identity!.rt.db.insertInto('identities')
      .values({ id: crypto.randomUUID(), user_id: data.user!.id, provider: 'github', provider_id: email, identity_data: '{}' })
      .execute()
    const theirs = { id: crypto.randomUUID(), user_id: data.user!.id }
    const passkey = {
      friendly_name: 'Eve',
      credential_id: theirs.id,
      public_key: Buffer.from('key'),
      counter: 0,
      transports: [],
      aal: 'aal2',
    }
    await open.services
      .identity!.rt.db.insertInto('passkeys')
      .values({ ...theirs, ...passkey })
      .execute()
    const number = { phone: `1555${String(Date.now()).slice(-7)}`, phone_confirmed_at: new Date() }
    await open.services.identity!.rt.db.updateTable('users').set(number).where('id', '=', data.user!.id).execute()
    await open.client().auth.signInWithOtp({ email })
    const arrived = hashOf(await click(open, linkIn(await open.mail(email, /sign-in link/))))
    const owner = open.client()
    const { data: own } = await owner.auth.setSession(arrived as { access_token: string; refresh_token: string })
    expect(own.user).toMatchObject({ id: data.user!.id, app_metadata: { providers: ['email'] } })
    expect(own.user!.factors).toBeUndefined()
    expect(own.user!.phone).toBeFalsy()
    expect(await open.services.identity!.rt.db.selectFrom('passkeys').select('id').where('user_id', '=', data.user!.id).execute()).toEqual(
      [],
    )
    expect(own.user!.identities!.map(({ provider }) => provider)).toEqual(['email'])
    expect((await stranger.auth.refreshSession()).error).not.toBeNull()
    expect((await open.client().auth.signInWithPassword({ email, password: STRANGERS })).error?.code).toBe('invalid_credentials')
    const flows = await open.services.identity!.rt.db.selectFrom('flows').select('id').where('link_user_id', '=', data.user!.id).execute()
    expect(flows).toEqual([])
    expect((await open.mail(email, /Choose a password/)).text).toContain('no longer works')
  } finally {
    await open.close()
  }
})

test('by phone the same: neither of two passwords, and none that came before a code to sign in', async () => {
  const number = (n: number) => `+1555${String(Date.now()).slice(-6)}${n}`
  const texts = (phone: string, count: number) =>
    vi.waitFor(async () => {
      const all = await platform.mails(phone)
      expect(all).toHaveLength(count)
      return all
    })
  const enter = async (phone: string, count: number) => {
    for (const text of await texts(phone, count)) {
      const { data } = await platform.client().auth.verifyOtp({ phone, token: codeIn(text), type: 'sms' })
      if (data.session) return data.session
    }
    throw new Error('no code was good')
  }
  const one = number(1)
  await platform.client().auth.signUp({ phone: one, password: PASSWORD })
  await enter(one, 1)
  expect(await signIn({ phone: one }, PASSWORD)).toBe('in')

  const two = number(2)
  for (const password of [PASSWORD, STRANGERS]) await platform.client().auth.signUp({ phone: two, password })
  await enter(two, 2)
  for (const password of [PASSWORD, STRANGERS]) expect(await signIn({ phone: two }, password)).toBe('invalid_credentials')

  const three = number(3)
  await platform.client().auth.signUp({ phone: three, password: STRANGERS })
  await texts(three, 1)
  await platform.client().auth.signInWithOtp({ phone: three })
  await enter(three, 2)
  expect(await signIn({ phone: three }, STRANGERS)).toBe('invalid_credentials')
})

test('an unverified sign-in with a provider stays only with the letter that it was sent with', async () => {
  const begin = async (email: string) => {
    const cookies: Record<string, string> = {}
    const consent = await click(platform, `${platform.base}/auth/v1/authorize?provider=github`, cookies)
    return click(platform, await approve(platform, consent, { email, unverified: true }), cookies)
  }
  const providers = async (email: string) =>
    (
      await db()
        .selectFrom('identities')
        .innerJoin('users', 'users.id', 'identities.user_id')
        .select('provider')
        .where('users.email', '=', email)
        .orderBy('provider')
        .execute()
    ).map((row: { provider: string }) => row.provider)
  const own = newEmail()
  expect(hashOf(await begin(own))).toMatchObject({ error_code: 'provider_email_needs_verification' })
  await click(platform, linkIn(await platform.mail(own)))
  expect(await providers(own)).toContain('github')

  const taken = newEmail()
  await begin(taken)
  await letters(taken, 1)
  await platform.client().auth.signInWithOtp({ email: taken })
  await click(platform, linkIn(await newest(taken, 2)))
  expect(await providers(taken)).not.toContain('github')
})

test('on an address of staff no password comes along that was set before its proof, and no account that moves there', async () => {
  const [email] = [newEmail('boss')]
  const strict = await startWithSandbox({ AUTH_AUTOCONFIRM: 'false', AUTH_STAFF_EMAILS: email, AUTH_STAFF_SECOND_FACTOR: 'false' })
  try {
    await strict.client().auth.signUp({ email, password: STRANGERS })
    await click(strict, linkIn(await strict.mail(email)))
    expect((await strict.client().auth.signInWithPassword({ email, password: STRANGERS })).error?.code).toBe('invalid_credentials')
  } finally {
    await strict.close()
  }
  const moved = newEmail('moved')
  const other = await startWithSandbox({ AUTH_AUTOCONFIRM: 'false', AUTH_STAFF_EMAILS: moved, AUTH_STAFF_SECOND_FACTOR: 'false' })
  try {
    const stranger = other.client()
    await stranger.auth.signInAnonymously()
    expect((await stranger.auth.updateUser({ email: moved, password: STRANGERS })).error).toBeNull()
    expect(hashOf(await click(other, linkIn(await other.mail(moved))))).toMatchObject({ type: 'email_change' })
    expect((await stranger.auth.refreshSession()).error).not.toBeNull()
    expect((await other.client().auth.signInWithPassword({ email: moved, password: STRANGERS })).error?.code).toBe('invalid_credentials')
  } finally {
    await other.close()
  }
})
