import { sql } from 'kysely'
import { afterAll, expect, test } from 'vitest'
import { newAuthenticator } from '../testing/authenticator.ts'
import { PASSWORD, signedUp, startIdentity } from '../testing/platform.ts'

const platform = await startIdentity()
afterAll(() => platform.close())

type Device = ReturnType<typeof newAuthenticator>
type As = Parameters<Device['get']>[1]
const home = 'http://localhost:8080'

/** The protocol's own calls: the client's need a browser. */
async function call(token: string, path: string, body: unknown = {}) {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const answer = await fetch(`${platform.base}/auth/v1${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
  return { status: answer.status, body: (await answer.json()) as any }
}
async function prove(token: string, factorId: string, device: Device, as: As = {}) {
  const { body } = await call(token, `/factors/${factorId}/challenge`, { webauthn: { rpId: 'evil.example', rpOrigins: [home] } })
  const { type, credential_options } = body.webauthn
  const credential_response =
    type === 'create' ? device.create(credential_options.publicKey, as) : device.get(credential_options.publicKey, as)
  const answer = { challenge_id: body.id, webauthn: { type, rpId: 'localhost', credential_response } }
  return { answer, type, ...(await call(token, `/factors/${factorId}/verify`, answer)) }
}
const refused = { status: 400, body: { error_code: 'webauthn_verification_failed' } }
async function enrolled() {
  const account = await signedUp(platform)
  const device = newAuthenticator()
  const begun = await call(account.session.access_token, '/factors', { factor_type: 'webauthn', friendly_name: 'Key' })
  expect(begun).toMatchObject({ status: 200, body: { type: 'webauthn' } })
  const done = await prove(account.session.access_token, begun.body.id, device)
  expect([done.type, done.status]).toEqual(['create', 200])
  const again = platform.client()
  const { data } = await again.auth.signInWithPassword({ email: account.email, password: PASSWORD })
  return { ...account, device, factorId: begun.body.id as string, half: data.session!.access_token }
}
const claimsOf = (token: string) => JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString())

test('a security key is a second factor: it lifts a session, and without it a password opens nothing', async () => {
  const { device, factorId, half } = await enrolled()
  expect(claimsOf(half)).toMatchObject({ aal: 'aal1', mfa: true })
  const { type, status, body } = await prove(half, factorId, device)
  expect([type, status]).toEqual(['request', 200])
  expect(claimsOf(body.access_token)).toMatchObject({ aal: 'aal2', amr: [{ method: 'mfa/webauthn' }, { method: 'password' }] })
  const listed = await fetch(`${platform.base}/auth/v1/user`, { headers: { authorization: `Bearer ${body.access_token}` } })
  const { factors } = (await listed.json()) as any
  expect(factors).toEqual([expect.objectContaining({ factor_type: 'webauthn', status: 'verified' })])
  expect(JSON.stringify(factors)).not.toContain('public_key')
})

test('another key, another origin, a copy of the device and an answer given before are refused', async () => {
  const { device, factorId, half } = await enrolled()
  expect(await prove(half, factorId, newAuthenticator())).toMatchObject(refused)
  expect(await prove(half, factorId, device, { id: 'AAAAAAAAAAAAAAAAAAAAAA' })).toMatchObject(refused)
  expect(await prove(half, factorId, device, { origin: 'https://evil.example' })).toMatchObject(refused)
  const once = await prove(half, factorId, device, { counter: 7 })
  expect(once.status).toBe(200)
  expect(await call(once.body.access_token, `/factors/${factorId}/verify`, once.answer)).toMatchObject({
    status: 422,
    body: { error_code: 'mfa_factor_not_found' },
  })
  expect(await prove(once.body.access_token, factorId, device, { counter: 7 })).toMatchObject(refused)
  expect(
    await call(once.body.access_token, `/factors/${factorId}/verify`, { challenge_id: once.answer.challenge_id, code: '123456' }),
  ).toMatchObject({
    status: 400,
  })
})

test('a new key whose own signature is wrong is refused', async () => {
  const { session } = await signedUp(platform)
  const { body } = await call(session.access_token, '/factors', { factor_type: 'webauthn', friendly_name: 'Key' })
  expect(await prove(session.access_token, body.id, newAuthenticator(), { forged: true })).toMatchObject(refused)
  expect(await prove(session.access_token, body.id, newAuthenticator())).toMatchObject({ status: 200 })
})

test('two answers at the same moment: a copy of the device comes too late, and a challenge counts once', async () => {
  const counting = await enrolled()
  // Both challenges are older than both answers, so only the count tells them apart.
  const errors = await atOnce(counting, { counter: 6 }, 2)
  expect(errors.toSorted()).toEqual(['in', 'webauthn_verification_failed'])
  // A device that does not count: the same answer twice.
  const silent = await enrolled()
  expect((await atOnce(silent, { counter: 0 }, 1)).toSorted()).toEqual(['in', 'mfa_factor_not_found'])
})

/** Two answers, to two challenges or to one. Both have read the key before either may write. */
async function atOnce({ half, factorId, device }: Awaited<ReturnType<typeof enrolled>>, as: As, challenges: 1 | 2): Promise<string[]> {
  const asked = [await call(half, `/factors/${factorId}/challenge`), await call(half, `/factors/${factorId}/challenge`)]
  const { db } = platform.services.identity!.rt
  const waiting = sql<{ count: number }>`
    select count(*)::int as count from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
  const both = await db.transaction().execute(async (trx) => {
    await trx.selectFrom('factors').select('id').where('id', '=', factorId).forUpdate().execute()
    const answers = [0, 1].map((at) => {
      const { id, webauthn } = asked[at % challenges]!.body
      const credential_response = device.get(webauthn.credential_options.publicKey, as)
      return call(half, `/factors/${factorId}/verify`, { challenge_id: id, webauthn: { type: 'request', credential_response } })
    })
    await expect.poll(async () => (await waiting.execute(trx)).rows[0]!.count, { timeout: 10_000 }).toBe(2)
    return { answers }
  })
  return (await Promise.all(both.answers)).map(({ body }) => body.error_code ?? 'in')
}

test('a browser is told which keys the account has, so that none is added twice', async () => {
  const { device, factorId, half } = await enrolled()
  const { answer, body } = await prove(half, factorId, device)
  const next = await call(body.access_token, '/factors', { factor_type: 'webauthn', friendly_name: 'Another' })
  const asked = await call(body.access_token, `/factors/${next.body.id}/challenge`)
  const { excludeCredentials } = asked.body.webauthn.credential_options.publicKey
  expect(excludeCredentials).toEqual([expect.objectContaining({ id: answer.webauthn.credential_response.id })])
})

test('the key of a stranger answers for nobody else', async () => {
  const [owner, stranger] = [await enrolled(), await enrolled()]
  const asked = await call(owner.half, `/factors/${stranger.factorId}/challenge`)
  expect(asked).toMatchObject({ status: 404, body: { error_code: 'mfa_factor_not_found' } })
  expect(await prove(owner.half, owner.factorId, stranger.device)).toMatchObject({ status: 400 })
})
