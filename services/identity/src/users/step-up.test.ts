import { update } from '@operon/kit/testing/rows'
import { Secret, TOTP } from 'otpauth'
import { afterAll, expect, test, vi } from 'vitest'
import { finishDueRecoveries, finishRecovery } from '../factors/recovery.ts'
import { click, codeIn, formIn, hashOf, linkIn, newEmail, PASSWORD, startWithSandbox, type WithSandbox } from '../testing/platform.ts'

const NEXT = 'Brand-new-secret1'
const platform = await startWithSandbox({ AUTH_AUTOCONFIRM: 'false' })
afterAll(() => platform.close())

const db = () => platform.services.identity!.rt.db
type Client = ReturnType<WithSandbox['client']>

async function confirmed() {
  const client = platform.client()
  const email = newEmail()
  await client.auth.signUp({ email, password: PASSWORD })
  const { data } = await client.auth.verifyOtp({ email, token: codeIn(await platform.mail(email, /^Confirm/)), type: 'email' })
  return { client, email, id: data.user!.id }
}
/** Signed in an hour ago: younger than a day, and no proof of anything now. */
const age = (userId: string) =>
  update(
    db(),
    'sessions',
    { user_id: userId },
    { amr: JSON.stringify([{ method: 'password', timestamp: Math.floor(Date.now() / 1000) - 3600 }]) },
  )
async function withFactor(client: Client) {
  const { data } = await client.auth.mfa.enroll({ factorType: 'totp', friendlyName: 'Phone' })
  const factor = data as { id: string; totp: { secret: string } }
  const code = new TOTP({ secret: Secret.fromBase32(factor.totp.secret) }).generate()
  expect((await client.auth.mfa.challengeAndVerify({ factorId: factor.id, code })).error).toBeNull()
  return factor
}
const call = async (client: Client, name: string, body: object = {}) => {
  const { data, error } = await client.functions.invoke(name, { body })
  return error ? ((await error.context.json()) as { code: string; message: string }) : data
}
/** Opens a reset letter, as the owner does. */
async function byRecovery(email: string) {
  await platform.client().auth.resetPasswordForEmail(email)
  const seen = new Set<string>()
  const hash = await vi.waitFor(async () => {
    const letters = (await platform.mails(email)).filter(({ id, subject }) => /^Reset/.test(subject) && !seen.has(id))
    expect(letters.length).toBeGreaterThan(0)
    return hashOf(await click(platform, linkIn(letters[0]!)))
  })
  const client = platform.client()
  await client.auth.setSession(hash as { access_token: string; refresh_token: string })
  return client
}

test('a wrong current password is refused, also right after signing in; the right one is a proof', async () => {
  const { client, email, id } = await confirmed()
  const change = (current_password: string) => client.auth.updateUser({ password: NEXT, current_password })
  expect((await change('Wr0ng-horse-battery')).error).toMatchObject({ status: 400, code: 'current_password_invalid' })
  expect((await platform.client().auth.signInWithPassword({ email, password: PASSWORD })).error).toBeNull()
  await age(id)
  expect((await change('Wr0ng-horse-battery')).error).toMatchObject({ code: 'current_password_invalid' })
  expect((await client.auth.updateUser({ password: NEXT })).error).toMatchObject({ status: 400, code: 'reauthentication_needed' })
  expect((await change(PASSWORD)).error).toBeNull()
})

