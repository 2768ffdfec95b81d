import { countPeople } from '@operon/contracts/identity/events'
import { update } from '@operon/kit/testing/rows'
import type { SupabaseClient } from '@supabase/supabase-js'
import { afterAll, expect, test, vi } from 'vitest'
import { newEmail, PASSWORD, signedUp, startIdentity } from '../testing/platform.ts'

const platform = await startIdentity()
afterAll(() => platform.close())

const db = () => platform.services.identity!.rt.db
const eventsOf = async (userId: string) =>
  (await db().selectFrom('outbox').select('name').where('kind', '=', 'event').where('user_id', '=', userId).orderBy('id').execute()).map(
    (row: { name: string }) => row.name,
  )

test('signing up gives a session, an account with its metadata, and says so [spec-24]', async () => {
  const { user, session } = await signedUp(platform)
  expect(user.user_metadata).toMatchObject({ name: 'Ada Lovelace', referral_code: 'REF1', accept_terms: true, accept_marketing: false })
  expect(user.app_metadata).toEqual({ provider: 'email', providers: ['email'] })
  expect(user.identities).toHaveLength(1)
  expect(user.email_confirmed_at).toBeTruthy()
  expect(session).toMatchObject({ token_type: 'bearer', expires_in: 3600 })
  expect(await eventsOf(user.id)).toEqual(['identity.user_created', 'identity.user_signed_in'])
})

test('people are counted, guests and who has gone are not [spec-5]', async () => {
  const people = async () => (await platform.services.identity!.rt.ask(countPeople, {})).people
  const before = await people()
  await signedUp(platform)
  await platform.client().auth.signInAnonymously()
  const { user } = await signedUp(platform)
  await update(db(), 'users', { id: user.id }, { deleted_at: new Date() })
  expect((await people()) - before).toBe(1)
})

test('an address that has an account is told so plainly where no mail confirms it [spec-34]', async () => {
  const { email } = await signedUp(platform)
  const { error } = await platform.client().auth.signUp({ email: email.toUpperCase(), password: PASSWORD })
  expect(error).toMatchObject({ status: 422, code: 'user_already_exists', message: 'User already registered' })
})

test('the rule of /auth is the floor, and the best-known passwords are refused on top [spec-22]', async () => {
  for (const [password, reason] of [
    ['Ab1!', 'length'],
    ['lowercase!!', 'characters'],
    ['UPPERCASE!!', 'characters'],
    ['NoSpecial1', 'characters'],
    ['P@ssw0rd2024!', 'pwned'],
    ['Summer2025!', 'pwned'],
    ['Qwerty123!', 'pwned'],
  ] as const) {
    const { error } = await platform.client().auth.signUp({ email: newEmail(), password })
    expect(error, password).toMatchObject({ status: 422, code: 'weak_password', reasons: expect.arrayContaining([reason]) })
  }
})

test('a right password signs in, a wrong one and an unknown address answer alike [spec-20]', async () => {
  const { email, user } = await signedUp(platform)
  const { data } = await platform.client().auth.signInWithPassword({ email, password: PASSWORD })
  expect(data.user?.id).toBe(user.id)
  const wrong = await platform.client().auth.signInWithPassword({ email, password: 'Wr0ng-horse-battery' })
  const unknown = await platform.client().auth.signInWithPassword({ email: newEmail(), password: PASSWORD })
  expect(wrong.error).toMatchObject({ status: 400, code: 'invalid_credentials', message: 'Invalid login credentials' })
  expect(unknown.error).toMatchObject({ status: 400, code: 'invalid_credentials', message: 'Invalid login credentials' })
})

test('a right password is no guess: signing in many times in a row is not held back', async () => {
  const { email } = await signedUp(platform)
  for (let at = 0; at < 12; at++) expect((await platform.client().auth.signInWithPassword({ email, password: PASSWORD })).error).toBeNull()
})

test('refresh, the user and sign-out work through the client, and its events follow [spec-29] [spec-30]', async () => {
  const { client, user, session } = await signedUp(platform)
  const events: string[] = []
  client.auth.onAuthStateChange((event) => void events.push(event))
  await vi.waitFor(() => expect(events).toEqual(['INITIAL_SESSION']))
  const refreshed = await client.auth.refreshSession()
  expect(refreshed.data.session?.refresh_token).not.toBe(session.refresh_token)
  expect((await client.auth.getUser()).data.user?.id).toBe(user.id)
  await client.auth.updateUser({ data: { name: 'Ada King' } })
  expect((await client.auth.getUser()).data.user?.user_metadata.name).toBe('Ada King')
  expect((await client.auth.signOut()).error).toBeNull()
  await vi.waitFor(() => expect(events).toEqual(['INITIAL_SESSION', 'TOKEN_REFRESHED', 'USER_UPDATED', 'SIGNED_OUT']))
  const after = await fetch(`${platform.base}/auth/v1/user`, { headers: { authorization: `Bearer ${session.access_token}` } })
  expect(after.status).toBe(403)
  expect(await after.json()).toMatchObject({ code: 403, error_code: 'session_not_found' })
})

