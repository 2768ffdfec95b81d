import { insert, update } from '@operon/kit/testing/rows'
import { afterAll, expect, test, vi } from 'vitest'
import { click, codeIn, hashOf, linkIn, newEmail, PASSWORD, startWithSandbox } from '../testing/platform.ts'

const STRANGERS = 'Str4nger-horse-battery'
const platform = await startWithSandbox({ AUTH_AUTOCONFIRM: 'false' })
afterAll(() => platform.close())

const db = () => platform.services.identity!.rt.db
const rowOf = (id: string) => db().selectFrom('users').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
let numbers = 0
const newNumber = () => `1555${String(Date.now()).slice(-5)}${String(++numbers).padStart(2, '0')}`
/** A text to this number, besides those that were seen. */
const text = (phone: string, seen: string[] = []) =>
  vi.waitFor(async () => {
    const fresh = (await platform.mails(`+${phone}`)).find(({ id }) => !seen.includes(id))
    if (!fresh) throw new Error(`no further text to ${phone}`)
    return fresh
  })
const park = async (phone: string) => {
  expect((await platform.client().auth.signUp({ phone, password: STRANGERS })).error).toBeNull()
  const { id } = await db().selectFrom('users').select('id').where('phone', '=', phone).executeTakeFirstOrThrow()
  return { id: id as string, letter: await text(phone) }
}
const verify = async (phone: string, token: string, type: 'sms' | 'phone_change') => {
  const { data, error } = await platform.client().auth.verifyOtp({ phone, token, type })
  return error?.code ?? data.user?.id
}
const signIn = async (who: { email: string } | { phone: string }, password: string) =>
  (await platform.client().auth.signInWithPassword({ ...who, password } as { email: string; password: string })).error?.code ?? 'in'

/** Somebody whose address is confirmed, signed in, with a passkey. */
async function confirmed() {
  const email = newEmail('mover')
  await platform.client().auth.signUp({ email, password: PASSWORD })
  await click(platform, linkIn(await platform.mail(email)))
  const client = platform.client()
  const { data } = await client.auth.signInWithPassword({ email, password: PASSWORD })
  const id = data.user!.id
  const passkey = { id: crypto.randomUUID(), user_id: id, credential_id: id, public_key: Buffer.from('k'), counter: 0, transports: [] }
  await insert(db(), 'passkeys', { ...passkey, friendly_name: 'Theirs', aal: 'aal1' })
  return { id, email, client }
}

test('a number that somebody typed at sign-up and never confirmed is free for the person who proves it, and that sign-up ends', async () => {
  const [owner, phone] = [await confirmed(), newNumber()]
  const stranger = await park(phone)
  expect((await owner.client.auth.updateUser({ phone })).error).toBeNull()
  expect(await rowOf(stranger.id)).toMatchObject({ phone, deleted_at: null })
  const change = await text(phone, [stranger.letter.id])
  // The code of a change opens no sign-up, nor one of a sign-up a change.
  expect(await verify(phone, codeIn(change), 'sms')).toBe('otp_expired')
  expect(await verify(phone, codeIn(stranger.letter), 'phone_change')).toBe('otp_expired')
  expect(await verify(phone, codeIn(change), 'phone_change')).toBe(owner.id)
  expect(await rowOf(owner.id)).toMatchObject({ phone, phone_confirmed_at: expect.any(Date), phone_change: null, email: owner.email })
  expect(await rowOf(stranger.id)).toMatchObject({ phone: null, deleted_at: expect.any(Date) })
  const told = await db().selectFrom('outbox').select('name').where('user_id', '=', stranger.id).execute()
  expect(told.map(({ name }: { name: string }) => name)).toContain('identity.user_deleted')
  expect(await signIn({ phone }, STRANGERS)).toBe('invalid_credentials')
  expect(await verify(phone, codeIn(stranger.letter), 'sms')).toBe('otp_expired')
  // A stranger who types a number takes nothing from an account that was proven before.
  expect([await signIn({ phone }, PASSWORD), await signIn({ email: owner.email }, PASSWORD)]).toEqual(['in', 'in'])
  expect(await db().selectFrom('passkeys').select('id').where('user_id', '=', owner.id).execute()).toHaveLength(1)
})