test('a stolen session guesses the current password ten times in a quarter of an hour and no more, from wherever', async () => {
  const { client } = await confirmed()
  const { access_token } = (await client.auth.getSession()).data.session!
  const guess = (at: number) =>
    fetch(`${platform.base}/auth/v1/user`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${access_token}`, 'x-forwarded-for': `192.0.2.${at}` },
      body: JSON.stringify({ password: NEXT, current_password: `Wr0ng-guess-${at}` }),
    })
  const statuses = await Promise.all(Array.from({ length: 20 }, async (_, at) => (await guess(at)).status))
  expect(statuses.filter((status) => status === 400).length).toBeLessThanOrEqual(10)
  expect(statuses).toContain(429)
})

test('an hour-old session changes no password, address or number, adds no factor or sign-in, exports and deletes nothing', async () => {
  const { client, email, id } = await confirmed()
  await age(id)
  const needed = { status: 400, code: 'reauthentication_needed' }
  expect((await client.auth.updateUser({ password: NEXT })).error).toMatchObject(needed)
  expect((await client.auth.updateUser({ email: newEmail('next') })).error).toMatchObject(needed)
  expect((await client.auth.updateUser({ phone: '+15550100200' })).error).toMatchObject(needed)
  expect((await client.auth.mfa.enroll({ factorType: 'totp' })).error).toMatchObject(needed)
  expect((await client.auth.linkIdentity({ provider: 'github', options: { skipBrowserRedirect: true } })).error).toMatchObject(needed)
  for (const name of ['account-export', 'account-delete']) expect(await call(client, name)).toMatchObject({ code: 'aal2_required' })
  // A change that opens nothing goes through as before.
  expect((await client.auth.updateUser({ data: { name: 'Ada' } })).error).toBeNull()
  const again = await client.auth.signInWithPassword({ email, password: PASSWORD })
  expect(again.error).toBeNull()
  expect((await client.auth.mfa.enroll({ factorType: 'totp' })).error).toBeNull()
  expect(await call(client, 'account-delete')).toEqual({ deleted: true })
})

test('an hour-old second factor is no fresh proof: not for another one, its removal, codes, export or deletion', async () => {
  const { client, id } = await confirmed()
  const factor = await withFactor(client)
  await age(id)
  expect((await client.auth.mfa.unenroll({ factorId: factor.id })).error).toMatchObject({ code: 'reauthentication_needed' })
  expect((await client.auth.mfa.enroll({ factorType: 'totp' })).error).toMatchObject({ code: 'reauthentication_needed' })
  for (const name of ['account-recovery-codes', 'account-export', 'account-delete'])
    expect(await call(client, name)).toMatchObject({ code: 'aal2_required' })
})

test('the session of a recovery link is a proof for an hour, and a reset says that what was handed out ends', async () => {
  const { email, id } = await confirmed()
  const client = await byRecovery(email)
  expect((await client.auth.updateUser({ password: NEXT })).error).toBeNull()
  const told = await db()
    .selectFrom('outbox')
    .select('payload')
    .where('name', '=', 'identity.access_reset')
    .where('user_id', '=', id)
    .execute()
  expect(told).toEqual([{ payload: { reason: 'password_reset' } }])
})

test('a recovery session that is older than an hour is none any more', async () => {
  const { email, id } = await confirmed()
  const client = await byRecovery(email)
  const ago = (seconds: number) =>
    update(
      db(),
      'sessions',
      { user_id: id },
      { amr: JSON.stringify([{ method: 'recovery', timestamp: Math.floor(Date.now() / 1000) - seconds }]) },
    )
  await ago(3700)
  expect((await client.auth.updateUser({ password: NEXT })).error).toMatchObject({ code: 'reauthentication_needed' })
  await ago(3500)
  expect((await client.auth.updateUser({ password: NEXT })).error).toBeNull()
})

test("a thief's factor against the owner: the owner comes back by email, and the thief stops nothing", async () => {
  const { client: thief, email, id } = await confirmed()
  await withFactor(thief)
  const owner = await byRecovery(email)
  // The thief's session went with the recovery link; the password of then and the factor make a new one.
  expect((await thief.auth.refreshSession()).error).not.toBeNull()
  expect(await call(owner, 'account-factor-recovery')).toMatchObject({ open: null, may_begin: true, asks_password: true, hours: 72 })
  expect(await call(owner, 'account-factor-recovery-begin', {})).toMatchObject({ code: 'validation_failed' })
  expect(await call(owner, 'account-factor-recovery-begin', { password: NEXT })).toMatchObject({ due_at: expect.any(String) })
  expect((await platform.client().auth.signInWithPassword({ email, password: PASSWORD })).error?.code).toBe('invalid_credentials')

  // Another account knows nothing of it.
  expect(await call((await confirmed()).client, 'account-factor-recovery')).toMatchObject({ open: null })

  // Before its time nothing happens.
  const ctx = { db: db(), actor: { kind: 'anonymous' }, deps: { rt: platform.services.identity!.rt } } as never
  await finishDueRecoveries(ctx)
  const { id: recovery_id } = await db().selectFrom('factor_recoveries').select('id').where('user_id', '=', id).executeTakeFirstOrThrow()
  await finishRecovery(ctx, { payload: { recovery_id } } as never)
  expect(await db().selectFrom('factors').select('id').where('user_id', '=', id).execute()).toHaveLength(1)
  await update(db(), 'factor_recoveries', { user_id: id }, { due_at: new Date(Date.now() - 1000) })
  await finishDueRecoveries(ctx)
  expect(await db().selectFrom('factors').select('id').where('user_id', '=', id).execute()).toEqual([])
  const back = platform.client()
  expect((await back.auth.signInWithPassword({ email, password: NEXT })).error).toBeNull()
  expect((await back.auth.mfa.getAuthenticatorAssuranceLevel()).data).toMatchObject({ currentLevel: 'aal1', nextLevel: 'aal1' })
  for (const subject of [/Someone asked to remove/, /was removed/]) await platform.mail(email, subject)
})

test('a text message about the removal has the link that stops it only where the number is a month old', async () => {
  for (const [days, hasLink] of [
    [0, false],
    [31, true],
  ] as const) {
    const { client, email, id } = await confirmed()
    await withFactor(client)
    const phone = `+1555${String(Date.now()).slice(-6)}${hasLink ? 1 : 0}`
    await update(db(), 'users', { id }, { phone: phone.slice(1), phone_confirmed_at: new Date(Date.now() - days * 86_400_000) })
    expect(await call(await byRecovery(email), 'account-factor-recovery-begin', { password: NEXT })).toHaveProperty('due_at')
    const sent = await vi.waitFor(async () => {
      const found = (await platform.mails(phone)).find(({ text }) => /factor/i.test(text))
      expect(found).toBeDefined()
      return found!
    })
    expect(sent.text.includes('factor-recovery/stop')).toBe(hasLink)
  }
})

test('a young second factor does not stop its removal, and a password alone does not ask for it', async () => {
  const { client: thief, email, id } = await confirmed()
  await withFactor(thief)
  const half = platform.client()
  await half.auth.signInWithPassword({ email, password: PASSWORD })
  expect(await call(half, 'account-factor-recovery-begin', { password: NEXT })).toMatchObject({ code: 'recovery_link_needed' })
  const owner = await byRecovery(email)
  await call(owner, 'account-factor-recovery-begin', { password: NEXT })
  // The thief's best session: one that shows the young factor.
  await half.auth.signInWithPassword({ email, password: NEXT })
  await db().updateTable('sessions').set({ aal: 'aal2' }).where('user_id', '=', id).where('revoked_at', 'is', null).execute()
  expect(await call(half, 'account-factor-recovery')).toMatchObject({ open: { may_stop: false } })
  expect(await call(half, 'account-factor-recovery-stop')).toMatchObject({ code: 'recovery_not_stoppable' })
  expect(await call(owner, 'account-factor-recovery-stop')).toEqual({ stopped: true })
})

test('a thief of the mailbox against an owner whose factor is a month old: other sessions stay and stop it, and so does each link', async () => {
  const { client: owner, email, id } = await confirmed()
  await withFactor(owner)
  await update(db(), 'factors', { user_id: id }, { created_at: new Date(Date.now() - 31 * 86_400_000) })
  const thief = await byRecovery(email)
  expect((await owner.auth.refreshSession()).error).toBeNull()
  expect((await thief.auth.updateUser({ password: NEXT })).error).toMatchObject({ code: 'insufficient_aal' })
  expect(await call(thief, 'account-factor-recovery-begin', { password: NEXT })).toHaveProperty('due_at')
  expect((await platform.client().auth.signInWithPassword({ email, password: PASSWORD })).error).toBeNull()
  expect(await call(owner, 'account-factor-recovery')).toMatchObject({ open: { may_stop: true } })
  expect(await call(owner, 'account-factor-recovery-stop')).toEqual({ stopped: true })
  await platform.mail(email, /stays/)

  await call(thief, 'account-factor-recovery-begin', {})
  const letter = await vi.waitFor(async () => {
    const all = (await platform.mails(email)).filter(({ subject }) => /Someone asked to remove/.test(subject))
    expect(all).toHaveLength(2)
    return all
  })
  const stopped = await Promise.all(
    letter.map(async ({ links }) => {
      const link = links.find((each) => each.includes('/factor-recovery/stop'))!
      const form = formIn(await (await fetch(platform.real(link))).text())
      if (!form) return false
      const body = new URLSearchParams(form.fields)
      return (await (await fetch(platform.base + form.action, { method: 'POST', body })).text()).includes('Your second factor stays')
    }),
  )
  expect(stopped.filter(Boolean)).toHaveLength(1)
  expect(await call(owner, 'account-factor-recovery')).toMatchObject({ open: null })
  expect(await db().selectFrom('factors').select('id').where('user_id', '=', id).execute()).toHaveLength(1)
})

test('sign-ins that failed stand in the log of the account, and no flood of them fills it', async () => {
  const { client, email, id } = await confirmed()
  await platform.client().auth.signInWithPassword({ email, password: 'Wr0ng-horse-battery' })
  const failed = async () =>
    ((await call(client, 'account-audit', { limit: 200 })).entries as { action: string; detail: object }[]).filter(
      ({ action }) => action === 'login_failed',
    )
  await vi.waitFor(async () => expect(await failed()).toMatchObject([{ detail: { method: 'password', last: false } }]))
  const { noteFailedSignIn } = await import('./audit.ts')
  const { rt } = platform.services.identity!
  const ctx = { ip: '192.0.2.1', userAgent: '', deps: { rt }, log: rt.log } as never
  for (let at = 0; at < 25; at++) await noteFailedSignIn(ctx, id, 'password')
  const all = await failed()
  expect(all).toHaveLength(20)
  expect(all.map(({ detail }) => (detail as { last: boolean }).last)).toEqual([true, ...Array(19).fill(false)])
})

test('what a person says of themselves is bounded, and a token carries a few words of it', async () => {
  const email = newEmail()
  const client = platform.client()
  const hidden = 'Ada\u202e\u0007 \u2066Love\u200blace'
  await client.auth.signUp({
    email,
    password: PASSWORD,
    options: { data: { name: hidden, note: 'x'.repeat(3000), team: 'red', referral_code: 'REF1' } },
  })
  const { data } = await client.auth.verifyOtp({ email, token: codeIn(await platform.mail(email)), type: 'email' })
  expect(data.user!.user_metadata).toMatchObject({ name: 'Ada Love lace', note: 'x'.repeat(3000) })
  const { user_metadata } = JSON.parse(Buffer.from(data.session!.access_token.split('.')[1]!, 'base64url').toString())
  expect(user_metadata).toEqual({ name: 'Ada Love lace', referral_code: 'REF1' })
  const refused = { status: 400, code: 'validation_failed' }
  expect((await client.auth.updateUser({ data: { other: 'y'.repeat(14_000) } })).error).toMatchObject(refused)
  expect((await client.auth.updateUser({ data: { name: 'n'.repeat(101) } })).error).toMatchObject(refused)
  expect(
    (await platform.client().auth.signUp({ email: newEmail(), password: PASSWORD, options: { data: { x: 'x'.repeat(17_000) } } })).error,
  ).toMatchObject(refused)
})

test('two parties that refresh copies of one session in turn are noticed within two generations; one browser with many tabs is not', async () => {
  const refresh = async (token: string, agent: string) => {
    const response = await fetch(`${platform.base}/auth/v1/token?grant_type=refresh_token`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'user-agent': agent },
      body: JSON.stringify({ refresh_token: token }),
    })
    return (await response.json()) as { refresh_token?: string; error_code?: string }
  }
  const { client, email } = await confirmed()
  let token = (await client.auth.getSession()).data.session!.refresh_token
  for (let generation = 0; generation < 8; generation++) {
    const answers = await Promise.all(Array.from({ length: 4 }, () => refresh(token, 'Owner')))
    expect(new Set(answers.map(({ refresh_token }) => refresh_token)).size).toBe(1)
    token = answers[0]!.refresh_token!
  }
  const seen: (string | undefined)[] = []
  for (let generation = 0; generation < 2; generation++) {
    const next = (await refresh(token, 'Owner')).refresh_token!
    seen.push((await refresh(token, 'Thief')).error_code)
    token = next
  }
  expect(seen).toEqual([undefined, 'refresh_token_already_used'])
  expect((await refresh(token, 'Owner')).error_code).toBe('refresh_token_not_found')
  await platform.mail(email, /signed out a device/)
})
