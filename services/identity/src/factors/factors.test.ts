import * as identity from '@operon/contracts/identity/events'
import { TokenVerifier, type Verification } from '@operon/kit/auth'
import { Secret, TOTP } from 'otpauth'
import { afterAll, expect, test, vi } from 'vitest'
import { newEmail, PASSWORD, signedUp, startIdentity } from '../testing/platform.ts'

// One a try.
const staffEmails = [newEmail('staff'), newEmail('staff')]
const platform = await startIdentity({ AUTH_STAFF_EMAILS: staffEmails.join(',') })
afterAll(() => platform.close())

const codeAt = (secret: string, steps = 0) =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: Date.now() + steps * 30_000 })
const enrolled = async (email?: string) => {
  const account = await signedUp(platform, email)
  const { data } = await account.client.auth.mfa.enroll({ factorType: 'totp', friendlyName: 'Phone' })
  const factor = data as { id: string; totp: { secret: string; qr_code: string; uri: string } }
  return { ...account, factor, secret: factor.totp.secret }
}

test('a second factor is enrolled with a QR code and lifts the session to aal2 [spec-29] [spec-32]', async () => {
  const { client, factor, secret, email } = await enrolled()
  expect(factor.totp.qr_code).toMatch(/^data:image\/svg\+xml;utf-8,<svg/)
  expect(factor.totp.uri).toContain('otpauth://totp/')
  const other = platform.client()
  await other.auth.signInWithPassword({ email, password: PASSWORD })
  const events: string[] = []
  client.auth.onAuthStateChange((event) => void events.push(event))
  expect((await client.auth.mfa.challengeAndVerify({ factorId: factor.id, code: codeAt(secret) })).error).toBeNull()
  expect((await client.auth.mfa.getAuthenticatorAssuranceLevel()).data).toMatchObject({ currentLevel: 'aal2', nextLevel: 'aal2' })
  await vi.waitFor(() => expect(events).toContain('MFA_CHALLENGE_VERIFIED'))
  expect((await other.auth.refreshSession()).error).not.toBeNull()
  const { data } = await client.auth.getClaims()
  expect(data?.claims).toMatchObject({ aal: 'aal2', mfa: true })
  expect((data!.claims.amr as unknown as { method: string }[]).map(({ method }) => method)).toEqual(['totp', 'password'])
})

test('a code counts once, a wrong one and one of another account not at all', async () => {
  const { client, factor, secret } = await enrolled()
  const wrong = codeAt(secret) === '123456' ? '654321' : '123456'
  expect((await client.auth.mfa.challengeAndVerify({ factorId: factor.id, code: wrong })).error).toMatchObject({
    status: 422,
    code: 'mfa_verification_failed',
  })
  const code = codeAt(secret)
  expect((await client.auth.mfa.challengeAndVerify({ factorId: factor.id, code })).error).toBeNull()
  expect((await client.auth.mfa.challengeAndVerify({ factorId: factor.id, code })).error).toMatchObject({ code: 'mfa_verification_failed' })
  const stranger = (await signedUp(platform)).client
  expect((await stranger.auth.mfa.challenge({ factorId: factor.id })).error).toMatchObject({ status: 404, code: 'mfa_factor_not_found' })
})

test('a challenge is answered from the address that asked for it', async () => {
  const { client, factor, secret } = await enrolled()
  const { data } = await client.auth.mfa.challenge({ factorId: factor.id })
  const answer = async () => (await client.auth.mfa.verify({ factorId: factor.id, challengeId: data!.id, code: codeAt(secret) })).error
  const { db } = platform.services.identity!.rt
  const from = (ip: string) => db.updateTable('factor_challenges').set({ ip }).where('id', '=', data!.id).returning('ip').execute()
  const { ip } = await db.selectFrom('factor_challenges').select('ip').where('id', '=', data!.id).executeTakeFirstOrThrow()
  await from('198.51.100.9')
  expect(await answer()).toMatchObject({ status: 422, code: 'mfa_ip_address_mismatch' })
  await from(ip)
  expect(await answer()).toBeNull()
})

test('with a factor, a password alone reaches the user record, the factor and sign-out, and nothing else [spec-32]', async () => {
  const { client, factor, secret, email } = await enrolled()
  await client.auth.mfa.challengeAndVerify({ factorId: factor.id, code: codeAt(secret) })
  const weak = platform.client()
  await weak.auth.signInWithPassword({ email, password: PASSWORD })
  expect((await weak.auth.mfa.getAuthenticatorAssuranceLevel()).data).toMatchObject({ currentLevel: 'aal1', nextLevel: 'aal2' })
  const refused = { status: 403, code: 'insufficient_aal' }
  expect((await weak.auth.updateUser({ password: 'Brand-new-secret1' })).error).toMatchObject(refused)
  expect((await weak.auth.updateUser({ data: { name: 'Another' } })).error).toMatchObject(refused)
  const [own] = (await weak.auth.getUserIdentities()).data!.identities
  expect((await weak.auth.unlinkIdentity(own!)).error).toMatchObject(refused)
  expect((await weak.auth.linkIdentity({ provider: 'github' })).error).toMatchObject(refused)
  expect((await weak.auth.mfa.unenroll({ factorId: factor.id })).error).toMatchObject(refused)
  expect((await weak.auth.reauthenticate()).error).toMatchObject(refused)
  for (const name of ['account-export', 'account-sessions', 'account-audit']) {
    const { error } = await weak.functions.invoke(name, { body: {} })
    expect(await error?.context.json()).toMatchObject(refused)
  }
  expect(await weak.from('user_roles').select()).toMatchObject({
    status: 403,
    error: { code: 'insufficient_aal', details: null, hint: null },
  })
  expect((await weak.auth.getUser()).error).toBeNull()
  expect((await weak.auth.refreshSession()).error).toBeNull()
  expect((await client.functions.invoke('account-export', { body: {} })).error).toBeNull()
  expect((await client.auth.mfa.unenroll({ factorId: factor.id })).error).toBeNull()
})

