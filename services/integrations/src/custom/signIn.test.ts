import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { update } from '@operon/kit/testing/rows'
import { startTestPlatform, type TestUser } from '@operon/kit/testing/service'
import { afterAll, expect, test } from 'vitest'
import { integrationsService } from '../service.ts'

/** An API whose tokens rotate and which wants a sign-in with PKCE. */
const codes = new Map<string, { challenge: string; redirect: string }>()
let access = 'none'
let refresh = 'none'
let refreshed = 0
const asked: { form: Record<string, string>; authorization: string | undefined }[] = []
const server = createServer(async (request, response) => {
  let body = ''
  for await (const chunk of request) body += chunk
  const say = (status: number, answer: object) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
  if (request.url !== '/token') return say(request.headers.authorization === `Bearer ${access}` ? 200 : 401, { ok: true })
  const form = Object.fromEntries(new URLSearchParams(body))
  asked.push({ form, authorization: request.headers.authorization })
  const code = codes.get(form.code ?? '')
  codes.delete(form.code ?? '')
  const proven =
    code &&
    createHash('sha256')
      .update(form.code_verifier ?? '')
      .digest('base64url') === code.challenge
  if (form.grant_type === 'authorization_code' ? !proven || code.redirect !== form.redirect_uri : form.refresh_token !== refresh)
    return say(400, { error: 'invalid_grant' })
  if (form.grant_type === 'refresh_token') refreshed++
  access = `access-${asked.length}`
  refresh = `refresh-${asked.length}`
  return say(200, { access_token: access, refresh_token: refresh, expires_in: 3600 })
})

let at = ''
const platform = await startTestPlatform([integrationsService])
await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
at = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
afterAll(async () => {
  server.close()
  await platform.close()
})

const call = (user: TestUser, name: string, body: object) => platform.call(name, user, body, { 'idempotency-key': crypto.randomUUID() })
async function added(user: TestUser, more: object = {}) {
  const client = { client_id: 'us', token_url: `${at}/token`, authorize_url: `${at}/authorize?tenant=7`, scope: 'read write' }
  const { status, body } = await call(user, 'connect-custom-api', { name: 'Books', base: at, auth: 'signin', ...client, ...more })
  expect([status, body.message]).toEqual([200, undefined])
  return body.connection_id as string
}
/** As the API's page does once the person presses Approve there. */
async function approved(user: TestUser, connection_id: string) {
  const url = new URL((await call(user, 'begin-custom-sign-in', { connection_id })).body.auth_url)
  const code = crypto.randomUUID()
  codes.set(code, { challenge: url.searchParams.get('code_challenge')!, redirect: url.searchParams.get('redirect_uri')! })
  return { url, answer: { state: url.searchParams.get('state')!, code } }
}
const read = (user: TestUser, connection_id: string) =>
  call(user, 'read-custom-api', { connection_id, operation: 'get', input: { path: 'items' } })
const stateOf = async (user: TestUser) => (await call(user, 'list-custom-apis', {})).body.apis[0].state

test('an API is signed in to with a code and a challenge, by the person who began it, once', async () => {
  const [ann, eve] = [platform.user(), platform.user()]
  const id = await added(ann, { key: 'a-secret' })
  expect([await stateOf(ann), (await read(ann, id)).body.code]).toEqual(['broken', 'connection_broken'])
  const { url, answer } = await approved(ann, id)
  expect(Object.fromEntries(url.searchParams)).toMatchObject({
    ...{ tenant: '7', client_id: 'us', response_type: 'code', scope: 'read write', code_challenge_method: 'S256' },
    redirect_uri: 'http://localhost:8080/connect/custom',
  })
  expect(url.href).not.toContain('a-secret')
  expect((await call(eve, 'finish-custom-sign-in', answer)).body.code).toBe('connection_attempt')
  // A state of an API is none of an app's.
  expect((await call(ann, 'finish-connection', answer)).body.code).toBe('connection_attempt')
  expect((await call(ann, 'finish-custom-sign-in', answer)).body).toEqual({ connection_id: id, name: 'Books' })
  expect((await call(ann, 'finish-custom-sign-in', answer)).body.code).toBe('connection_attempt')
  expect(asked.at(-1)!.authorization).toBe(`Basic ${Buffer.from('us:a-secret').toString('base64')}`)
  expect([await stateOf(ann), (await read(ann, id)).status]).toEqual(['connected', 200])
  expect((await call(eve, 'begin-custom-sign-in', { connection_id: id })).body.code).toBe('app_not_connected')
  const denied = await approved(ann, id)
  expect((await call(ann, 'finish-custom-sign-in', { state: denied.answer.state, error: 'access_denied' })).body.code).toBe(
    'connection_denied',
  )
  expect(await stateOf(ann)).toBe('connected')
})

test('its token is renewed once for many calls, the rotated one is kept, and an ended access is told', async () => {
  const user = platform.user()
  // A client without a secret says its id instead.
  const id = await added(user)
  await call(user, 'finish-custom-sign-in', (await approved(user, id)).answer)
  expect(asked.at(-1)).toMatchObject({ authorization: undefined, form: { client_id: 'us' } })
  const { db } = platform.services.integrations!.rt as any
  const age = () => update(db, 'connections', { id }, { expires_at: new Date(Date.now() - 1000) })
  for (const round of [1, 2]) {
    await age()
    await db.deleteFrom('rate_buckets').where('connection_id', '=', id).execute()
    const before = refreshed
    const answers = await Promise.all(Array.from({ length: 5 }, () => read(user, id)))
    expect([round, answers.map(({ status }) => status), refreshed - before]).toEqual([round, [200, 200, 200, 200, 200], 1])
  }
  refresh = 'revoked'
  await age()
  expect((await read(user, id)).body.code).toBe('connection_broken')
  expect(await stateOf(user)).toBe('broken')
  await call(user, 'finish-custom-sign-in', (await approved(user, id)).answer)
  expect((await read(user, id)).status).toBe(200)
})