test('the first proof of a number that another sign-up waited for discards what an account without any proof had set before', async () => {
  const phone = newNumber()
  const stranger = await park(phone)
  const guest = platform.client()
  const { data } = await guest.auth.signInAnonymously()
  expect((await guest.auth.updateUser({ phone, password: PASSWORD })).error).toBeNull()
  const change = await text(phone, [stranger.letter.id])
  expect(await verify(phone, codeIn(change), 'phone_change')).toBe(data.user!.id)
  expect(await rowOf(data.user!.id)).toMatchObject({ phone, password_hash: null, is_anonymous: false })
  expect((await guest.auth.refreshSession()).error).not.toBeNull()
  for (const password of [PASSWORD, STRANGERS]) expect(await signIn({ phone }, password)).toBe('invalid_credentials')
})

test('an account in use whose number was never confirmed loses the number alone, and a sign-up of that number sets nothing there', async () => {
  const [mover, live, phone] = [await confirmed(), await confirmed(), newNumber()]
  await platform.admin().auth.admin.updateUserById(live.id, { phone })
  expect(await rowOf(live.id)).toMatchObject({ phone, phone_confirmed_at: null })
  expect((await platform.client().auth.signUp({ phone, password: STRANGERS, options: { data: { name: 'Eve' } } })).error).toBeNull()
  expect(await signIn({ email: live.email }, STRANGERS)).toBe('invalid_credentials')
  expect(await signIn({ email: live.email }, PASSWORD)).toBe('in')
  expect((await rowOf(live.id)).user_metadata).not.toHaveProperty('name')
  const strangers = await text(phone)
  expect((await mover.client.auth.updateUser({ phone })).error).toBeNull()
  expect(await verify(phone, codeIn(await text(phone, [strangers.id])), 'phone_change')).toBe(mover.id)
  expect(await rowOf(live.id)).toMatchObject({ phone: null, email: live.email, deleted_at: null })
  const { data } = await live.client.auth.refreshSession()
  expect(data.user!.identities!.map(({ provider }) => provider)).toEqual(['email'])
  expect(await verify(phone, codeIn(strangers), 'sms')).toBe('otp_expired')
})

test('a sign-up of what an account never confirmed sets no password there, though nobody has signed in to it yet', async () => {
  const passwordOf = async (id: string) => (await rowOf(id)).password_hash
  for (const confirmed of ['email', 'phone'] as const) {
    const both = { email: newEmail('made'), phone: newNumber() }
    const made = { ...both, password: PASSWORD, email_confirm: confirmed === 'email', phone_confirm: confirmed === 'phone' }
    const { data } = await platform.admin().auth.admin.createUser(made)
    const before = await passwordOf(data.user!.id)
    const typed = confirmed === 'email' ? { phone: both.phone } : { email: both.email }
    expect((await platform.client().auth.signUp({ ...typed, password: STRANGERS } as { email: string; password: string })).error).toBeNull()
    expect(await passwordOf(data.user!.id)).toBe(before)
  }
})

test('a number that the service key only typed opens nothing of a proven account until its owner confirms it from inside', async () => {
  const [owner, phone] = [await confirmed(), newNumber()]
  await platform.admin().auth.admin.updateUserById(owner.id, { phone })
  expect((await platform.client().auth.signInWithOtp({ phone })).error).toBeNull()
  const holders = await text(phone)
  expect(await verify(phone, codeIn(holders), 'sms')).toBe('otp_expired')
  expect(await rowOf(owner.id)).toMatchObject({ phone_confirmed_at: null })
  expect((await owner.client.auth.updateUser({ phone })).error).toBeNull()
  expect(await verify(phone, codeIn(await text(phone, [holders.id])), 'phone_change')).toBe(owner.id)
  expect(await rowOf(owner.id)).toMatchObject({ phone, phone_confirmed_at: expect.any(Date) })
  expect(await signIn({ phone }, PASSWORD)).toBe('in')
})

