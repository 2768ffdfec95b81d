import { keptOut } from '@operon/contracts/identity/events'
import { hashSync } from 'bcryptjs'
import { afterAll, expect, test } from 'vitest'
import { newEmail, PASSWORD, signedUp, startIdentity } from '../testing/platform.ts'
import { changeUser } from '../users/users.ts'

// One a try.
const staffEmails = [newEmail('staff'), newEmail('staff')]

const platform = await startIdentity({ AUTH_STAFF_EMAILS: staffEmails.join(',') })
afterAll(() => platform.close())

test('a service key manages accounts; nobody else does', async () => {
  const { admin } = platform.admin().auth
  const list = async () =>
    (await admin.listUsers({ page: 1, perPage: 1 })).data as unknown as { users: { id: string }[]; nextPage: number; total: number }
  const before = (await list()).total
  const email = newEmail()
  const { data, error } = await admin.createUser({
    email,
    password: PASSWORD,
    email_confirm: true,
    user_metadata: { name: 'Grace' },
    app_metadata: { plan: 'x' },
  })
  expect(error).toBeNull()
  expect(data.user).toMatchObject({ email, user_metadata: { name: 'Grace' }, app_metadata: { provider: 'email', plan: 'x' } })
  const id = data.user!.id
  expect((await admin.createUser({ email })).error).toMatchObject({ status: 422, code: 'email_exists' })
  expect((await admin.getUserById(id)).data.user?.id).toBe(id)
  expect((await admin.updateUserById(id, { user_metadata: { name: 'Grace H.' } })).data.user?.user_metadata.name).toBe('Grace H.')
  const person = await signedUp(platform)
  const listed = await list()
  expect([listed.users.map((user) => user.id), listed.nextPage, listed.total]).toEqual([[person.user.id], 2, before + 2])
  expect((await platform.client().auth.admin.listUsers()).error).toMatchObject({ status: 401, code: 'no_authorization' })
  const asPerson = await fetch(`${platform.base}/auth/v1/admin/users`, {
    headers: { authorization: `Bearer ${person.session.access_token}` },
  })
  expect([asPerson.status, await asPerson.json()]).toEqual([403, { code: 403, error_code: 'not_admin', msg: 'User not allowed' }])
  expect((await admin.deleteUser(id)).error).toBeNull()
  expect((await admin.getUserById(id)).error).toMatchObject({ status: 404, code: 'user_not_found' })
})

