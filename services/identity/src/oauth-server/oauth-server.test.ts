import { createHash, randomBytes } from 'node:crypto'
import { dashboardStats, notificationsRead } from '@operon/contracts/analytics/api'
import { endpoint } from '@operon/contracts/contract'
import { signedIn } from '@operon/kit/context'
import { serve } from '@operon/kit/http'
import { newId } from '@operon/kit/ids'
import type { Runtime, ServiceDefinition } from '@operon/kit/service'
import { update } from '@operon/kit/testing/rows'
import { inTransaction } from '@operon/kit/tx'
import { afterAll, expect, test } from 'vitest'
import { z } from 'zod'
import { loadKeys } from '../keys/keys.ts'
import { resetAccess } from '../sessions/reset-access.ts'
import { signedUp, startIdentity } from '../testing/platform.ts'

const HOME = 'http://localhost:8080'
const stat = { total: 1, current: 1, previous: 0, change_pct: 0 }
/** The resource, as another service has it: it says whom a token speaks for, and calls capabilities in their name. */
const mcp = endpoint({ method: 'POST', path: '/mcp', access: 'user', rate: 'write', resource: true, reply: z.object({}).loose() })
let elsewhere: Runtime
const resource: ServiceDefinition = {
  name: 'analytics',
  config: z.object({}) as never,
  migrations: {},
  setup(rt) {
    elsewhere = rt
    serve(rt.app, mcp, async (ctx) => ({ id: signedIn(ctx).id, key: signedIn(ctx).key }))
    serve(rt.app, dashboardStats, async () => ({ leads: stat, appointments: stat, campaigns: stat, emails_sent: stat, period_days: 30 }))
    serve(rt.app, notificationsRead, async () => ({ read: 0, unread: 0 }))
  },
}

const platform = await startIdentity({}, [resource])
afterAll(() => platform.close())

type Person = Awaited<ReturnType<typeof signedUp>>
const REDIRECT = 'http://127.0.0.1/callback'
const at = (path: string) => `${platform.base}${path}`

async function json(response: Response) {
  const text = await response.text()
  return {
    status: response.status,
    headers: response.headers,
    body: (text.startsWith('{') || text.startsWith('[') ? JSON.parse(text) : text) as any,
  }
}
const register = async (more: object = {}) =>
  json(
    await fetch(at('/auth/v1/oauth/clients/register'), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ client_name: 'Desk app', redirect_uris: [REDIRECT], ...more }),
    }),
  )
const newVerifier = () => {
  const verifier = randomBytes(32).toString('base64url')
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') }
}
const authorize = (query: Record<string, string>) =>
  fetch(
    at(
      `/auth/v1/oauth/authorize?${new URLSearchParams({ response_type: 'code', state: 'the-state', code_challenge_method: 'S256', ...query })}`,
    ),
    {
      redirect: 'manual',
    },
  )
