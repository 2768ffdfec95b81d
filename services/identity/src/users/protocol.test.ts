import { notOffered } from '@operon/contracts/identity/off'
import { afterAll, expect, test } from 'vitest'
import { SERVICE_KEY, signedUp, startIdentity } from '../testing/platform.ts'

const platform = await startIdentity()
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

test('a sign-up without a password, and a proof with none or two of its kinds, are refused in words and leave nothing', async () => {
  const email = `no-password-${Date.now()}@example.com`
  for (const body of [{ email }, { email, password: '' }])
    expect(await call('POST', '/auth/v1/signup', undefined, body)).toMatchObject({
      status: 400,
      body: { msg: 'Signup requires a valid password' },
    })
  const { db } = platform.services.identity!.rt
  expect(await db.selectFrom('users').select('id').where('email', '=', email).execute()).toEqual([])
  for (const [body, msg] of [
    [{}, 'Verify requires either a token or a token hash'],
    [{ token: '123456', token_hash: 'x' }, 'Verify requires either a token or a token hash'],
    [{ token_hash: 'x', email }, 'Only the token_hash and type should be provided'],
  ] as const)
    expect(await call('POST', '/auth/v1/verify', undefined, { type: 'email', ...body })).toMatchObject({ status: 400, body: { msg } })
})

test('a code is asked for by email or by text message, not by both', async () => {
  const [email, phone] = [`both-${Date.now()}@example.com`, '+15005550123']
  expect(await call('POST', '/auth/v1/otp', undefined, { email, phone })).toMatchObject({
    status: 400,
    body: { msg: 'Only an email address or phone number should be provided' },
  })
})

test('lists of what is not offered are empty for the service key', async () => {
  const { user } = await signedUp(platform)
  expect(await call('GET', '/auth/v1/admin/sso/providers', SERVICE_KEY)).toEqual({ status: 200, body: { items: [] } })
  expect(await call('GET', `/auth/v1/admin/users/${user.id}/passkeys`, SERVICE_KEY)).toEqual({ status: 200, body: [] })
  const nobody = await call('GET', `/auth/v1/admin/users/${crypto.randomUUID()}/passkeys`, SERVICE_KEY)
  expect(nobody).toMatchObject({ status: 404, body: { error_code: 'user_not_found' } })
})

test('the service key renames and removes a factor of its user, and of nobody else', async () => {
  const { client, user } = await signedUp(platform)
  const other = await signedUp(platform)
  const { data } = await client.auth.mfa.enroll({ factorType: 'totp', friendlyName: 'Phone' })
  const at = (of: string) => `/auth/v1/admin/users/${of}/factors/${data!.id}`
  const renamed = await call('PUT', at(user.id), SERVICE_KEY, { friendly_name: 'Old phone' })
  expect(renamed).toMatchObject({ status: 200, body: { id: data!.id, friendly_name: 'Old phone', status: 'unverified' } })
  expect(await call('PUT', at(other.user.id), SERVICE_KEY, { friendly_name: 'x' })).toMatchObject({ status: 404 })
  expect(await call('DELETE', at(other.user.id), SERVICE_KEY)).toMatchObject({ status: 404 })
  expect(await call('DELETE', at(user.id), SERVICE_KEY)).toEqual(renamed)
  expect((await client.auth.mfa.listFactors()).data?.all).toEqual([])
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

test('what is no address is refused by verify as the protocol does, and a link token comes alone', async () => {
  const verify = (body: object) => call('POST', '/auth/v1/verify', undefined, { type: 'email', ...body })
  const refused = (status: number, msg: string) => ({ status, body: { code: status, error_code: 'validation_failed', msg } })
  for (const email of ['not-an-address', 'a@b', 'two words@example.com', 'a..b@example.com'])
    expect(await verify({ email, token: '123456' })).toEqual(refused(422, 'Invalid email format'))
  expect(await verify({ type: 'sms', phone: 'twelve', token: '123456' })).toEqual(
    refused(400, 'Invalid phone number format (E.164 required)'),
  )
  expect(await verify({ token: '123456' })).toEqual(refused(400, 'Only an email address or phone number should be provided on verify'))
  for (const more of [{ email: 'a@example.com' }, { phone: '+15550001111' }, { redirect_to: 'http://localhost:8080/auth' }])
    expect(await verify({ token_hash: 'x'.repeat(40), ...more })).toEqual(refused(400, 'Only the token_hash and type should be provided'))
  // The redirect in the address of the call is ignored: there is no redirect to make.
  const hash = { token_hash: 'x'.repeat(40), type: 'email' as const }
  const { error } = await platform.client().auth.verifyOtp({ ...hash, options: { redirectTo: 'http://localhost:8080' } } as never)
  expect(error).toMatchObject({ status: 403, code: 'otp_expired' })
})

test('a service key reads the audit log of all accounts in pages, and by who, what and which kind', async () => {
  const { client, user, email } = await signedUp(platform)
  await client.auth.mfa.enroll({ factorType: 'totp' })
  const { error } = await platform.admin().auth.admin.updateUserById(user.id, { user_metadata: { full_name: 'Ada King' } })
  expect(error).toBeNull()
  const read = async (query: Record<string, string | number> = {}, key = SERVICE_KEY) => {
    const search = new URLSearchParams(Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]))
    const response = await fetch(`${platform.base}/auth/v1/admin/audit?${search}`, { headers: { authorization: `Bearer ${key}` } })
    return { status: response.status, headers: response.headers, body: (await response.json()) as any }
  }
  const newest = (await read({ per_page: 4 })).body
  const own = { actor_id: user.id, actor_via_sso: false, actor_username: email, actor_name: 'Ada King' }
  expect(newest).toMatchObject([
    {
      payload: {
        actor_id: '00000000-0000-0000-0000-000000000000',
        actor_username: 'service_role',
        action: 'user_modified',
        log_type: 'user',
        traits: { user_id: user.id, user_email: email, user_phone: '' },
      },
    },
    { payload: { ...own, action: 'factor_in_progress', log_type: 'factor' } },
    { payload: { ...own, action: 'login', log_type: 'account' } },
    { payload: { ...own, action: 'user_signedup', log_type: 'team', traits: { provider: 'email' } }, ip_address: '127.0.0.1' },
  ])
  expect(Object.keys(newest[1]).toSorted()).toEqual(['created_at', 'id', 'ip_address', 'payload'])
  expect(newest[0].payload).not.toHaveProperty('actor_name')

  const actions = async (query: string) => (await read({ query })).body.map((entry: any) => entry.payload.action)
  expect(await actions(`author:${email.toUpperCase()}`)).toEqual(['factor_in_progress', 'login', 'user_signedup'])
  expect(new Set(await actions('author:ada k'))).toEqual(new Set(['factor_in_progress', 'login', 'user_signedup']))
  expect(new Set(await actions('action:in_progress'))).toEqual(new Set(['factor_in_progress']))
  expect(new Set(await actions('type:account'))).toEqual(new Set(['login']))
  const byService = await actions('author:service_ro')
  expect(byService).toContain('user_modified')
  expect(byService).not.toContain('login')
  expect(await actions('author:%')).toEqual([])
  expect(await actions('action:no_such_thing')).toEqual([])

  const { headers, body } = await read({ page: 2, per_page: 1, query: `author:${email}` })
  expect(body).toMatchObject([{ payload: { action: 'login' } }])
  expect(headers.get('x-total-count')).toBe('3')
  const by = `per_page=1&query=${encodeURIComponent(`author:${email}`)}`
  expect(headers.get('link')).toBe(`</auth/v1/admin/audit?page=3&${by}>; rel="next", </auth/v1/admin/audit?page=3&${by}>; rel="last"`)

  for (const query of ['nonsense', 'ip:127', 'constructor:x'])
    expect(await read({ query })).toMatchObject({
      status: 400,
      body: { error_code: 'validation_failed', msg: `Invalid query scope: ${query}` },
    })
  expect((await read({ page: 'x' })).body.msg).toMatch(/^Bad Pagination Parameters/)
  const session = (await client.auth.getSession()).data.session!
  expect((await read({}, session.access_token)).body).toMatchObject({ code: 403, error_code: 'not_admin' })
})