test('a bcrypt hash is accepted and upgraded at the first sign-in', async () => {
  const email = newEmail()
  const { data } = await platform.admin().auth.admin.createUser({ email, password_hash: hashSync(PASSWORD, 4), email_confirm: true })
  expect((await platform.client().auth.signInWithPassword({ email, password: PASSWORD })).error).toBeNull()
  const row = await platform.services
    .identity!.rt.db.selectFrom('users')
    .select('password_hash')
    .where('id', '=', data.user!.id)
    .executeTakeFirst()
  expect(row?.password_hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
  expect((await platform.client().auth.signInWithPassword({ email, password: PASSWORD })).error).toBeNull()
})

test('a ban ends sessions and refuses the way in until it is lifted', async () => {
  const { client, email, user } = await signedUp(platform)
  const { admin } = platform.admin().auth
  expect((await admin.updateUserById(user.id, { ban_duration: '1h30m' })).data.user?.banned_until).toBeTruthy()
  expect((await client.auth.getUser()).error).not.toBeNull()
  expect((await platform.client().auth.signInWithPassword({ email, password: PASSWORD })).error).toMatchObject({ code: 'user_banned' })
  const lastTold = async () =>
    (
      await platform.services
        .identity!.rt.db.selectFrom('outbox')
        .select('payload')
        .where('name', '=', 'identity.user_updated')
        .where('user_id', '=', user.id)
        .orderBy('id', 'desc')
        .executeTakeFirst()
    )?.payload.banned_until
  expect(Date.parse(await lastTold())).toBeGreaterThan(Date.now() + 80 * 60_000)
  const { identity } = platform.services
  const asked = async (after: string | null = null) => (await identity!.rt.ask(keptOut, { after })).accounts
  const { version } = await identity!.rt.db.selectFrom('users').select('version').where('id', '=', user.id).executeTakeFirstOrThrow()
  expect(await asked()).toEqual([{ user_id: user.id, banned_until: await lastTold(), version }])
  expect(await asked(user.id)).toEqual([])
  await admin.updateUserById(user.id, { ban_duration: 'none' })
  expect(await asked()).toEqual([])
  expect(await lastTold()).toBeNull()
  expect((await platform.client().auth.signInWithPassword({ email, password: PASSWORD })).error).toBeNull()
})

test('generated links carry what a mail would', async () => {
  const { admin } = platform.admin().auth
  const { email } = await signedUp(platform)
  const { data } = await admin.generateLink({ type: 'magiclink', email })
  expect(data.properties).toMatchObject({
    verification_type: 'magiclink',
    redirect_to: 'http://localhost:8080',
    email_otp: expect.stringMatching(/^\d{6}$/),
    action_link: expect.stringMatching(/&redirect_to=http:\/\/localhost:8080$/),
  })
  const client = platform.client()
  expect((await client.auth.verifyOtp({ type: 'magiclink', token_hash: data.properties!.hashed_token })).data.user?.email).toBe(email)
  expect((await admin.generateLink({ type: 'recovery', email: newEmail() })).error).toMatchObject({ status: 404, code: 'user_not_found' })
  expect((await admin.inviteUserByEmail(email)).error).toMatchObject({ code: 'email_exists' })
})

test('links for one new address, made at the same moment, make one account', async () => {
  const { admin } = platform.admin().auth
  const email = newEmail()
  const answers = await Promise.all(Array.from({ length: 8 }, () => admin.generateLink({ type: 'invite', email })))
  const made = answers.filter(({ error }) => !error)
  expect(new Set(made.map(({ data }) => data.user?.id)).size).toBe(1)
  for (const { error } of answers) if (error) expect(error).toMatchObject({ status: 422, code: 'email_exists' })
  expect(made.length).toBeLessThan(8)
})

test('invitations of one new address, sent at the same moment, make one account', async () => {
  const { admin } = platform.admin().auth
  const email = newEmail()
  const answers = await Promise.all(Array.from({ length: 8 }, () => admin.inviteUserByEmail(email)))
  expect(new Set(answers.filter(({ error }) => !error).map(({ data }) => data.user?.id)).size).toBe(1)
  const refused = answers.filter(({ error }) => error)
  expect(refused.length).toBeGreaterThan(0)
  for (const { error } of refused) expect(error).toMatchObject({ status: 422, code: 'email_exists' })
})

test('a deleted account does not change any more', async () => {
  const { db } = platform.services.identity!.rt
  const { data } = await platform.admin().auth.admin.createUser({ email: newEmail(), email_confirm: true })
  const id = data.user!.id
  await platform.admin().auth.admin.deleteUser(id)
  const version = () => db.selectFrom('users').select('version').where('id', '=', id).executeTakeFirstOrThrow()
  const before = await version()
  await expect(db.transaction().execute((trx) => changeUser(trx, id, { banned_until: null }))).rejects.toMatchObject({ status: 404 })
  expect(await version()).toEqual(before)
})

test('staff is a claim by configuration, and only for an address that was proven', async () => {
  const claims = async (client: ReturnType<typeof platform.client>) => (await client.auth.getClaims()).data?.claims.app_metadata
  const unproven = await signedUp(platform, staffEmails.pop())
  expect(await claims(unproven.client)).not.toHaveProperty('staff')
  await platform.admin().auth.admin.updateUserById(unproven.user.id, { email_confirm: true })
  await unproven.client.auth.refreshSession()
  expect(await claims(unproven.client)).toMatchObject({ staff: true })
  const other = await signedUp(platform)
  await platform.admin().auth.admin.updateUserById(other.user.id, { app_metadata: { staff: true } })
  await other.client.auth.refreshSession()
  expect(await claims(other.client)).not.toHaveProperty('staff')
})

test('an account lists and ends its sessions, reads what happened, exports and deletes itself', async () => {
  const { client, email, user } = await signedUp(platform)
  const phone = platform.client()
  await phone.auth.signInWithPassword({ email, password: PASSWORD })
  const { data } = await client.functions.invoke('account-sessions', { body: {} })
  expect(data.sessions.map((session: { current: boolean }) => session.current).toSorted()).toEqual([false, true])
  const stranger = await signedUp(platform)
  const other = data.sessions.find((session: { current: boolean }) => !session.current).id
  expect((await stranger.client.functions.invoke('account-session-revoke', { body: { session_id: other } })).error?.context.status).toBe(
    404,
  )
  expect((await client.functions.invoke('account-session-revoke', { body: { session_id: other } })).data).toEqual({ revoked: true })
  expect((await phone.auth.getUser()).error).toMatchObject({ name: 'AuthSessionMissingError' })
  const log = await client.functions.invoke('account-audit', { body: { limit: 10 } })
  expect(log.data.entries.map((entry: { action: string }) => entry.action)).toEqual(['session_revoked', 'login', 'login', 'user_signedup'])
  const whole = await client.functions.invoke('account-export', { body: {} })
  expect(whole.data.user.email).toBe(email)
  expect(JSON.stringify(whole.data)).not.toContain('argon2')
  expect((await client.functions.invoke('account-delete', { body: {} })).data).toEqual({ deleted: true })
  expect((await platform.client().auth.signInWithPassword({ email, password: PASSWORD })).error).toMatchObject({
    code: 'invalid_credentials',
  })
  const { rt } = platform.services.identity!
  const left = await rt.db.selectFrom('users').selectAll().where('id', '=', user.id).executeTakeFirstOrThrow()
  expect([left.email, left.password_hash, left.user_metadata]).toEqual([null, null, {}])
  const told = await rt.db
    .selectFrom('outbox')
    .select('name')
    .where('user_id', '=', user.id)
    .where('name', '=', 'identity.user_deleted')
    .execute()
  expect(told).toHaveLength(1)
  expect((await signedUp(platform, email)).user.id).not.toBe(user.id)
})
