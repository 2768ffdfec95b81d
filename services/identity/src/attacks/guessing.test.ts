import { afterAll, expect, test, vi } from 'vitest'
import { limitByAddress } from '../limits.ts'
import { codeIn, newEmail, PASSWORD, signedUp, startWithSandbox } from '../testing/platform.ts'

const platform = await startWithSandbox()
afterAll(() => platform.close())

const post = (path: string, body: object, ip: string) =>
  fetch(platform.base + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': ip },
    body: JSON.stringify(body),
  })
const someIp = (at: number) => `198.51.${Math.floor(at / 250)}.${(at % 250) + 1}`

test('S8: however many addresses guess in parallel, an account hears ten passwords at most, and its owner still comes in', async () => {
  const { email } = await signedUp(platform)
  const answers = await Promise.all(
    Array.from({ length: 60 }, (_, at) =>
      post('/auth/v1/token?grant_type=password', { email, password: `Wrong-guess-${at}!` }, someIp(at)),
    ),
  )
  const heard = answers.filter(({ status }) => status === 400).length
  expect(heard).toBeLessThanOrEqual(10)
  expect(answers.every(({ status }) => status === 400 || status === 429)).toBe(true)
  expect(answers.find(({ status }) => status === 429)!.headers.get('retry-after')).toMatch(/^\d+$/)
  // The right password from a strange address is among the refused now; from the owner's own it is not.
  const locked = await post('/auth/v1/token?grant_type=password', { email, password: PASSWORD }, '203.0.113.9')
  expect(locked.status).toBe(429)
  expect(((await locked.json()) as { msg: string }).msg).toMatch(
    /^Too many attempts for this account\. To sign in now, ask for a link by email\. Try again in \d+ seconds?\.$/,
  )
  expect((await platform.client().auth.signInWithPassword({ email, password: PASSWORD })).error).toBeNull()
  // The way out that the answer promises: asked for and opened at the strange address.
  expect((await post('/auth/v1/otp', { email, create_user: false }, '203.0.113.9')).status).toBe(200)
  const link = new URL((await platform.mail(email, /sign-in link/)).links.find((each) => each.includes('/verify'))!)
  const proof = { type: 'magiclink', token_hash: link.searchParams.get('token') }
  expect((await post('/auth/v1/verify', proof, '203.0.113.9')).status).toBe(200)
})

test('S8: one stranger, however persistent, leaves room for the owner at a new address', async () => {
  const { email } = await signedUp(platform)
  const guess = (password: string, ip: string) => post('/auth/v1/token?grant_type=password', { email, password }, ip)
  const answers = await Promise.all(Array.from({ length: 40 }, (_, at) => guess(`Wrong-guess-${at}!`, '198.51.100.77')))
  expect(answers.filter(({ status }) => status === 400)).toHaveLength(3)
  expect((await guess(PASSWORD, '203.0.113.10')).status).toBe(200)
})

test('S29: the addresses of one IPv6 network are one caller, to strangers and to the owner', async () => {
  const email = newEmail()
  const guess = (password: string, ip: string) => post('/auth/v1/token?grant_type=password', { email, password }, ip)
  expect((await post('/auth/v1/signup', { email, password: PASSWORD }, '2001:db8:aa:1::1')).status).toBe(200)
  const answers = await Promise.all(
    Array.from({ length: 30 }, (_, at) => guess(`Wrong-guess-${at}!`, `2001:db8:bb:1::${(at + 1).toString(16)}`)),
  )
  expect(answers.filter(({ status }) => status === 400)).toHaveLength(3)
  // Others empty what strangers share; the owner has moved within the network of the sign-up.
  await Promise.all(Array.from({ length: 30 }, (_, at) => guess(`Wrong-guess-${at}!`, someIp(at))))
  expect((await guess(PASSWORD, '203.0.113.11')).status).toBe(429)
  expect((await guess(PASSWORD, '2001:db8:aa:2::1')).status).toBe(429)
  expect((await guess(PASSWORD, '2001:db8:aa:1:ffff::9')).status).toBe(200)
  // People inside that network have one share as well, however many of its addresses they use.
  const inside = await Promise.all(
    Array.from({ length: 30 }, (_, at) => guess(`Wrong-guess-${at}!`, `2001:db8:aa:1::${(at + 1).toString(16)}`)),
  )
  expect(inside.filter(({ status }) => status === 400)).toHaveLength(5)
})

test('S29: what an address may ask for a minute is shared by its IPv6 network', async () => {
  const at = (ip: string) => limitByAddress({ ip, deps: { rt: platform.services.identity!.rt } } as never, 'a test', 1)
  await at('2001:db8:cc:1::1')
  await expect(at('2001:db8:cc:1::2')).rejects.toMatchObject({ status: 429 })
  await at('2001:db8:cc:2::1')
})