test('a session that has ended is refused even where the news of it has not come', async () => {
  const { session, user } = await signedUp(platform)
  await update(platform.services.identity!.rt.db, 'sessions', { user_id: user.id }, { revoked_at: new Date() })
  const asked = await fetch(`${platform.base}/auth/v1/user`, { headers: { authorization: `Bearer ${session.access_token}` } })
  expect([asked.status, ((await asked.json()) as { error_code: string }).error_code]).toEqual([403, 'session_not_found'])
})

test('errors come in the shape of the API version that is asked for, and name it', async () => {
  const body = JSON.stringify({ email: newEmail(), password: 'x' })
  const url = `${platform.base}/auth/v1/token?grant_type=password`
  const old = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  expect(await old.json()).toEqual({ code: 400, error_code: 'invalid_credentials', msg: 'Invalid login credentials' })
  const dated = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-supabase-api-version': '2024-01-01' },
    body,
  })
  expect(dated.headers.get('x-supabase-api-version')).toBe('2024-01-01')
  expect(await dated.json()).toEqual({ code: 'invalid_credentials', message: 'Invalid login credentials' })
  const nobody = await fetch(`${platform.base}/auth/v1/user`)
  expect([nobody.status, await nobody.json()]).toEqual([
    401,
    { code: 401, error_code: 'no_authorization', msg: 'This endpoint requires a valid Bearer token' },
  ])
})

test('changing the password ends the other sessions and asks for a new one [spec-29]', async () => {
  const { client, email } = await signedUp(platform)
  const other = platform.client()
  await other.auth.signInWithPassword({ email, password: PASSWORD })
  expect((await client.auth.updateUser({ password: PASSWORD })).error).toMatchObject({ code: 'same_password', status: 422 })
  expect((await client.auth.updateUser({ password: 'An0ther-horse-battery' })).error).toBeNull()
  expect((await other.auth.refreshSession()).error).toMatchObject({ status: 400, code: 'refresh_token_not_found' })
  expect((await client.auth.refreshSession()).error).toBeNull()
})

test('settings, health and the keys are public', async () => {
  const settings = await (await fetch(`${platform.base}/auth/v1/settings`)).json()
  expect(settings).toMatchObject({
    mailer_autoconfirm: true,
    disable_signup: false,
    external: { email: true, google: expect.any(Boolean) },
  })
  const { keys } = (await (await fetch(`${platform.base}/auth/v1/.well-known/jwks.json`)).json()) as { keys: Record<string, unknown>[] }
  expect(keys[0]).toMatchObject({ kty: 'EC', alg: 'ES256', use: 'sig' })
  expect(keys[0]?.d).toBeUndefined()
  expect(await (await fetch(`${platform.base}/auth/v1/health`)).json()).toMatchObject({ name: 'GoTrue' })
})

test('the token verifies with the published keys and carries the claims', async () => {
  const { client, user } = await signedUp(platform)
  const { data, error } = await client.auth.getClaims()
  expect(error).toBeNull()
  expect(data?.claims).toMatchObject({
    sub: user.id,
    aud: 'authenticated',
    role: 'authenticated',
    aal: 'aal1',
    is_anonymous: false,
    mfa: false,
    iss: 'http://localhost:8080/auth/v1',
    amr: [{ method: 'password' }],
  })
})

test('profiles answers for one exact address, and for nothing wider [spec-23] [spec-139]', async () => {
  const { email } = await signedUp(platform)
  const anonymous = platform.client()
  expect((await anonymous.from('profiles').select('email').eq('email', email)).data).toEqual([{ email }])
  expect((await anonymous.from('profiles').select('email').eq('email', email).maybeSingle()).data).toEqual({ email })
  expect((await anonymous.from('profiles').select('email').eq('email', newEmail()).single()).error?.code).toBe('PGRST116')
  for (const query of [
    anonymous.from('profiles').select('email'),
    anonymous.from('profiles').select('email').like('email', '%'),
    anonymous.from('profiles').select('email').in('email', [email]),
    anonymous.from('profiles').select('email').neq('email', email),
    anonymous.from('profiles').select('email').eq('email', email).or('email.neq.x'),
  ]) {
    expect((await query).status).toBe(400)
  }
  expect((await anonymous.from('profiles').select('password_hash').eq('email', email)).error).not.toBeNull()
  // Nobody writes there, and is told that rather than how to read.
  expect((await anonymous.from('profiles').insert({ email: newEmail() })).error?.code).toBe('42501')
  expect((await anonymous.from('profiles').delete().eq('email', email)).error?.code).toBe('42501')
})

test('the home role is set once: the same again is harmless, another is refused [spec-28]', async () => {
  const { client, user } = await signedUp(platform)
  const stranger = (await signedUp(platform)).client
  expect((await client.from('user_roles').select('role').single()).error?.code).toBe('PGRST116')
  expect((await client.from('user_roles').insert({ user_id: user.id, role: 'seller' })).error).toBeNull()
  expect((await client.from('user_roles').insert({ user_id: user.id, role: 'seller' })).error).toBeNull()
  expect((await client.from('user_roles').insert({ user_id: user.id, role: 'buyer' })).error).toMatchObject({ code: 'role_taken' })
  expect((await stranger.from('user_roles').insert({ user_id: user.id, role: 'buyer' })).status).toBe(403)
  expect((await client.from('user_roles').update({ role: 'buyer' }).eq('user_id', user.id)).error?.code).toBe('42501')
  expect((await client.from('user_roles').select('role').eq('user_id', user.id).single()).data).toEqual({ role: 'seller' })
  expect((await stranger.from('user_roles').select('*').eq('user_id', user.id)).data).toEqual([])
  expect((await eventsOf(user.id)).filter((name: string) => name === 'identity.role_assigned')).toHaveLength(1)
})

