import { newId } from '@operon/kit/ids'
import { loadOf, takeSlot, waitOf, watchLoad } from '@operon/kit/mail/paces'
import { afterEach, expect, test, vi } from 'vitest'
import { click, codeIn, hashOf, linkIn, newEmail, PASSWORD, startWithSandbox, type WithSandbox } from '../testing/platform.ts'
import { waitForTurn } from './pacing.ts'

let platform: WithSandbox
let opened = false
afterEach(async () => {
  if (opened) await platform.close()
  opened = false
})
async function open(env: Record<string, string>) {
  platform = await startWithSandbox(env)
  opened = true
}
const dbOf = () => platform.services.identity!.rt.db
const otp = (body: object, ip = '203.0.113.7') =>
  fetch(`${platform.base}/auth/v1/otp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': ip },
    body: JSON.stringify(body),
  })
const sentSms = async () =>
  (
    (await (await fetch(`${platform.url('sandbox')}/sandbox/api/inbox?limit=500`)).json()) as { messages: { kind: string }[] }
  ).messages.filter(({ kind }) => kind === 'sms').length
async function asked(name: string): Promise<number> {
  const rows = await dbOf().selectFrom('outbox').select('id').where('name', '=', name).execute()
  return rows.length
}

test('between two one-time messages of one kind to an address lies a minute, as the protocol has it', { timeout: 30_000 }, async () => {
  await open({ LIMIT_MESSAGE_COOLDOWN_SECONDS: '60', AUTH_AUTOCONFIRM: 'false' })
  const client = platform.client()
  const email = newEmail()
  // Signing up and then asking for a new password are two kinds.
  expect((await client.auth.signUp({ email, password: PASSWORD })).data.user!.confirmation_sent_at).toEqual(expect.any(String))
  expect((await client.auth.resetPasswordForEmail(email)).error).toBeNull()
  for (const again of [
    client.auth.resetPasswordForEmail(email),
    client.auth.signInWithOtp({ email }),
    client.auth.resend({ type: 'signup', email }),
  ]) {
    const { error } = await again
    expect(error).toMatchObject({ status: 429, code: 'over_email_send_rate_limit' })
    expect(error!.message).toMatch(/^For security purposes, you can only request this after (5\d|60) seconds\.$/)
  }
  expect((await client.auth.signUp({ email, password: PASSWORD })).data.user!.confirmation_sent_at).toBeNull()
  const phone = `+1555${String(Date.now()).slice(-7)}`
  expect((await client.auth.signInWithOtp({ phone })).error).toBeNull()
  expect((await client.auth.signInWithOtp({ phone })).error).toMatchObject({ status: 429, code: 'over_sms_send_rate_limit' })
})

test('a sign-up whose letter has to wait leaves the letter that is out as it was, but no password with it [spec-25]', {
  timeout: 30_000,
}, async () => {
  await open({ LIMIT_MESSAGE_COOLDOWN_SECONDS: '3600', AUTH_AUTOCONFIRM: 'false' })
  const STRANGERS = 'Str4nger-horse-battery'
  const passwords = [PASSWORD, STRANGERS]
  const signsIn = async (email: string, password: string) =>
    (await platform.client().auth.signInWithPassword({ email, password })).error === null
  const twice = async (email: string, order: string[]) => {
    for (const [at, password] of order.entries()) {
      if (at) await platform.mail(email)
      const { data } = await platform.client().auth.signUp({ email, password })
      expect(data.user!.confirmation_sent_at === null).toBe(at > 0)
    }
    return linkIn(await platform.mail(email))
  }
  for (const order of [passwords, passwords.toReversed()]) {
    const email = newEmail()
    const link = await twice(email, order)
    expect(hashOf(await click(platform, link))).toMatchObject({ type: 'signup', access_token: expect.any(String) })
    for (const password of passwords) expect(await signsIn(email, password)).toBe(false)
    // Waiting messages are no longer sent.
    expect(await dbOf().selectFrom('one_time_tokens').select('id').where('relates_to', '=', email).execute()).toEqual([])
  }
  const email = newEmail()
  const first = await twice(email, passwords)
  await dbOf().updateTable('outbox').set({ available_at: new Date() }).where('kind', '=', 'job').where('sent_at', 'is', null).execute()
  const second = await vi.waitFor(
    async () => {
      const found = (await platform.mails(email)).map(linkIn).find((link) => link !== first)
      expect(found).toBeDefined()
      return found!
    },
    { timeout: 15_000, interval: 100 },
  )
  expect(hashOf(await click(platform, first))).toMatchObject({ error_code: 'otp_expired' })
  expect(hashOf(await click(platform, second, {}, { password: 'Ch0sen-by-the-owner' }))).toMatchObject({ type: 'signup' })
  expect([await signsIn(email, 'Ch0sen-by-the-owner'), await signsIn(email, PASSWORD), await signsIn(email, STRANGERS)]).toEqual([
    true,
    false,
    false,
  ])
})

test('one network, however many addresses it has, sends 10 text messages an hour and no 121', { timeout: 30_000 }, async () => {
  await open({ LIMIT_SMS_FROM_NETWORK_PER_HOUR: '10' })
  const answers = await Promise.all(
    Array.from({ length: 121 }, (_, n) => otp({ phone: `+49151${String(10_000_000 + n * 7919)}` }, `203.0.113.${n % 250}`)),
  )
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(10)
  const refused = answers.find(({ status }) => status === 429)!
  expect(await refused.json()).toMatchObject({ error_code: 'over_sms_send_rate_limit' })
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  // An IPv6 customer's /64 is one network, too.
  const six = await Promise.all(
    Array.from({ length: 30 }, (_, n) => otp({ phone: `+44771${String(1_000_000 + n * 7919)}` }, `2001:db8:1:2::${n + 1}`)),
  )
  expect(six.filter(({ status }) => status === 200)).toHaveLength(10)
  expect((await otp({ phone: '+33612345678' }, '198.51.100.7')).status).toBe(200)
})

test('a flood from everywhere gets slow, the rest waits in its jobs, and an owner still hears of their account', {
  timeout: 60_000,
}, async () => {
  await open({ LIMIT_SMS_PLATFORM_PER_HOUR: '20', LIMIT_MESSAGE_RESERVE_PERCENT: '50', LIMIT_MESSAGE_WAIT_MINUTES: '30' })
  const client = platform.client()
  const own = `+1555${String(Date.now()).slice(-7)}`
  await client.auth.signInWithOtp({ phone: own })
  await client.auth.verifyOtp({ phone: own, token: codeIn(await platform.mail(own)), type: 'sms' })

  const statuses: number[] = []
  for (let n = 0; n < 20; n++) {
    statuses.push((await otp({ phone: `+49151${String(10_000_000 + n * 7919)}` }, `10.0.${n}.1`)).status)
    // The places are given by the job behind the request.
    await expect.poll(() => asked('identity.send_sms')).toBe(1 + statuses.filter((status) => status === 200).length)
    await expect.poll(slots).toBe(1 + statuses.filter((status) => status === 200).length)
  }
  // Of ten an hour five may go at once; then one each twelve minutes, until the wait is longer than half an hour.
  expect(await sentSms()).toBe(5)
  const taken = statuses.filter((status) => status === 200).length
  expect(taken).toBeLessThanOrEqual(8)
  expect(statuses.slice(taken).every((status) => status === 429)).toBe(true)
  const waiting = await dbOf().selectFrom('message_slots').select('message_id').where('due_at', '>', new Date()).execute()
  expect(waiting).toHaveLength(1 + taken - 5)
  for (const { message_id } of waiting) expect((await platform.services.identity!.rt.jobs.status(message_id))?.state).toBe('delayed')
  // A message that waited still works when it comes: its hour begins then.
  const { expires_at, due_at } = await dbOf()
    .selectFrom('one_time_tokens')
    .innerJoin('message_slots', 'message_slots.message_id', 'one_time_tokens.id')
    .select(['expires_at', 'due_at'])
    .where('due_at', '>', new Date())
    .orderBy('due_at', 'desc')
    .executeTakeFirstOrThrow()
  expect(expires_at.getTime() - due_at.getTime()).toBeGreaterThan(3_590_000)

  const before = await sentSms()
  expect((await client.auth.updateUser({ password: PASSWORD })).error).toBeNull()
  await expect.poll(sentSms).toBe(before + 1)

  const staff = await fetch(`${platform.base}/functions/v1/message-limits`, {
    method: 'POST',
    headers: { authorization: 'Bearer test-service-key-0123456789', 'content-type': 'application/json' },
    body: '{}',
  })
  expect(await staff.json()).toMatchObject({
    channels: [
      { channel: 'email', state: 'ok', waiting: 0 },
      { channel: 'sms', state: 'full', per_hour: 10, waiting: 1 + taken - 5 },
    ],
  })
})
const slots = async () => (await dbOf().selectFrom('message_slots').select('message_id').where('channel', '=', 'sms').execute()).length

test('a domain, an account and a range of numbers are slowed by themselves, others are served', { timeout: 30_000 }, async () => {
  await open({ LIMIT_MAIL_TO_DOMAIN_PER_HOUR: '4', LIMIT_SMS_TO_BLOCK_PER_HOUR: '2', LIMIT_SMS_TO_COUNTRY_PER_HOUR: '4' })
  for (let n = 0; n < 5; n++) expect((await otp({ email: `${newEmail()}.flooded.test` }, `10.1.${n}.1`)).status).toBe(200)
  for (let n = 0; n < 3; n++) expect((await otp({ phone: `+49151123400${n}0` }, `10.2.${n}.1`)).status).toBe(200)
  const other = newEmail()
  expect((await otp({ email: other })).status).toBe(200)
  await platform.mail(other)
  await expect.poll(async () => (await dbOf().selectFrom('message_slots').select('message_id').execute()).length).toBe(9)
  const waiting = await dbOf().selectFrom('message_slots').select('channel').where('due_at', '>', new Date()).execute()
  expect(waiting.map(({ channel }) => channel).sort()).toEqual(['email', 'email', 'email', 'sms', 'sms'])
})

test('an account is slowed by itself, to whatever numbers its messages go [S28]', async () => {
  const many = ['SMS_TO_COUNTRY', 'SMS_TO_BLOCK', 'SMS_PLATFORM'].map((name) => [`LIMIT_${name}_PER_HOUR`, '100'])
  await open({ LIMIT_SMS_PER_HOUR: '4', ...Object.fromEntries(many) })
  const { rt } = platform.services.identity!
  const waiting = async (userId: string | null) => {
    const turns = [212, 310, 415, 503].map((area) =>
      waitForTurn({ rt, config: rt.config } as never, { id: newId(), userId, payload: { to: `+1${area}5550100` } }, null),
    )
    return (await Promise.allSettled(turns)).filter(({ status }) => status === 'rejected').length
  }
  expect([await waiting(newId()), await waiting(null)]).toEqual([2, 0])
})

test('all email together has a limit too, wherever it goes', { timeout: 30_000 }, async () => {
  await open({ LIMIT_MAIL_PLATFORM_PER_HOUR: '8', LIMIT_MESSAGE_RESERVE_PERCENT: '50' })
  for (let n = 0; n < 4; n++) expect((await otp({ email: `${newEmail()}.place-${n}.test` }, `10.3.${n}.1`)).status).toBe(200)
  const due = () => dbOf().selectFrom('message_slots').select(['due_at']).execute()
  await expect.poll(async () => (await due()).length).toBe(4)
  expect((await due()).filter(({ due_at }) => due_at > new Date())).toHaveLength(2)
})

test('the operator is told once when a limit of the platform is near, reached, and no longer near', async () => {
  await open({})
  const db = dbOf()
  const pace = { channel: 'email' as const, scope: 'email told', perHour: 20 }
  const told: string[] = []
  const log = { info: () => told.push('ok'), warn: () => told.push('near'), error: () => told.push('full') }
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  try {
    const { metrics } = platform.services.identity!.rt
    watchLoad({ db, log, metrics, name: 'identity', onStart: (start: () => void) => start(), onStop: () => {} } as never, [pace])
    const looks = async (state: string, count: number) => {
      vi.advanceTimersByTime(30_000)
      await expect.poll(() => told.length).toBe(count)
      expect(told.at(-1)).toBe(state)
      // Told once, however long it stays so.
      vi.advanceTimersByTime(30_000)
      await loadOf(db, [pace])
      expect(told).toHaveLength(count)
    }
    for (let n = 0; n < 9; n++) await takeSlot(db, newId(), 'email', [pace])
    await looks('near', 1)
    for (let n = 0; n < 3; n++) await takeSlot(db, newId(), 'email', [pace])
    await looks('full', 2)
    await db.deleteFrom('message_paces').where('scope', '=', pace.scope).execute()
    await looks('ok', 3)
  } finally {
    vi.useRealTimers()
  }
})

test('places are given out evenly, at most so many in any hour, and a job that runs again keeps its own', async () => {
  await open({})
  const db = dbOf()
  const pace = [{ scope: 'email platform', perHour: 12 }]
  const ids = Array.from({ length: 30 }, () => newId())
  const waits = await Promise.all(ids.map((id) => takeSlot(db, id, 'email', pace)))
  waits.sort((a, b) => a - b)
  expect(waits.filter((wait) => wait === 0)).toHaveLength(6)
  for (let at = 0; at + 12 < waits.length; at++) expect(waits[at + 12]! - waits[at]!).toBeGreaterThan(3_500_000)
  expect(Math.abs((await takeSlot(db, ids[29]!, 'email', pace)) - (await takeSlot(db, ids[29]!, 'email', pace)))).toBeLessThan(1_000)
  expect(await waitOf(db, pace)).toBeGreaterThan(waits.at(-1)!)
  expect(await loadOf(db, [{ channel: 'email', ...pace[0]! }])).toMatchObject([{ state: 'full', waiting: 24 }])
})
