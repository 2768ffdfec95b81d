import { afterAll, beforeAll, expect, test } from 'vitest'
import { click, hashOf, linkIn, newEmail, PASSWORD, signedUp, startWithSandbox, type WithSandbox } from '../testing/platform.ts'

const NEXT = 'N3xt-horse-battery'
let platform: WithSandbox
beforeAll(async () => {
  platform = await startWithSandbox()
})
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

test('a changed password ends the recovery letter that waited', async () => {
  const { client, user, email } = await signedUp(platform)
  await platform.client().auth.resetPasswordForEmail(email)
  const link = linkIn(await platform.mail(email, /password/i))
  expect((await client.auth.updateUser({ password: NEXT })).error).toBeNull()
  expect(hashOf(await click(platform, link))).toMatchObject({ error_code: 'otp_expired' })
  expect((await rowOf(user.id)).email).toBe(email)
})
