import { PASSKEY_REMOVED } from '@operon/contracts/identity/words'
import { update } from '@operon/kit/testing/rows'
import { sql } from 'kysely'
import { Secret, TOTP } from 'otpauth'
import { afterAll, expect, test, vi } from 'vitest'
import { newAuthenticator } from '../testing/authenticator.ts'
import { click, hashOf, linkIn, SERVICE_KEY, signedUp, startWithSandbox } from '../testing/platform.ts'

const platform = await startWithSandbox({ AUTH_AUTOCONFIRM: 'true' })
afterAll(() => platform.close())

type Account = Awaited<ReturnType<typeof signedUp>>
type Client = Account['client']
const db = () => platform.services.identity!.rt.db
/** As the browser's part of the client, which needs a device, would. */
async function added({ client }: { client: Client }, device = newAuthenticator(), as: Parameters<typeof device.create>[1] = {}) {
  const { data, error } = await client.auth.passkey.startRegistration()
  if (error) return { device, data: null, error }
  const credential = device.create(data.options as never, as)
  return {
    device,
    challengeId: data.challenge_id,
    credential,
    ...(await client.auth.passkey.verifyRegistration({ challengeId: data.challenge_id, credential: credential as never })),
  }
}
async function arrive(device: ReturnType<typeof newAuthenticator>, as: Parameters<typeof device.get>[1] = {}) {
  const client = platform.client()
  const { data } = await client.auth.passkey.startAuthentication()
  const credential = device.get(data!.options as never, as)
  const answered = { challengeId: data!.challenge_id, credential: credential as never }
  return { client, answered, ...(await client.auth.passkey.verifyAuthentication(answered)) }
}
const age = (userId: string) =>
  update(
    db(),
    'sessions',
    { user_id: userId },
    { amr: JSON.stringify([{ method: 'password', timestamp: Math.floor(Date.now() / 1000) - 3600 }]) as never },
  )
const opened = new Set<string>()
/** The newest letter that no test has opened yet. */
const unread = (email: string, subject: RegExp) =>
  vi.waitFor(async () => {
    const letter = (await platform.mails(email)).find((each) => subject.test(each.subject) && !opened.has(each.id))
    if (!letter) throw new Error(`no letter to ${email}`)
    opened.add(letter.id)
    return letter
  }, 5000)
const factorOn = async ({ client }: { client: Client }) => {
  const { data } = await client.auth.mfa.enroll({ factorType: 'totp' })
  const factor = data as { id: string; totp: { secret: string } }
  const code = new TOTP({ secret: Secret.fromBase32(factor.totp.secret) }).generate()
  expect((await client.auth.mfa.challengeAndVerify({ factorId: factor.id, code })).error).toBeNull()
}

test('a passkey signs in without a password, is listed, named and removed, and the owner is told', async () => {
  const account = await signedUp(platform)
  const { device, data: passkey } = await added(account)
  expect(passkey).toMatchObject({ friendly_name: 'Passkey' })
  const { data, error } = await arrive(device)
  expect(error).toBeNull()
  expect(data!.user!.id).toBe(account.user.id)
  const { client } = account
  expect((await client.auth.passkey.update({ passkeyId: passkey!.id, friendlyName: 'Laptop' })).data).toMatchObject({
    friendly_name: 'Laptop',
  })
  expect((await client.auth.passkey.list()).data).toEqual([
    expect.objectContaining({ friendly_name: 'Laptop', last_used_at: expect.any(String) }),
  ])
  expect((await client.auth.passkey.delete({ passkeyId: passkey!.id })).error).toBeNull()
  expect((await arrive(device)).error).toMatchObject({ code: 'webauthn_verification_failed' })
  expect((await platform.mail(account.email, /passkey was added/)).text).toContain('forgot-password')
  expect((await platform.mail(account.email, /passkey was removed/)).text).toContain('Laptop')
})

test('a guest, who has nothing to prove, adds no passkey', async () => {
  const client = platform.client()
  expect((await client.auth.signInAnonymously()).error).toBeNull()
  expect((await added({ client })).error).toMatchObject({ status: 403, code: 'no_authorization' })
})