const asPerson = async (bearer: string, method: string, path: string, body?: object) =>
  json(
    await fetch(at(path), {
      method,
      headers: { authorization: `Bearer ${bearer}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    }),
  )
const token = async (fields: Record<string, string>) =>
  json(await fetch(at('/auth/v1/oauth/token'), { method: 'POST', body: new URLSearchParams(fields) }))
const useAt = async (bearer: string | null, path = '/mcp') =>
  json(
    await fetch(`${platform.url('analytics')}${path}`, {
      method: 'POST',
      ...(bearer && { headers: { authorization: `Bearer ${bearer}` } }),
    }),
  )

async function consented(person: Person, options: { scope?: string; allow?: string[]; redirect?: string } = {}) {
  const { verifier, challenge } = newVerifier()
  const client_id = (await register()).body.client_id as string
  const redirect_uri = options.redirect ?? REDIRECT
  const begun = await authorize({ client_id, redirect_uri, code_challenge: challenge, scope: options.scope ?? 'reads changes' })
  const page = new URL(begun.headers.get('location')!)
  const id = page.searchParams.get('authorization_id')!
  const bearer = person.session.access_token
  const shown = await asPerson(bearer, 'GET', `/auth/v1/oauth/authorizations/${id}`)
  const answer = await asPerson(bearer, 'POST', `/auth/v1/oauth/authorizations/${id}/consent`, {
    action: 'approve',
    ...(options.allow && { scopes: options.allow }),
  })
  const back = new URL(answer.body.redirect_url)
  return { client_id, id, page, shown: shown.body, back, redirect_uri, code: back.searchParams.get('code')!, verifier }
}
type Consented = Awaited<ReturnType<typeof consented>>
const redeem = ({ client_id, code, verifier, redirect_uri }: Consented, more: Record<string, string> = {}) =>
  token({ grant_type: 'authorization_code', client_id, code, code_verifier: verifier, redirect_uri, resource: `${HOME}/mcp`, ...more })
const refresh = (refresh_token: string, client_id: string) => token({ grant_type: 'refresh_token', refresh_token, client_id })

test('an app that a person let in gets a token for /mcp alone, with what they allowed', async () => {
  const person = await signedUp(platform)
  const app = await consented(person, { allow: ['reads'] })
  expect(app.page.href).toMatch(`${HOME}/oauth/consent?authorization_id=`)
  expect(app.shown).toMatchObject({
    client: { name: 'Desk app' },
    user: { id: person.user.id, email: person.email },
    scope: 'reads changes',
  })
  expect([app.back.origin + app.back.pathname, app.back.searchParams.get('state'), app.back.searchParams.get('iss')]).toEqual([
    REDIRECT,
    'the-state',
    HOME,
  ])
  const { status, body, headers } = await redeem(app)
  expect([status, body.token_type, body.expires_in, body.scope, headers.get('cache-control')]).toEqual([
    200,
    'Bearer',
    600,
    'reads',
    'no-store',
  ])
  expect((await useAt(body.access_token)).body).toMatchObject({ id: person.user.id, key: { scopes: ['reads'], app: app.client_id } })

  const elsewhereOpen = [
    await asPerson(body.access_token, 'GET', '/auth/v1/user'),
    await asPerson(body.access_token, 'GET', '/rest/v1/ai_keys'),
    await asPerson(body.access_token, 'POST', '/functions/v1/account-sessions', {}),
    await asPerson(body.access_token, 'GET', '/auth/v1/user/oauth/grants'),
    await useAt(body.access_token, '/functions/v1/dashboard-stats'),
  ]
  expect(elsewhereOpen.map((each) => each.status)).toEqual([403, 401, 401, 403, 401])
  // Called in the person's name by the resource, it does what it was allowed.
  const actor = await elsewhere.verifier.actorOf({ authorization: `Bearer ${body.access_token}` }, mcp)
  expect(await elsewhere.call(dashboardStats, {}, { actor })).toMatchObject({ period_days: 30 })
  await expect(elsewhere.call(notificationsRead, {}, { actor, idempotencyKey: newId() })).rejects.toMatchObject({ code: 'key_scope' })
})

test('/mcp takes neither a session nor nothing, and says where a token is made', async () => {
  const person = await signedUp(platform)
  const [nothing, session] = [await useAt(null), await useAt(person.session.access_token)]
  expect([nothing.status, session.status]).toEqual([401, 401])
  expect(nothing.headers.get('www-authenticate')).toBe(`Bearer resource_metadata="${HOME}/.well-known/oauth-protected-resource/mcp"`)
  const told = (await json(await fetch(at('/.well-known/oauth-protected-resource/mcp')))).body
  expect(told).toMatchObject({ resource: `${HOME}/mcp`, authorization_servers: [HOME] })
  const server = (await json(await fetch(at('/.well-known/oauth-authorization-server')))).body
  expect(server).toMatchObject({
    issuer: HOME,
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['none'],
  })
})

test('a token of the same signature opens /mcp only with its own issuer, audience and time', async () => {
  const person = await signedUp(platform)
  const { sign } = await loadKeys(platform.services.identity!.rt as never)
  const at = Math.floor(Date.now() / 1000)
  const good = {
    iss: HOME,
    aud: `${HOME}/mcp`,
    sub: person.user.id,
    iat: at,
    exp: at + 60,
    session_id: newId(),
    client_id: newId(),
    scope: 'reads',
  }
  const status = async (claims: object) => (await useAt(sign({ ...good, ...claims }))).status
  expect(await status({})).toBe(200)
  for (const claims of [{ iss: `${HOME}/auth/v1` }, { aud: 'authenticated' }, { aud: `${HOME}/other` }, { exp: at - 60 }])
    expect([claims, await status(claims)]).toEqual([claims, 401])
})

test('a code works once, for its verifier, app and address; a second use ends what the first opened', async () => {
  const person = await signedUp(platform)
  const app = await consented(person)
  const wrong = [
    await redeem(app, { code_verifier: newVerifier().verifier }),
    await redeem(app, { client_id: (await register()).body.client_id }),
    await redeem(app, { redirect_uri: 'http://127.0.0.1/other' }),
    await redeem(app, { resource: `${HOME}/else` }),
  ]
  expect(wrong.map(({ status, body }) => [status, body.error])).toEqual(Array(4).fill([400, 'invalid_grant']))
  const { body } = await redeem(app)
  expect((await useAt(body.access_token)).status).toBe(200)
  expect((await redeem(app)).body.error).toBe('invalid_grant')
  expect((await useAt(body.access_token)).status).toBe(401)
  const late = await consented(person)
  await update(db(), 'oauth_requests', { id: late.id }, { expires_at: new Date() })
  expect((await redeem(late)).body.error).toBe('invalid_grant')
})

test('refresh tokens rotate; one that comes again after its moment ends the grant', async () => {
  const person = await signedUp(platform)
  const app = await consented(person)
  const first = (await redeem(app)).body
  const second = (await refresh(first.refresh_token, app.client_id)).body
  expect((await useAt(second.access_token)).status).toBe(200)
  // A lost answer is asked for again at once.
  const third = (await refresh(first.refresh_token, app.client_id)).body
  expect((await useAt(third.access_token)).status).toBe(200)
  await update(db(), 'oauth_grants', { client_id: app.client_id }, { refreshed_at: new Date(Date.now() - 60_000) })
  expect((await refresh(first.refresh_token, app.client_id)).body.error).toBe('invalid_grant')
  expect((await useAt(third.access_token)).status).toBe(401)
  expect((await refresh(third.refresh_token, app.client_id)).body.error).toBe('invalid_grant')
})

test('a redirect goes only to an address that the app registered; on one’s own machine the port may differ', async () => {
  const client_id = (await register({ redirect_uris: [REDIRECT, 'https://app.example/back'] })).body.client_id
  const { challenge } = newVerifier()
  const lead = async (redirect_uri: string) => {
    const response = await authorize({ client_id, redirect_uri, code_challenge: challenge })
    return [response.status, response.headers.get('location')?.split('?')[0] ?? null]
  }
  expect(await lead('http://127.0.0.1:53012/callback')).toEqual([302, `${HOME}/oauth/consent`])
  for (const evil of [
    'https://evil.example/back',
    'https://app.example/back/more',
    'https://app.example:8443/back',
    'http://127.0.0.1:9/other',
    'http://app.example/back',
    'javascript:alert(1)',
    '//evil.example',
  ])
    expect(await lead(evil)).toEqual([400, null])
  const plain = await authorize({ client_id, redirect_uri: REDIRECT, code_challenge: challenge, code_challenge_method: 'plain' })
  expect(new URL(plain.headers.get('location')!).searchParams.get('error')).toBe('invalid_request')
  for (const uri of [
    'http://app.example/back',
    'javascript:alert(1)',
    'data:text/html,x',
    'https://a.example/#x',
    'https://me:pw@a.example/',
  ])
    expect((await register({ redirect_uris: [uri] })).body.error).toBe('invalid_redirect_uri')
  const unknown = await authorize({ client_id: newId(), redirect_uri: REDIRECT, code_challenge: challenge })
  expect([unknown.status, unknown.headers.get('content-security-policy')]).toEqual([400, expect.stringContaining("frame-ancestors 'none'")])
})

test('a request belongs to the person who opened it, and no key or app answers it', async () => {
  const [person, other] = [await signedUp(platform), await signedUp(platform)]
  const client_id = (await register()).body.client_id
  const begun = await authorize({ client_id, redirect_uri: REDIRECT, code_challenge: newVerifier().challenge })
  const id = new URL(begun.headers.get('location')!).searchParams.get('authorization_id')!
  const path = `/auth/v1/oauth/authorizations/${id}`
  expect((await asPerson(person.session.access_token, 'GET', path)).status).toBe(200)
  expect((await asPerson(other.session.access_token, 'GET', path)).status).toBe(404)
  expect((await asPerson(other.session.access_token, 'POST', `${path}/consent`, { action: 'approve' })).status).toBe(404)
  const nothing = await asPerson(person.session.access_token, 'POST', `${path}/consent`, { action: 'approve', scopes: [] })
  expect([nothing.status, nothing.body.redirect_url]).toEqual([400, undefined])
  const made = await asPerson(person.session.access_token, 'POST', '/functions/v1/ai-key-create', { name: 'Mine', scopes: ['all'] })
  expect((await asPerson(made.body.key, 'POST', `${path}/consent`, { action: 'approve' })).status).toBe(403)
  const app = (await redeem(await consented(person))).body
  expect((await asPerson(app.access_token, 'POST', `${path}/consent`, { action: 'approve' })).status).toBe(403)
  const denied = await asPerson(person.session.access_token, 'POST', `${path}/consent`, { action: 'deny' })
  expect(new URL(denied.body.redirect_url).searchParams.get('error')).toBe('access_denied')
  expect((await asPerson(person.session.access_token, 'POST', `${path}/consent`, { action: 'approve' })).status).toBe(404)
})

test('connected apps are listed, and end by the person, by the app and when the account is taken back', async () => {
  const person = await signedUp(platform)
  const bearer = person.session.access_token
  const [one, two, three] = [await consented(person), await consented(person), await consented(person)]
  const [first, second, third] = [(await redeem(one)).body, (await redeem(two)).body, (await redeem(three)).body]
  const list = async () => (await asPerson(bearer, 'GET', '/auth/v1/user/oauth/grants')).body.map((grant: any) => grant.client.id)
  expect((await list()).sort()).toEqual([one.client_id, two.client_id, three.client_id].sort())
  expect((await asPerson(bearer, 'DELETE', `/auth/v1/user/oauth/grants?client_id=${one.client_id}`)).status).toBe(204)
  expect((await useAt(first.access_token)).status).toBe(401)
  await fetch(at('/auth/v1/oauth/revoke'), { method: 'POST', body: new URLSearchParams({ token: second.refresh_token }) })
  expect((await useAt(second.access_token)).status).toBe(401)
  expect(await list()).toEqual([three.client_id])
  const { rt } = platform.services.identity!
  const ctx = Object.assign(rt.ctx(), { deps: { rt } }) as never
  await inTransaction(rt.db, (trx) => resetAccess(trx as never, ctx, person.user.id, 'password_reset'))
  expect((await useAt(third.access_token)).status).toBe(401)
})

const db = () => platform.services.identity!.rt.db as any