test('S8: the limit is the same for an address that nobody has', async () => {
  const email = newEmail()
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, at) =>
      post('/auth/v1/token?grant_type=password', { email, password: `Wrong-guess-${at}!` }, someIp(at)),
    ),
  )
  expect(answers.filter(({ status }) => status === 429).length).toBeGreaterThanOrEqual(10)
})

test('S8: a one-time code is guessed ten times at most, also when new ones are asked for; at an address of theirs the owner still types it', async () => {
  const { email } = await signedUp(platform)
  await platform.client().auth.signInWithOtp({ email })
  await platform.mail(email, /sign-in link/)
  let heard = 0
  for (let round = 0; round < 3; round++) {
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, at) =>
        post('/auth/v1/verify', { type: 'email', email, token: String(100_000 + round * 12 + at) }, someIp(at)),
      ),
    )
    heard += answers.filter(({ status }) => status === 403).length
    await platform.client().auth.signInWithOtp({ email })
  }
  expect(heard).toBeLessThanOrEqual(10)
  const letters = async () => (await platform.mails(email)).filter(({ subject }) => /sign-in link/.test(subject))
  await vi.waitFor(async () => expect(await letters()).toHaveLength(4))
  const codes = (await letters()).map(codeIn)
  expect((await post('/auth/v1/verify', { type: 'email', email, token: codes[0] }, '203.0.113.12')).status).toBe(429)
  expect((await platform.client().auth.signInWithPassword({ email, password: PASSWORD })).error).toBeNull()
  // A newer code ends the older ones, and letters may arrive in any order.
  let opened = 0
  for (const token of codes) if (!(await platform.client().auth.verifyOtp({ email, token, type: 'email' })).error) opened++
  expect(opened).toBe(1)
})

test('mail to one recipient is bounded, and a sign-up is never lost for it: the answer says that the mail waits [spec-33]', {
  timeout: 30_000,
}, async () => {
  const tight = await startWithSandbox({ AUTH_AUTOCONFIRM: 'false', LIMIT_MAIL_PER_HOUR: '2' })
  const email = newEmail()
  const client = tight.client()
  for (let at = 0; at < 2; at++) expect((await client.auth.resetPasswordForEmail(email)).error).toBeNull()
  expect((await client.auth.resetPasswordForEmail(email)).error).toMatchObject({ status: 429, code: 'over_email_send_rate_limit' })
  const { data, error } = await client.auth.signUp({ email, password: PASSWORD })
  expect(error).toBeNull()
  expect(data.user!.confirmation_sent_at).toBeNull()
  const { rt } = tight.services.identity!
  const mail = await rt.db
    .selectFrom('outbox')
    .select(['available_at'])
    .where('name', '=', 'identity.send_mail')
    .where('user_id', '=', data.user!.id)
    .executeTakeFirstOrThrow()
  expect(mail.available_at.getTime()).toBeGreaterThan(Date.now() + 60_000)
  // Somebody who asked for no mail before gets theirs at once.
  const other = await client.auth.signUp({ email: newEmail(), password: PASSWORD })
  expect(other.data.user!.confirmation_sent_at).toEqual(expect.any(String))
  await tight.close()
})

test('a sign-up that is refused makes no account and says how long to wait [spec-33]', { timeout: 30_000 }, async () => {
  const tight = await startWithSandbox({ LIMIT_SIGN_UP_PER_MINUTE: '1' })
  expect((await tight.client().auth.signUp({ email: newEmail(), password: PASSWORD })).error).toBeNull()
  const email = newEmail()
  expect((await tight.client().auth.signUp({ email, password: PASSWORD })).error).toMatchObject({
    status: 429,
    code: 'over_request_rate_limit',
    message: expect.stringMatching(/^Request rate limit reached\. Try again in \d+ seconds?\.$/),
  })
  expect(await tight.services.identity!.rt.db.selectFrom('users').select('id').where('email', '=', email).execute()).toEqual([])
  await tight.close()
})

test('a mail server that is down fails no sign-up: the mail is a job that waits for it [spec-33]', { timeout: 30_000 }, async () => {
  const cut = await startWithSandbox({ AUTH_AUTOCONFIRM: 'false', SMTP_URL: 'smtp://127.0.0.1:9' })
  const email = newEmail()
  const { data, error } = await cut.client().auth.signUp({ email, password: PASSWORD })
  expect([error, data.user?.email]).toEqual([null, email])
  const { rt } = cut.services.identity!
  const kept = () => rt.db.selectFrom('users').select('email').where('email', '=', email).execute()
  expect(await kept()).toEqual([{ email }])
  await cut.close()
})