test('an answer counts once, from this origin, by a device that checked its holder and counts on', async () => {
  const account = await signedUp(platform)
  const { device } = await added(account)
  const first = await arrive(device, { counter: 5 })
  expect(first.error).toBeNull()
  expect((await platform.client().auth.passkey.verifyAuthentication(first.answered)).error).toMatchObject({
    code: 'webauthn_challenge_not_found',
  })
  for (const as of [{ origin: 'https://evil.example' }, { verified: false, counter: 9 }, { counter: 5 }, { counter: 3 }])
    expect((await arrive(device, as)).error, JSON.stringify(as)).toMatchObject({ code: 'webauthn_verification_failed' })
  expect((await arrive(newAuthenticator())).error).toMatchObject({ code: 'webauthn_verification_failed' })
  expect((await arrive(device, { counter: 6 })).error).toBeNull()
  const late = await platform.client().auth.passkey.startAuthentication()
  await update(db(), 'passkey_challenges', { id: late.data!.challenge_id }, { expires_at: new Date(0) })
  const credential = device.get(late.data!.options as never) as never
  expect(
    (await platform.client().auth.passkey.verifyAuthentication({ challengeId: late.data!.challenge_id, credential })).error,
  ).toMatchObject({
    code: 'webauthn_challenge_expired',
  })
})