test('the sign-up record names the version of the terms and when the server heard of it, whatever the client says later', async () => {
  const recordOf = async (client: SupabaseClient, userId: string, data: object) => {
    await client.functions.invoke('table-sync', { body: { tableName: 'sign up', data } })
    return (await db().selectFrom('sign_up_records').select('record').where('user_id', '=', userId).executeTakeFirst())?.record
  }
  const began = Date.now()
  const client = platform.client()
  const accepted = { name: 'Ada', accept_terms: true, terms_version: '1.0' }
  const { data } = await client.auth.signUp({ email: newEmail(), password: PASSWORD, options: { data: accepted } })
  await client.auth.updateUser({ data: accepted })
  const record = await recordOf(client, data.user!.id, { terms_version: '0.1', signup_date: '2020-01-01T00:00:00Z' })
  expect(record).toMatchObject({ accept_terms: true, terms_version: '1.0', terms_accepted_at: expect.any(String) })
  const at = Date.parse(record.terms_accepted_at)
  expect([at >= began, at <= Date.parse(data.user!.created_at) + 1000]).toEqual([true, true])

  // A person who comes by a provider accepts with the first change of their own; without one, no version is kept.
  const later = await signedUpWith({})
  await later.client.auth.updateUser({ data: { accept_terms: true, terms_version: '1.1' } })
  expect(await recordOf(later.client, later.id, {})).toMatchObject({ accept_terms: true, terms_version: '1.1' })
  const never = await signedUpWith({ accept_terms: 'yes' })
  expect(await recordOf(never.client, never.id, {})).toMatchObject({ accept_terms: false, terms_version: null, terms_accepted_at: null })

  async function signedUpWith(metadata: object) {
    const own = platform.client()
    const { data: made } = await own.auth.signUp({ email: newEmail(), password: PASSWORD, options: { data: metadata } })
    return { client: own, id: made.user!.id }
  }
})

test('profiles has a limit of its own, for an address and for a person [spec-23]', { timeout: 30_000 }, async () => {
  const strict = await startIdentity({ LIMIT_PROFILES_PER_MINUTE: '3' })
  try {
    const ask = (headers: Record<string, string>) =>
      fetch(`${strict.base}/rest/v1/profiles?select=email&email=eq.${newEmail()}`, { headers }).then((response) => response.status)
    const times = (count: number, headers: Record<string, string>) => Promise.all(Array.from({ length: count }, () => ask(headers)))
    const count = (statuses: number[], status: number) => statuses.filter((each) => each === status).length
    const first = await times(5, { 'x-forwarded-for': '192.0.2.1' })
    expect([count(first, 200), count(first, 429)]).toEqual([3, 2])
    expect(await ask({ 'x-forwarded-for': '192.0.2.2' })).toBe(200)
    // Signing in from elsewhere gives nobody more.
    const { session } = await signedUp(strict)
    const authorization = `Bearer ${session.access_token}`
    const spread = await Promise.all([3, 4, 5, 6, 7].map((at) => ask({ authorization, 'x-forwarded-for': `192.0.2.${at}` })))
    expect([count(spread, 200), count(spread, 429)]).toEqual([3, 2])
    // Nothing else is counted with it.
    expect((await fetch(`${strict.base}/auth/v1/settings`, { headers: { 'x-forwarded-for': '192.0.2.1' } })).status).toBe(200)
  } finally {
    await strict.close()
  }
})

test('table-sync keeps the sign-up record once and passes it on [spec-27]', async () => {
  const { client, user, email } = await signedUp(platform)
  const record = {
    tableName: 'sign up',
    data: {
      email,
      name: 'Ada Lovelace',
      user_id: user.id,
      referral_code: 'REF1',
      signup_date: new Date().toISOString(),
      accept_terms: true,
      accept_marketing: true,
    },
  }
  expect((await client.functions.invoke('table-sync', { body: record })).data).toEqual({ success: true })
  expect((await client.functions.invoke('table-sync', { body: record })).data).toEqual({ success: true })
  const told = await db()
    .selectFrom('outbox')
    .select('payload')
    .where('name', '=', 'identity.signed_up')
    .where('user_id', '=', user.id)
    .execute()
  expect(told).toMatchObject([
    { payload: { email, name: 'Ada Lovelace', referral_code: 'REF1', accept_terms: true, accept_marketing: true } },
  ])
  const { error } = await platform.client().functions.invoke('table-sync', { body: record })
  expect(error?.context.status).toBe(401)
  expect((await error.context.json()).message).toBe('Not authenticated')
})