test('a session without the factor signs itself out and no other', async () => {
  const { client, factor, secret, email } = await enrolled()
  await client.auth.mfa.challengeAndVerify({ factorId: factor.id, code: codeAt(secret) })
  const signIn = async () => {
    const weak = platform.client()
    await weak.auth.signInWithPassword({ email, password: PASSWORD })
    return weak
  }
  const [weak, other] = [await signIn(), await signIn()]
  const { access_token } = (await weak.auth.getSession()).data.session!
  const signOut = (scope: string) =>
    fetch(`${platform.base}/auth/v1/logout?scope=${scope}`, { method: 'POST', headers: { authorization: `Bearer ${access_token}` } })
  expect((await signOut('others')).status).toBe(403)
  expect((await signOut('global')).status).toBe(204)
  expect((await signOut('global')).status).toBe(403)
  for (const kept of [client, other]) expect((await kept.auth.refreshSession()).error).toBeNull()
})

test('a first factor ends the token that its own session had before, here and for a verifier that starts later', async () => {
  const { client, factor, secret } = await enrolled()
  const before = (await client.auth.getSession()).data.session!.access_token
  const asked = async (token: string) =>
    (await fetch(`${platform.base}/auth/v1/user`, { headers: { authorization: `Bearer ${token}` } })).status
  expect(await asked(before)).toBe(200)
  await client.auth.mfa.challengeAndVerify({ factorId: factor.id, code: codeAt(secret) })
  expect(await asked(before)).toBe(403)
  expect(await asked((await client.auth.getSession()).data.session!.access_token)).toBe(200)
  const { rt } = platform.services.identity!
  const late = new TokenVerifier({ load: () => rt.ask(identity.verification, {}) as Promise<Verification>, publishableKeys: [] })
  await expect(late.verify(before)).rejects.toMatchObject({ code: 'not_authenticated' })
})

test('staff who have a second factor are staff only with it [spec-32] [spec-36]', async () => {
  const { client, factor, secret, email, user } = await enrolled(staffEmails.pop())
  await platform.admin().auth.admin.updateUserById(user.id, { email_confirm: true })
  const asked = async (as: typeof client) => {
    const { error } = await as.functions.invoke('account-erasures', { body: {} })
    return error ? ((await error.context.json()) as { status: number; code: string }) : null
  }
  await client.auth.mfa.challengeAndVerify({ factorId: factor.id, code: codeAt(secret) })
  const weak = platform.client()
  await weak.auth.signInWithPassword({ email, password: PASSWORD })
  expect((await weak.auth.getClaims()).data?.claims).toMatchObject({ aal: 'aal1', mfa: true, app_metadata: { staff: true } })
  expect(await asked(weak)).toMatchObject({ status: 403, code: 'insufficient_aal' })
  expect(await asked(client)).toBeNull()
  // The next code, since each counts once.
  expect((await weak.auth.mfa.challengeAndVerify({ factorId: factor.id, code: codeAt(secret, 1) })).error).toBeNull()
  expect(await asked(weak)).toBeNull()
})

test('where staff need a second factor, the token says so until they have one, and only then are they staff [spec-36]', async () => {
  const email = newEmail('staff')
  const strict = await startIdentity({ AUTH_STAFF_EMAILS: email, AUTH_STAFF_SECOND_FACTOR: 'true' })
  try {
    const { client, user } = await signedUp(strict, email)
    await strict.admin().auth.admin.updateUserById(user.id, { email_confirm: true, app_metadata: { staff: true } })
    const { data } = await client.auth.refreshSession()
    expect(data.user?.app_metadata).toMatchObject({ staff_needs: 'second_factor' })
    expect(data.user?.app_metadata).not.toHaveProperty('staff')
    const asked = async () => (await client.functions.invoke('account-erasures', { body: {} })).error?.context.status ?? 200
    expect(await asked()).toBe(403)
    const factor = (await client.auth.mfa.enroll({ factorType: 'totp' })).data as { id: string; totp: { secret: string } }
    expect((await client.auth.mfa.challengeAndVerify({ factorId: factor.id, code: codeAt(factor.totp.secret) })).error).toBeNull()
    expect((await client.auth.getClaims()).data?.claims.app_metadata).toMatchObject({ staff: true })
    expect(await asked()).toBe(200)
  } finally {
    await strict.close()
  }
})

test('recovery codes are shown once, stand in for the factor, and work once each [spec-32]', async () => {
  const { client, factor, secret, email, user } = await enrolled()
  await client.auth.mfa.challengeAndVerify({ factorId: factor.id, code: codeAt(secret) })
  const { data } = await client.functions.invoke('account-recovery-codes', { body: {} })
  expect(new Set(data.codes).size).toBe(10)
  const kept = await platform.services.identity!.rt.db.selectFrom('recovery_codes').selectAll().where('user_id', '=', user.id).execute()
  expect(JSON.stringify(kept)).not.toContain(data.codes[0])
  const weak = platform.client()
  await weak.auth.signInWithPassword({ email, password: PASSWORD })
  const used = await weak.functions.invoke('account-recovery-use', { body: { code: data.codes[0].toUpperCase() } })
  await weak.auth.setSession(used.data)
  expect((await weak.auth.mfa.getAuthenticatorAssuranceLevel()).data?.currentLevel).toBe('aal2')
  const again = await client.functions.invoke('account-recovery-use', { body: { code: data.codes[0] } })
  expect(again.error?.context.status).toBe(422)
})