test('a device and a copy of it answer at the same moment: one of them signs in', async () => {
  const account = await signedUp(platform)
  const { device } = await added(account)
  expect((await arrive(device, { counter: 5 })).error).toBeNull()
  // Both have read the count before either may write its own.
  const answers = await db()
    .transaction()
    .execute(async (trx) => {
      await trx.selectFrom('passkeys').select('id').where('user_id', '=', account.user.id).forUpdate().execute()
      const both = [arrive(device, { counter: 6 }), arrive(device, { counter: 6 })]
      const waiting = sql<{ count: number }>`
        select count(*)::int as count from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
      await expect.poll(async () => (await waiting.execute(trx)).rows[0]!.count, { timeout: 10_000 }).toBe(2)
      return { both }
    })
  const errors = (await Promise.all(answers.both)).map(({ error }) => error?.code ?? 'in')
  expect(errors.toSorted()).toEqual(['in', 'webauthn_verification_failed'])
})

test('the key of a device belongs to one account', async () => {
  const [owner, other] = [await signedUp(platform), await signedUp(platform)]
  const { device } = await added(owner)
  expect((await added(other, device)).error).toMatchObject({ status: 422, code: 'webauthn_credential_exists' })
  expect((await arrive(device)).data!.user!.id).toBe(owner.user.id)
})

test('adding and removing ask for a fresh proof, and nobody touches the passkey of another', async () => {
  const [account, other] = [await signedUp(platform), await signedUp(platform)]
  const mine = await added(account)
  // One account cannot finish a ceremony that another began.
  const begun = await account.client.auth.passkey.startRegistration()
  const credential = newAuthenticator().create(begun.data!.options as never) as never
  expect((await other.client.auth.passkey.verifyRegistration({ challengeId: begun.data!.challenge_id, credential })).error).toMatchObject({
    code: 'webauthn_challenge_not_found',
  })
  expect((await added(account, newAuthenticator(), { origin: 'https://evil.example' })).error).toMatchObject({
    code: 'webauthn_verification_failed',
  })
  expect((await added(account, newAuthenticator(), { verified: false })).error).toMatchObject({ code: 'webauthn_verification_failed' })
  const place = { passkeyId: mine.data!.id }
  expect((await other.client.auth.passkey.update({ ...place, friendlyName: 'Mine' })).error).toMatchObject({ status: 404 })
  expect((await other.client.auth.passkey.delete(place)).error).toMatchObject({ status: 404 })
  expect((await other.client.auth.passkey.list()).data).toEqual([])
  const waiting = await account.client.auth.passkey.startRegistration()
  await age(account.user.id)
  const { passkey } = account.client.auth
  expect((await passkey.startRegistration()).error).toMatchObject({ code: 'reauthentication_needed' })
  const late = newAuthenticator().create(waiting.data!.options as never) as never
  expect((await passkey.verifyRegistration({ challengeId: waiting.data!.challenge_id, credential: late })).error).toMatchObject({
    code: 'reauthentication_needed',
  })
  expect((await account.client.auth.passkey.delete(place)).error).toMatchObject({ code: 'reauthentication_needed' })
})

test('a passkey stands in for a second factor only where it was added with one', async () => {
  const account = await signedUp(platform)
  const before = await added(account)
  await factorOn(account)
  const after = await added(account)
  const claims = async ({ client }: { client: Client }) => (await client.auth.getClaims()).data!.claims
  expect(await claims(await arrive(before.device))).toMatchObject({ aal: 'aal1', mfa: true })
  expect(await claims(await arrive(after.device))).toMatchObject({ aal: 'aal2', mfa: true, amr: [{ method: 'passkey' }] })
  const half = await arrive(before.device)
  expect((await half.client.auth.passkey.list()).error).toMatchObject({ code: 'insufficient_aal' })
})

test('the service key lists and removes a passkey of its user, and of nobody else; the owner is told', async () => {
  const [owner, other] = [await signedUp(platform), await signedUp(platform)]
  const key = await added(owner)
  const [passkey] = (await owner.client.auth.passkey.list()).data!
  const ask = async (method: string, user: string, rest = '') => {
    const headers = { authorization: `Bearer ${SERVICE_KEY}` }
    const response = await fetch(`${platform.base}/auth/v1/admin/users/${user}/passkeys${rest}`, { method, headers })
    return { status: response.status, body: await response.json() }
  }
  expect(await ask('GET', owner.user.id)).toMatchObject({ status: 200, body: [{ id: passkey!.id }] })
  expect(await ask('DELETE', other.user.id, `/${passkey!.id}`)).toMatchObject({ status: 404 })
  expect((await arrive(key.device)).error).toBeNull()
  expect((await ask('DELETE', owner.user.id, `/${passkey!.id}`)).status).toBe(200)
  expect((await arrive(key.device)).error).toMatchObject({ code: 'webauthn_verification_failed', message: PASSKEY_REMOVED })
  await platform.mail(owner.email, /passkey was removed/i)
})

test('a password that was reset by mail leaves no passkey behind: neither the first time, which proves the address, nor later', async () => {
  const { device } = await added(await signedUp(platform))
  const owner = await signedUp(platform)
  let { client } = owner
  for (const time of ['first', 'second']) {
    const key = await added({ client })
    await platform.client().auth.resetPasswordForEmail(owner.email)
    const arrived = await click(platform, linkIn(await unread(owner.email, /[Rr]eset/)))
    client = platform.client()
    expect((await client.auth.setSession(hashOf(arrived) as never)).error, time).toBeNull()
    expect((await client.auth.updateUser({ password: `An0ther-horse-${time}` })).error).toBeNull()
    expect((await arrive(key.device)).error, time).toMatchObject({ code: 'webauthn_verification_failed' })
  }
  expect((await arrive(device)).error).toBeNull()
})

test('the first proof of an address ends its passkeys, also where there is no password or session left to end', async () => {
  const account = await signedUp(platform)
  const { device } = await added(account)
  await update(db(), 'users', { id: account.user.id }, { password_hash: null })
  await db().deleteFrom('sessions').where('user_id', '=', account.user.id).execute()
  await platform.client().auth.signInWithOtp({ email: account.email, options: { shouldCreateUser: false } })
  expect(hashOf(await click(platform, linkIn(await platform.mail(account.email, /sign-in link/)))).access_token).toBeTruthy()
  expect((await arrive(device)).error).toMatchObject({ code: 'webauthn_verification_failed' })
})

test('an account has twenty passkeys at most', async () => {
  const account = await signedUp(platform)
  await added(account)
  await sql`
    insert into passkeys (id, user_id, credential_id, public_key, counter, transports, friendly_name, aal)
    select gen_random_uuid(), user_id, credential_id || n, public_key, counter, transports, friendly_name, aal
    from passkeys, generate_series(2, 20) n where user_id = ${account.user.id}`.execute(db())
  expect((await added(account)).error).toMatchObject({ status: 422, code: 'too_many_passkeys' })
})