test('another number that the service key types does not inherit the proof of the one before', async () => {
  const [first, second] = [newNumber(), newNumber()]
  const made = { email: newEmail('made'), phone: first, password: PASSWORD, email_confirm: true, phone_confirm: true }
  const { data } = await platform.admin().auth.admin.createUser(made)
  await platform.admin().auth.admin.updateUserById(data.user!.id, { phone: second })
  expect(await rowOf(data.user!.id)).toMatchObject({ phone: second, phone_confirmed_at: null })
  expect(await signIn({ phone: second }, PASSWORD)).toBe('phone_not_confirmed')
  // The same number once more, or one that comes with its proof, is confirmed.
  await platform.admin().auth.admin.updateUserById(data.user!.id, { phone: second, phone_confirm: true })
  await platform.admin().auth.admin.updateUserById(data.user!.id, { phone: second })
  expect(await signIn({ phone: second }, PASSWORD)).toBe('in')
})

test('a confirmed number stays taken, when the change is asked for and when its code is typed', async () => {
  const [mover, phone] = [await confirmed(), newNumber()]
  const other = await park(phone)
  expect((await mover.client.auth.updateUser({ phone })).error).toBeNull()
  const change = await text(phone, [other.letter.id])
  expect(await verify(phone, codeIn(other.letter), 'sms')).toBe(other.id)
  expect(await verify(phone, codeIn(change), 'phone_change')).toBe('phone_exists')
  expect(await signIn({ phone }, STRANGERS)).toBe('in')
  const late = await confirmed()
  expect((await late.client.auth.updateUser({ phone })).error).toMatchObject({ code: 'phone_exists' })
})

test('where two accounts wait for one number or address, its owner gets into nobody else’s, and nobody else stays in theirs', async () => {
  const [owner, stranger, phone] = [await confirmed(), await confirmed(), newNumber()]
  // The stranger's account was never used from where the owner is.
  await update(db(), 'sessions', { user_id: stranger.id }, { ip: '198.51.100.7' })
  const both = async (number: string) => {
    expect((await owner.client.auth.updateUser({ phone: number })).error).toBeNull()
    const own = await text(number)
    expect((await stranger.client.auth.updateUser({ phone: number })).error).toBeNull()
    return { own, strangers: await text(number, [own.id]) }
  }
  expect(await verify(phone, codeIn((await both(phone)).own), 'phone_change')).toBe(owner.id)
  const second = newNumber()
  const { own, strangers } = await both(second)
  expect(await verify(second, codeIn(strangers), 'phone_change')).toBe('otp_expired')
  expect(await rowOf(stranger.id)).toMatchObject({ phone: null })
  expect(await verify(second, codeIn(own), 'phone_change')).toBe(owner.id)

  const wanted = newEmail('wanted')
  expect((await owner.client.auth.updateUser({ email: wanted })).error).toBeNull()
  const first = await platform.mail(wanted, /new email/)
  expect((await stranger.client.auth.updateUser({ email: wanted })).error).toBeNull()
  await click(platform, linkIn(await platform.mail(stranger.email, /Confirm the change/)))
  const theirs = await vi.waitFor(async () => {
    const letter = (await platform.mails(wanted)).find(({ id }) => id !== first.id)
    if (!letter) throw new Error('no second letter')
    return letter
  })
  expect(hashOf(await click(platform, linkIn(theirs)))).toHaveProperty('access_token')
  expect(await signIn({ email: wanted }, PASSWORD)).toBe('invalid_credentials')
  expect((await stranger.client.auth.refreshSession()).error).not.toBeNull()
  expect(await db().selectFrom('passkeys').select('id').where('user_id', '=', stranger.id).execute()).toEqual([])
  expect(await signIn({ email: owner.email }, PASSWORD)).toBe('in')
})
