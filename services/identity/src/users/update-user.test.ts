import { insert } from '@operon/kit/testing/rows'
import { afterAll, expect, test } from 'vitest'
import { click, hashOf, linkIn, newEmail, PASSWORD, signedUp, startWithSandbox } from '../testing/platform.ts'

const NEXT = 'N3xt-horse-battery'
const platform = await startWithSandbox()
afterAll(() => platform.close())

const db = () => platform.services.identity!.rt.db
const rowOf = (id: string) => db().selectFrom('users').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
const put = async (token: string, body: object) => {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const answer = await fetch(`${platform.base}/auth/v1/user`, { method: 'PUT', headers, body: JSON.stringify(body) })
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
}

test('nobody sets what only the service key sets', async () => {
  const { user, session } = await signedUp(platform)
  expect(await put(session.access_token, { app_metadata: { staff: true } })).toMatchObject({
    status: 403,
    body: { error_code: 'not_admin' },
  })
  expect((await rowOf(user.id)).app_metadata).toEqual({ provider: 'email', providers: ['email'] })
})

test('a guest has no password without an address, and an address of theirs is taken at once where the instance confirms by itself, unproven', async () => {
  const guest = platform.client()
  const { data } = await guest.auth.signInAnonymously()
  expect((await guest.auth.updateUser({ password: PASSWORD })).error).toMatchObject({ code: 'validation_failed', status: 422 })
  expect(await rowOf(data.user!.id)).toMatchObject({ password_hash: null, is_anonymous: true })
  const email = newEmail('guest')
  expect((await guest.auth.updateUser({ email })).error).toBeNull()
  expect(await rowOf(data.user!.id)).toMatchObject({ email, email_proven: false, is_anonymous: false, email_change: null })
})

test('an account moves to another address only once both have agreed, whatever the instance confirms by itself', async () => {
  const { client, user, email } = await signedUp(platform)
  const next = newEmail('next')
  expect((await client.auth.updateUser({ email: next })).error).toBeNull()
  expect(await rowOf(user.id)).toMatchObject({ email, email_change: next })
  await click(platform, linkIn(await platform.mail(next, /new email/)))
  expect(await rowOf(user.id)).toMatchObject({ email })
  await click(platform, linkIn(await platform.mail(email, /Confirm the change/)))
  expect(await rowOf(user.id)).toMatchObject({ email: next })
})

test('a new password keeps the rule of the sign-up page, and is not one of the account itself [spec-22]', async () => {
  const { client, user } = await signedUp(platform)
  const before = (await rowOf(user.id)).password_hash
  for (const password of ['short', 'Sunnyday42!', `${newEmail('x').split('@')[0]}`, user.email!])
    expect((await client.auth.updateUser({ password })).error, password).toMatchObject({ status: 422, code: 'weak_password' })
  expect((await rowOf(user.id)).password_hash).toBe(before)
})

test('a second factor that the token has not heard of yet guards a reset as well', async () => {
  const { user, email } = await signedUp(platform)
  await platform.client().auth.resetPasswordForEmail(email)
  const { access_token } = hashOf(await click(platform, linkIn(await platform.mail(email, /password/i)))) as { access_token: string }
  const before = (await rowOf(user.id)).password_hash
  const factor = { id: crypto.randomUUID(), user_id: user.id, factor_type: 'totp', friendly_name: 'Phone', sealed_secret: 'sealed' }
  await insert(db(), 'factors', { ...factor, status: 'verified' })
  expect(await put(access_token, { password: NEXT })).toEqual({
    status: 401,
    body: expect.objectContaining({ error_code: 'insufficient_aal' }),
  })
  expect((await rowOf(user.id)).password_hash).toBe(before)
})

test('a changed password ends the recovery letter that waited', async () => {
  const { client, user, email } = await signedUp(platform)
  await platform.client().auth.resetPasswordForEmail(email)
  const link = linkIn(await platform.mail(email, /password/i))
  expect((await client.auth.updateUser({ password: NEXT })).error).toBeNull()
  expect(hashOf(await click(platform, link))).toMatchObject({ error_code: 'otp_expired' })
  expect((await rowOf(user.id)).email).toBe(email)
})

test('a challenge of a flow has the length that its verifier may have', async () => {
  const { session } = await signedUp(platform)
  for (const length of [42, 129])
    expect(await put(session.access_token, { code_challenge: 'a'.repeat(length), code_challenge_method: 's256' })).toMatchObject({
      status: 400,
      body: { error_code: 'validation_failed' },
    })
  expect((await put(session.access_token, { code_challenge: 'a'.repeat(43), code_challenge_method: 's256' })).status).toBe(200)
})
