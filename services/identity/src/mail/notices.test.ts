import { Secret, TOTP } from 'otpauth'
import { afterAll, expect, test, vi } from 'vitest'
import { codeIn, newEmail, PASSWORD, signedUp, startWithSandbox } from '../testing/platform.ts'

const platform = await startWithSandbox()
afterAll(() => platform.close())

const subjects = async (email: string) => (await platform.mails(email)).map(({ subject }) => subject).toSorted()
const settled = (email: string, expected: string[]) => vi.waitFor(async () => expect(await subjects(email)).toEqual(expected.toSorted()))

const ADDED = 'Two-factor sign-in is on for Operon'
const MADE = 'New recovery codes for Operon'
const USED = 'A recovery code was used for Operon'
const REMOVED = 'A second factor was removed from Operon'
const PHONE = 'Your Operon phone number was changed'

test('the owner is told of each second factor and recovery code, once and from where; of what fails, nothing [spec-32]', async () => {
  const { client, email } = await signedUp(platform)
  const { data } = await client.auth.mfa.enroll({ factorType: 'totp', friendlyName: 'Phone' })
  const { id: factorId, totp } = data as { id: string; totp: { secret: string } }
  const code = (steps: number) => new TOTP({ secret: Secret.fromBase32(totp.secret) }).generate({ timestamp: Date.now() + steps * 30_000 })
  await client.auth.mfa.challengeAndVerify({ factorId, code: code(0) })
  const added = await platform.mail(email, /^Two-factor/)
  expect(added.text).toContain('Factor: Phone')
  expect(added.text).toContain('Address: 127.0.0.1')
  expect(added.text).toMatch(/When: \w+ \d+, \d{4} at \d+:\d\d [AP]M UTC/)
  const { data: made } = await client.functions.invoke('account-recovery-codes', { body: {} })
  expect((await client.functions.invoke('account-recovery-use', { body: { code: 'wrong-wrong' } })).error?.context.status).toBe(422)
  const { data: session } = await client.functions.invoke('account-recovery-use', { body: { code: made.codes[0] } })
  await client.auth.setSession(session)
  await settled(email, [ADDED, MADE, USED])
  // A factor that was there before is shown again: nothing new, so no mail.
  expect((await client.auth.mfa.challengeAndVerify({ factorId, code: code(1) })).error).toBeNull()
  expect((await client.auth.mfa.unenroll({ factorId })).error).toBeNull()
  await settled(email, [ADDED, MADE, USED, REMOVED])
  expect(new Set((await platform.mails(email)).map(({ message_id }) => message_id)).size).toBe(4)
  expect((await platform.mails(email)).some(({ text, html }) => `${text}${html}`.includes(made.codes[1]))).toBe(false)
})

test('an unproven factor that is taken back is told to nobody', async () => {
  const { client, email } = await signedUp(platform)
  const { data } = await client.auth.mfa.enroll({ factorType: 'totp' })
  await client.auth.mfa.unenroll({ factorId: data!.id })
  await client.auth.updateUser({ password: 'An0ther-horse-battery' })
  await settled(email, ['Your Operon password was changed'])
})

test('what an administrator changes is told to the owner, at the address before as well', async () => {
  const { user, email } = await signedUp(platform)
  const next = newEmail('next')
  expect((await platform.admin().auth.admin.updateUserById(user.id, { email: next, password: `${PASSWORD}-2` })).error).toBeNull()
  for (const address of [email, next]) expect((await platform.mail(address, /email was changed/)).text).toContain('By: An administrator')
  await platform.mail(next, /password was changed/)
})

test('a new phone number is told by mail with the one before it; signing in with it is nothing new', async () => {
  const { client, email, user } = await signedUp(platform)
  const [first, second] = [newPhone(1), newPhone(2)]
  for (const phone of [first, second]) {
    expect((await client.auth.updateUser({ phone })).error).toBeNull()
    const token = codeIn(await platform.mail(phone, /code/))
    expect((await client.auth.verifyOtp({ phone, token, type: 'phone_change' })).error).toBeNull()
  }
  await settled(email, [PHONE, PHONE])
  const texts = (await platform.mails(email)).map(({ text }) => text).join()
  expect(texts).toContain(`Codes by text message now go to ${first}. Anyone`)
  expect(texts).toContain(`now go to ${second}, and no longer to ${first}. Anyone`)
  await platform.client().auth.signInWithOtp({ phone: second })
  await vi.waitFor(async () => expect(await platform.mails(second)).toHaveLength(2))
  const token = codeIn((await platform.mails(second))[0]!)
  expect((await platform.client().auth.verifyOtp({ phone: second, token, type: 'sms' })).error).toBeNull()
  const third = newPhone(3)
  const { data } = await platform.admin().auth.admin.updateUserById(user.id, { phone: third })
  expect(data.user).toMatchObject({ phone: third.slice(1), app_metadata: { providers: ['email', 'phone'] } })
  expect(data.user?.identities?.find(({ provider }) => provider === 'phone')?.identity_data).toMatchObject({ phone: third.slice(1) })
  await settled(email, [PHONE, PHONE, PHONE])
  expect((await platform.mails(email))[0]!.text).toContain(`now go to ${third}, and no longer to ${second}.`)
})

const newPhone = (last: number) => `+155${last}${String(Date.now()).slice(-7)}`

test('an account of a phone number alone hears of it by text message, at the number before where that changes', async () => {
  const client = platform.client()
  const [first, second] = [newPhone(4), newPhone(5)]
  const told = async (phone: string) =>
    (await platform.mails(phone)).flatMap(({ text }) => /^Operon: (.*?)\. If it was not you, contact/.exec(text)?.[1] ?? [])
  await client.auth.signInWithOtp({ phone: first })
  await client.auth.verifyOtp({ phone: first, token: codeIn(await platform.mail(first)), type: 'sms' })
  expect((await client.auth.updateUser({ password: PASSWORD })).error).toBeNull()
  const { data } = await client.auth.mfa.enroll({ factorType: 'totp' })
  const { id: factorId, totp } = data as { id: string; totp: { secret: string } }
  const code = new TOTP({ secret: Secret.fromBase32(totp.secret) }).generate()
  expect((await client.auth.mfa.challengeAndVerify({ factorId, code })).error).toBeNull()
  expect((await client.auth.mfa.unenroll({ factorId })).error).toBeNull()
  const signIn = (ip: string) =>
    fetch(`${platform.base}/auth/v1/token?grant_type=password`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': ip, 'user-agent': `A browser at ${ip}` },
      body: JSON.stringify({ phone: first, password: PASSWORD }),
    })
  for (const ip of ['203.0.113.8', '203.0.113.8']) expect((await signIn(ip)).status).toBe(200)
  const before = ['A second factor was added', 'A second factor was removed', 'New sign-in', 'Your password was changed']
  await vi.waitFor(async () => expect((await told(first)).toSorted()).toEqual(before))

  await client.auth.updateUser({ phone: second })
  const token = codeIn(await platform.mail(second))
  expect((await client.auth.verifyOtp({ phone: second, token, type: 'phone_change' })).error).toBeNull()
  await vi.waitFor(async () => expect((await told(first)).toSorted()).toEqual([...before, 'Your phone number was changed']))
  expect(await told(second)).toEqual([])
})
