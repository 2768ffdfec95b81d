import { insert, update } from '@operon/kit/testing/rows'
import { afterAll, expect, test, vi } from 'vitest'
import { click, hashOf, linkIn, newEmail, PASSWORD, startWithSandbox } from '../testing/platform.ts'

const STRANGERS = 'Str4nger-horse-battery'
const platform = await startWithSandbox({ AUTH_AUTOCONFIRM: 'false' })
afterAll(() => platform.close())

const db = () => platform.services.identity!.rt.db
const rowOf = (id: string) => db().selectFrom('users').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
const signUp = async (email: string, password: string) => {
  expect((await platform.client().auth.signUp({ email, password })).error).toBeNull()
  return (await db().selectFrom('users').select('id').where('email', '=', email).executeTakeFirstOrThrow()).id as string
}
const signIn = async (email: string, password: string) =>
  (await platform.client().auth.signInWithPassword({ email, password })).error?.code ?? 'in'

/** Somebody whose address is confirmed, signed in. */
async function confirmed() {
  const email = newEmail('mover')
  const id = await signUp(email, PASSWORD)
  await click(platform, linkIn(await platform.mail(email)))
  const client = platform.client()
  expect((await client.auth.signInWithPassword({ email, password: PASSWORD })).error).toBeNull()
  return { id, email, client }
}
/** Both letters of a change of address, opened: what the last one led to. */
async function agree(from: string, to: string) {
  await click(platform, linkIn(await platform.mail(from, /Confirm the change/)))
  return hashOf(await click(platform, linkIn(await platform.mail(to, /new email/))))
}

test('an address that somebody typed at sign-up and never confirmed is free for the person who proves it, and that sign-up ends [spec-25]', async () => {
  const [mover, wanted] = [await confirmed(), newEmail('wanted')]
  const stranger = await signUp(wanted, STRANGERS)
  const strangers = linkIn(await platform.mail(wanted))
  expect((await mover.client.auth.updateUser({ email: wanted })).error).toBeNull()
  expect(await rowOf(stranger)).toMatchObject({ email: wanted, deleted_at: null })
  expect(await agree(mover.email, wanted)).toMatchObject({ type: 'email_change', access_token: expect.any(String) })
  expect(await rowOf(mover.id)).toMatchObject({ email: wanted, email_proven: true })
  expect(await rowOf(stranger)).toMatchObject({ email: null, deleted_at: expect.any(Date) })
  const told = await db().selectFrom('outbox').select('name').where('user_id', '=', stranger).execute()
  expect(told.map(({ name }: { name: string }) => name)).toContain('identity.user_deleted')
  expect(await signIn(wanted, STRANGERS)).toBe('invalid_credentials')
  expect(hashOf(await click(platform, strangers))).toMatchObject({ error_code: 'otp_expired' })
})

test('a sign-up that waits for its letter is not caught by the change of an account of somebody else: no password, key or session of theirs comes along', async () => {
  const [attacker, victims] = [await confirmed(), newEmail('victim')]
  await update(db(), 'users', { id: attacker.id }, { phone: `+1555${Date.now()}`.slice(0, 14), phone_confirmed_at: new Date() })
  await insert(db(), 'passkeys', {
    id: crypto.randomUUID(),
    user_id: attacker.id,
    credential_id: attacker.id,
    public_key: Buffer.from('k'),
    counter: 0,
    transports: [],
    friendly_name: 'Theirs',
    aal: 'aal1',
  })
  await signUp(victims, 'V1ctims-horse-battery')
  expect((await attacker.client.auth.updateUser({ email: victims })).error).toBeNull()
  // The owner of the address opens the newer of two letters.
  const arrived = await agree(attacker.email, victims)
  const owner = platform.client()
  expect((await owner.auth.setSession(arrived as never)).error).toBeNull()
  expect((await attacker.client.auth.refreshSession()).error).not.toBeNull()
  expect(await signIn(victims, PASSWORD)).toBe('invalid_credentials')
  expect(await rowOf(attacker.id)).toMatchObject({ password_hash: null, phone: null, phone_confirmed_at: null })
  expect(await db().selectFrom('passkeys').select('id').where('user_id', '=', attacker.id).execute()).toEqual([])
  expect((await platform.mail(victims, /Choose a password/)).text).toContain('/forgot-password')
  expect((await owner.auth.getUser()).data.user).toMatchObject({ email: victims })
})

test('an account in use whose address was never confirmed loses the address alone', async () => {
  const [mover, live] = [await confirmed(), await confirmed()]
  await insert(db(), 'identities', {
    id: crypto.randomUUID(),
    user_id: live.id,
    provider: 'github',
    provider_id: live.id,
    identity_data: '{}',
  })
  await update(db(), 'users', { id: live.id }, { email_confirmed_at: null, email_proven: false })
  expect((await mover.client.auth.updateUser({ email: live.email })).error).toBeNull()
  await agree(mover.email, live.email)
  expect(await rowOf(live.id)).toMatchObject({ email: null, deleted_at: null })
  const { data } = await live.client.auth.refreshSession()
  expect(data.user!.identities!.map(({ provider }) => provider)).toEqual(['github'])
})

test('a confirmed address stays taken, when the change is asked for and when both letters are open', async () => {
  const [mover, other] = [await confirmed(), await confirmed()]
  expect((await mover.client.auth.updateUser({ email: other.email })).error).toMatchObject({ code: 'email_exists' })
  const wanted = newEmail('wanted')
  await signUp(wanted, STRANGERS)
  const [first] = await vi.waitFor(async () => {
    const all = await platform.mails(wanted)
    expect(all).toHaveLength(1)
    return all
  })
  expect((await mover.client.auth.updateUser({ email: wanted })).error).toBeNull()
  await platform.mail(wanted, /new email/)
  await click(platform, linkIn(first!))
  expect(await agree(mover.email, wanted)).toMatchObject({ error_code: 'email_exists' })
  expect(await signIn(wanted, STRANGERS)).toBe('in')
  expect(await signIn(mover.email, PASSWORD)).toBe('in')
})

test('a sign-up at the unconfirmed address of an account in use sets no password and no name there', async () => {
  const [live, phone] = [await confirmed(), `1555${String(Date.now()).slice(-7)}`]
  await update(db(), 'users', { id: live.id }, { email_confirmed_at: null, email_proven: false, phone, phone_confirmed_at: new Date() })
  const before = await rowOf(live.id)
  await signUp(live.email, STRANGERS)
  expect(await rowOf(live.id)).toMatchObject({ password_hash: before.password_hash, user_metadata: before.user_metadata })
  const strangers = await platform.client().auth.signInWithPassword({ phone, password: STRANGERS })
  expect(strangers.error).toMatchObject({ code: 'invalid_credentials' })
  // A used account whose every address was typed alone keeps its password as well.
  await update(db(), 'users', { id: live.id }, { phone: null, phone_confirmed_at: null })
  await signUp(live.email, STRANGERS)
  expect(await rowOf(live.id)).toMatchObject({ password_hash: before.password_hash })
})
