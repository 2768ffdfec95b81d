import type { SupabaseClient } from '@supabase/supabase-js'
import { afterAll, expect, test } from 'vitest'
import { approve, click, codeIn, hashOf, linkIn, newEmail, PASSWORD, signedUp, startWithSandbox } from '../testing/platform.ts'

const staff = newEmail('staff')
const platform = await startWithSandbox({ AUTH_STAFF_EMAILS: staff })
afterAll(() => platform.close())

/** Connects a person at a provider to the account of a client. */
async function link({ auth }: SupabaseClient, provider: 'github' | 'google', person: { email: string; unverified?: boolean }) {
  const { data: own } = await auth.getSession()
  const response = await fetch(`${platform.base}/auth/v1/user/identities/authorize?provider=${provider}&skip_http_redirect=true`, {
    headers: { authorization: `Bearer ${own.session!.access_token}` },
  })
  const pair = response.headers.getSetCookie()[0]!.split(';')[0]!
  const cookies = { [pair.slice(0, pair.indexOf('='))]: pair.slice(pair.indexOf('=') + 1) }
  const { url } = (await response.json()) as { url: string }
  const { access_token = '', refresh_token = '' } = hashOf(await click(platform, await approve(platform, new URL(url), person), cookies))
  expect((await auth.setSession({ access_token, refresh_token })).error).toBeNull()
}

async function unlink({ auth }: SupabaseClient, provider: string) {
  const { identities } = (await auth.getUserIdentities()).data!
  return (await auth.unlinkIdentity(identities.find((each) => each.provider === provider)!)).error
}
const userOf = async ({ auth }: SupabaseClient) => (await auth.getUser()).data.user!
const signIn = async (email: string) => (await platform.client().auth.signInWithPassword({ email, password: PASSWORD })).error

test('who removes the sign-in of their address moves to the address that is left; both hear of it, and links sent before are worth nothing', async () => {
  const { client, email, user } = await signedUp(platform)
  const next = newEmail('gh')
  await link(client, 'github', { email: next })
  await platform.client().auth.resetPasswordForEmail(email)
  const recovery = linkIn(await platform.mail(email, /^Reset/))
  expect(await unlink(client, 'email')).toBeNull()
  expect(await userOf(client)).toMatchObject({ id: user.id, email: next, app_metadata: { provider: 'github', providers: ['github'] } })
  expect((await userOf(client)).email_confirmed_at).toBeTruthy()
  expect((await platform.mail(email, /sign-in was removed/)).text).toContain('your email and password')
  for (const address of [email, next]) expect((await platform.mail(address, /email was changed/)).text).toContain(`belongs to ${next}`)
  expect(hashOf(await click(platform, recovery))).toMatchObject({ error_code: 'otp_expired' })
  // The address is free, for whoever owns it now.
  expect((await signedUp(platform, email)).user.id).not.toBe(user.id)
})

test("an address that is somebody else's by now keeps the sign-in where it is", async () => {
  const { client, email } = await signedUp(platform)
  const { email: others } = await signedUp(platform)
  await link(client, 'github', { email: others })
  expect(await unlink(client, 'email')).toMatchObject({ status: 422, code: 'email_conflict_identity_not_deletable' })
  expect((await userOf(client)).email).toBe(email)
  expect(await signIn(email)).toBeNull()
})

test('an address that nobody has proven proves nothing after the move either', async () => {
  const { client } = await signedUp(platform)
  await link(client, 'github', { email: staff, unverified: true })
  expect(await unlink(client, 'email')).toBeNull()
  const { data } = await client.auth.refreshSession()
  expect(data.user?.email).toBe(staff)
  expect(data.user?.app_metadata).not.toHaveProperty('staff')
})

test('a verified address comes before one that is not, whenever it was connected', async () => {
  const { client } = await signedUp(platform)
  const verified = newEmail('google')
  await link(client, 'github', { email: newEmail('gh'), unverified: true })
  await link(client, 'google', { email: verified })
  expect(await unlink(client, 'email')).toBeNull()
  expect((await userOf(client)).email).toBe(verified)
})

test('an account with a phone number gives its adopted address back with the sign-in that brought it', async () => {
  const client = platform.client()
  const phone = `+1554${String(Date.now()).slice(-7)}`
  await client.auth.signInWithOtp({ phone })
  await client.auth.verifyOtp({ phone, token: codeIn(await platform.mail(phone)), type: 'sms' })
  const adopted = newEmail('google')
  await link(client, 'google', { email: adopted })
  expect((await userOf(client)).email).toBe(adopted)
  expect(await unlink(client, 'google')).toBeNull()
  const left = await userOf(client)
  expect(left).toMatchObject({ email: '', phone: phone.slice(1), app_metadata: { providers: ['phone'] } })
  expect(left.email_confirmed_at).toBeUndefined()
  expect((await platform.mail(adopted, /sign-in was removed/)).text).toContain('with Google')
})

test('of two that are removed at once the last one stays', async () => {
  const { client } = await signedUp(platform)
  await link(client, 'github', { email: newEmail('gh') })
  const refusals = (await Promise.all([unlink(client, 'email'), unlink(client, 'github')])).filter((error) => error !== null)
  expect(refusals).toMatchObject([{ code: 'single_identity_not_deletable' }])
  expect((await client.auth.getUserIdentities()).data?.identities).toHaveLength(1)
})