test('accounts are listed the newest first, or as asked for; the address of the next page says so too', async () => {
  for (let n = 0; n < 2; n++) await signedUp(platform)
  const list = async (sort: string) => {
    const search = new URLSearchParams({ per_page: '1000', ...(sort && { sort }) })
    const response = await fetch(`${platform.base}/auth/v1/admin/users?${search}`, { headers: { authorization: `Bearer ${SERVICE_KEY}` } })
    const { users } = (await response.json()) as { users: { created_at: string }[] }
    return { link: response.headers.get('link'), made: users.map(({ created_at }) => Date.parse(created_at)) }
  }
  const { made: newestFirst } = await list('')
  expect(newestFirst).toEqual(newestFirst.toSorted((a, b) => b - a))
  expect((await list('created_at')).made).toEqual(newestFirst)
  const { made, link } = await list('created_at ASC')
  expect(made).toEqual(newestFirst.toReversed())
  expect(link).toContain('sort=created_at+ASC')
  for (const [sort, said] of [
    ['email desc', "bad field for sort 'email'"],
    ['created_at up', "bad direction for sort 'up', only 'asc' and 'desc' allowed"],
  ]) {
    const { status, body } = await call('GET', `/auth/v1/admin/users?sort=${sort}`, SERVICE_KEY)
    expect([status, body.msg]).toEqual([400, `Bad Sort Parameters: ${said}`])
  }
})

test('an id in the address that is none is nothing that is there', async () => {
  const { session } = await signedUp(platform)
  for (const [method, path, name, key] of [
    ['GET', '/auth/v1/admin/users/x', 'user_id', SERVICE_KEY],
    ['POST', '/auth/v1/factors/x/challenge', 'factor_id', session.access_token],
    ['DELETE', '/auth/v1/user/identities/x', 'identity_id', session.access_token],
  ] as const)
    expect(await call(method, path, key)).toEqual({
      status: 404,
      body: { code: 404, error_code: 'validation_failed', msg: `${name} must be an UUID` },
    })
})

test('a field of the body is not taken from the address of the call', async () => {
  const { body } = await call('POST', `/auth/v1/admin/users?email=${crypto.randomUUID()}@example.com`, SERVICE_KEY)
  expect(body).toMatchObject({ error_code: 'validation_failed', msg: 'Cannot create a user without either an email or phone' })
})
