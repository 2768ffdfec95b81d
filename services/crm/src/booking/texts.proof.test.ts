import { bookingReminders, bookingText } from '@operon/contracts/crm/events'
import { userCreated } from '@operon/contracts/identity/events'
import { claimSlug } from '@operon/contracts/marketplace/events'
import { limitsOf } from '@operon/contracts/plans'
import { newId } from '@operon/kit/ids'
import { phoneBlock } from '@operon/kit/mail/blocks'
import { openTexter, textNumber } from '@operon/kit/mail/texts'
import { openBus } from '@operon/kit/open'
import { insert, update } from '@operon/kit/testing/rows'
import { startTestPlatform, type TestPlatform, type TestUser } from '@operon/kit/testing/service'
import { sandboxService } from '@operon/sandbox/service'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { sendTextReminders } from '../calendar/reminders.ts'
import { crmService } from '../service.ts'
import { sendBookingText, textOf } from './text.ts'

let platform: TestPlatform
let db: any
beforeAll(async () => {
  platform = await startTestPlatform([crmService, sandboxService], { RATE_PUBLIC_SEND: '5000/60s', RATE_WRITE: '5000/60s' })
  db = platform.services.crm!.rt.db
  const { infra } = platform
  const bus = await openBus(infra, { service: 'marketplace', db, log: infra.log })
  bus.reply(claimSlug.name, async (asked) => ({ slug: `ann-${(asked as { actor: { id: string } }).actor.id}`, name: 'Ann Host' }))
  await bus.start()
})
afterAll(() => platform.close())

let visitors = 0
const call = (name: string, body: object, user?: TestUser) =>
  platform.call(name, user ?? null, body, { 'x-forwarded-for': `198.51.${++visitors}.7` })
let numbers = 0
const aNumber = () => `+1212${String(Date.now()).slice(-3)}${String(++numbers).padStart(4, '0')}`
const textsTo = async (number: string): Promise<string[]> => {
  const response = await fetch(`${platform.url('sandbox')}/sandbox/api/inbox?to=${encodeURIComponent(number)}`)
  return ((await response.json()) as any).messages.map(({ text }: { text: string }) => text)
}
const everyDay = Array.from({ length: 7 }, () => [{ from: 0, to: 1440 }])
const type = { title: 'First call', slug: 'first-call', minutes: 30, notice_minutes: 0, place_kind: 'address', place: 'Main Street 1' }

/** Somebody with a plan, whose page offers a text an hour before. */
async function aHost(more: object = {}, tier = 'basic') {
  const user = platform.user()
  await platform.emit(userCreated, user.id, {
    ...{ email: `host-${user.id}@example.com`, name: 'Ann Host', role: null, referral_code: null, version: 1, email_verified: true },
  } as never)
  await expect.poll(() => db.selectFrom('people').select('user_id').where('user_id', '=', user.id).executeTakeFirst()).toBeTruthy()
  const limits = JSON.stringify(limitsOf(tier as 'basic'))
  await insert(db, 'entitlements', {
    user_id: user.id,
    tier,
    status: 'active',
    limits,
    period_start: new Date(),
    period_end: null,
    version: 1,
  })
  await call('save-availability', { zone: 'UTC', hours: everyDay, exceptions: [], version: 0 }, user)
  const made = await call('create-event-type', { ...type, sms_minutes: 60, ...more }, user)
  expect(made.status, JSON.stringify(made.body)).toBe(200)
  const [, profile] = /\/book\/([^/]+)\/first-call$/.exec(made.body.url)!
  const at = { profile: profile!, event_type: 'first-call' }
  const from = new Date(Date.now() + 2 * 86_400_000).toISOString().slice(0, 10)
  const slots: string[] = (await call('list-slots', { ...at, from, days: 4, zone: 'UTC' })).body.slots
  let next = 0
  const book = (guest: object = {}) =>
    call('book', { ...at, start: slots[next++], name: 'Ines Ortega', email: `g-${newId()}@example.com`, text_me: true, ...guest })
  const booked = async (phone: string, guest: object = {}) => {
    const answer = await book({ phone, ...guest })
    expect(answer.status, JSON.stringify(answer.body)).toBe(200)
    return { id: answer.body.booking_id as string, token: answer.body.manage_url.split('/').at(-1) as string }
  }
  return { user, at, slots, book, booked, free: () => slots[next++]!, typeId: made.body.event_type_id as string }
}
const row = (id: string) => db.selectFrom('bookings').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
const stateOf = async (id: string) => (await row(id)).sms_state
const due = (id: string) => update(db, 'bookings', { id }, { sms_at: new Date(Date.now() - 1000) })
async function remind() {
  const { jobs } = platform.services.crm!.rt
  await jobs.add([{ id: newId(), name: bookingReminders.name, user_id: null, payload: {}, trace: null }])
  await settled()
}
/** The job that `remind` asks for, which may run late or twice. */
const askText = (id: string, startsAt: Date) =>
  platform.services.crm!.rt.jobs.add([
    { id: newId(), name: bookingText.name, user_id: null, payload: { booking_id: id, starts_at: startsAt.toISOString() }, trace: null },
  ])
const settled = () => vi.waitFor(async () => expect(await platform.services.crm!.rt.jobs.waiting()).toBe(0), { timeout: 20_000 })
/** Comes due, and goes as far as it goes. */
async function reminded(id: string) {
  await due(id)
  await remind()
  await vi.waitFor(async () => expect(['planned', 'queued', 'sending']).not.toContain(await stateOf(id)), { timeout: 20_000 })
  return stateOf(id)
}

test('a guest who ticks it is texted once before the start, and what they agreed to is on record [spec-131]', async () => {
  const { user, slots, booked } = await aHost()
  const number = aNumber()
  const { id } = await booked(number, { zone: 'Europe/Madrid' })
  expect((await row(id)).sms_at.toISOString()).toBe(new Date(Date.parse(slots[0]!) - 3_600_000).toISOString())
  expect(
    await db.selectFrom('consents').select(['channel', 'address', 'state', 'evidence']).where('user_id', '=', user.id).execute(),
  ).toEqual([{ channel: 'sms', address: number, state: 'given', evidence: 'Ticked “Text me a reminder” when booking First call' }])
  await due(id)
  await Promise.all([remind(), remind(), remind()])
  await expect.poll(() => stateOf(id)).toBe('sent')
  await remind()
  const texts = await textsTo(number)
  expect(texts).toHaveLength(1)
  expect(texts[0]).toMatch(/^Reminder: First call with Ann Host, \w{3}, \w{3} \d+, \d+:\d\d [AP]M GMT\+\d\. Reply STOP to end texts\.$/)
  expect(texts[0]!.length).toBeLessThanOrEqual(160)
  expect(texts[0]).not.toContain('Ines')
  const { event_types, texts: left } = (await call('list-event-types', {}, user)).body
  expect([event_types[0].sms_minutes, left]).toEqual([60, { reason: null, a_day: 20, left: 19 }])
})

test('nobody is texted who did not tick it, and a number that no text reaches is refused [spec-131]', async () => {
  const { user, book, booked } = await aHost()
  const silent = await book({ phone: aNumber(), text_me: false })
  expect(await row(silent.body.booking_id)).toMatchObject({ sms_to: null, sms_at: null, sms_state: null })
  expect(await db.selectFrom('consents').select('id').where('user_id', '=', user.id).execute()).toEqual([])
  for (const phone of [undefined, '', '212 555 0100', '+1 900 555 0100', '+44 9012 345678', '+979 123 456 789', 'evil.example'])
    expect([phone, (await book({ phone })).body.code]).toEqual([phone, 'booking_text_phone'])
  expect([textNumber('0049 (151) 234-567.89'), textNumber('+49 137 1234567')]).toEqual(['4915123456789', null])
  // A page that offers none takes no tick.
  const none = await aHost({ sms_minutes: 0 })
  const { id } = await none.booked(aNumber())
  expect((await row(id)).sms_to).toBeNull()
  await booked(aNumber())
})

test('a booking that is cancelled, declined or moved is not reminded of at its old time [spec-131]', async () => {
  const { booked, free } = await aHost()
  const numbers = [aNumber(), aNumber(), aNumber()]
  const [cancelled, moved, late] = [await booked(numbers[0]!), await booked(numbers[1]!), await booked(numbers[2]!)]
  await call('cancel-booking', { token: cancelled.token })
  await due(cancelled.id)
  await remind()
  expect(await textsTo(numbers[0]!)).toEqual([])
  expect(await row(cancelled.id)).toMatchObject({ sms_state: 'planned', texted_at: null })

  const to = free()
  expect((await call('reschedule-booking', { token: moved.token, start: to })).status).toBe(200)
  expect((await row(moved.id)).sms_at.toISOString()).toBe(new Date(Date.parse(to) - 3_600_000).toISOString())
  // Moved after the text was asked for: the job finds another time.
  const { starts_at } = await row(late.id)
  await update(db, 'bookings', { id: late.id }, { sms_state: 'queued', sms_at: null })
  await call('reschedule-booking', { token: late.token, start: free() })
  await askText(late.id, starts_at)
  await remind()
  expect([await textsTo(numbers[2]!), await stateOf(late.id)]).toEqual([[], 'planned'])

  const asked = await aHost({ needs_approval: true })
  const number = aNumber()
  const request = await asked.booked(number)
  expect((await row(request.id)).sms_at).toBeNull()
  await call('answer-booking', { appointment_id: request.id, confirm: true }, asked.user)
  expect(await stateOf(request.id)).toBe('planned')
  expect([await reminded(request.id), (await textsTo(number)).length]).toEqual(['sent', 1])
})

test('STOP ends texts from this account, a later tick does not undo it, and a lost answer is not sent again [spec-131] [S28]', async () => {
  const { user, booked } = await aHost()
  // Twilio's number of somebody who has answered STOP.
  const first = await booked('+15005550004')
  expect(await reminded(first.id)).toBe('stopped')
  const said = () =>
    db.selectFrom('consents').select(['state', 'evidence']).where('user_id', '=', user.id).where('channel', '=', 'sms').execute()
  expect(await said()).toEqual([{ state: 'withdrawn', evidence: 'Answered STOP to a text message' }])
  const second = await booked('+15005550004')
  expect(await reminded(second.id)).toBe('stopped')
  expect((await row(second.id)).texted_at).toBeNull()
  expect(await said()).toMatchObject([{ state: 'withdrawn' }])
  expect(await reminded((await booked('+15005550009')).id)).toBe('refused')

  const number = aNumber()
  const lost = await booked(number)
  await update(db, 'bookings', { id: lost.id }, { sms_state: 'sending', sms_at: null })
  const { starts_at } = await row(lost.id)
  await askText(lost.id, starts_at)
  await expect.poll(() => stateOf(lost.id)).toBe('unknown')
  expect(await textsTo(number)).toEqual([])
})

test('a text that was asked for is not sent once its booking is cancelled, moved or begun, or its guest has answered STOP [spec-131]', async () => {
  const { user, booked } = await aHost()
  const numbers = Array.from({ length: 4 }, aNumber)
  const [cancelled, moved, begun, stopped] = (await Promise.all(numbers.map((number) => booked(number)))) as [any, any, any, any]
  const at = await Promise.all([cancelled, moved, begun, stopped].map(async ({ id }) => (await row(id)).starts_at as Date))
  const queued = (id: string, more: object = {}) => update(db, 'bookings', { id }, { sms_state: 'queued', sms_at: null, ...more })
  await queued(cancelled.id)
  await call('cancel-booking', { token: cancelled.token })
  // Its text for the new time is asked for as well: this job is the one for the old time.
  await queued(moved.id, { starts_at: new Date(at[1]!.getTime() + 86_400_000), ends_at: new Date(at[1]!.getTime() + 90_000_000) })
  at[2] = new Date(Date.now() - 1000)
  await queued(begun.id, { starts_at: at[2] })
  await queued(stopped.id)
  await update(db, 'consents', { user_id: user.id, address: numbers[3]! }, { state: 'withdrawn' })
  for (const [n, { id }] of [cancelled, moved, begun, stopped].entries()) await askText(id, at[n]!)
  await settled()
  await expect.poll(() => stateOf(stopped.id)).toBe('stopped')
  expect(await Promise.all(numbers.map(textsTo))).toEqual([[], [], [], []])
  expect(await Promise.all([cancelled, moved, begun].map(({ id }) => stateOf(id)))).toEqual(['queued', 'queued', 'queued'])
})

test('a provider that hangs up or fails is not asked again, one that has no time is, and jobs at once text once [spec-131]', {
  timeout: 60_000,
}, async () => {
  const { booked } = await aHost({}, 'pro')
  const numbers = Array.from({ length: 5 }, aNumber)
  const ids: string[] = []
  for (const number of numbers) ids.push((await booked(number)).id)
  const fault = (of: object) => platform.fault({ provider: 'sms', times: 1, ...of })
  await fault({ kind: 'reset_after' })
  expect(await reminded(ids[0]!)).toBe('unknown')
  await fault({ kind: 'status', status: 500 })
  expect(await reminded(ids[1]!)).toBe('unknown')
  for (const [n, status] of [
    [2, 429],
    [3, 503],
  ] as const) {
    await fault({ kind: 'status', status })
    expect([status, await reminded(ids[n]!)]).toEqual([status, 'sent'])
  }
  const { starts_at } = await row(ids[4]!)
  await update(db, 'bookings', { id: ids[4]! }, { sms_state: 'queued', sms_at: null })
  const { rt } = platform.services.crm! as any
  const send = sendBookingText(rt, openTexter(rt))
  const payload = { booking_id: ids[4]!, starts_at: starts_at.toISOString() }
  await Promise.all(Array.from({ length: 8 }, () => send({ db, log: rt.log } as never, { id: newId(), payload } as never)))
  await settled()
  const texts = await Promise.all(numbers.map(async (number) => (await textsTo(number)).length))
  expect(texts).toEqual([1, 0, 1, 1, 1])
  // Each counts against its country, its block of numbers and the platform.
  const paces = await db.selectFrom('message_paces').select('scope').where('scope', 'like', 'sms %').execute()
  const digits = numbers[0]!.slice(1)
  expect(paces.map(({ scope }: any) => scope)).toEqual(
    expect.arrayContaining(['sms country 1', `sms block ${phoneBlock(digits)}`, 'sms platform']),
  )
})

test('a text whose turn has not come waits [spec-131] [S28]', async () => {
  const { booked } = await aHost()
  const number = aNumber()
  const { id } = await booked(number)
  const scope = `sms block ${phoneBlock(number.slice(1))}`
  const before = await db.selectFrom('message_paces').select('full_until').where('scope', '=', scope).executeTakeFirst()
  const full = (at: Date) =>
    sql`insert into message_paces (scope, full_until) values (${scope}, ${at}) on conflict (scope) do update set full_until = excluded.full_until`.execute(
      db,
    )
  await full(new Date(Date.now() + 3 * 3_600_000))
  await due(id)
  await remind()
  await expect.poll(() => stateOf(id)).toBe('queued')
  await full(before?.full_until ?? new Date())
  expect([await stateOf(id), await textsTo(number)]).toEqual(['queued', []])
})

test('texts that come due at once in two runs take no more than the plan has [spec-131]', async () => {
  const { user, booked } = await aHost({}, 'trial')
  const ids: string[] = []
  for (let n = 0; n < 6; n++) ids.push((await booked(aNumber())).id)
  for (const id of ids.slice(0, 4)) await update(db, 'bookings', { id }, { texted_at: new Date(), sms_state: 'sent', sms_at: null })
  await sql`create function held() returns trigger language plpgsql as $$ begin perform pg_advisory_xact_lock_shared(7); return new; end $$`.execute(
    db,
  )
  await sql`create trigger held before update of texted_at on bookings for each row execute function held()`.execute(db)
  onTestFinished(() => sql`drop function held cascade`.execute(db) as never)
  const run = () => sendTextReminders({ db, signal: new AbortController().signal } as never)
  /** Runs that have counted and cannot write down yet what they ask for, or wait to begin. */
  const waiting = (count: number) =>
    vi.waitFor(async () => {
      const { rows } = await sql`
        select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
          and (query like 'update "bookings"%' or query like '%pg_advisory_xact_lock%')`.execute(db)
      expect(rows).toHaveLength(count)
    })
  const runs = await db.transaction().execute(async (trx: any) => {
    await sql`select pg_advisory_xact_lock(7)`.execute(trx)
    await due(ids[4]!)
    const first = run()
    await waiting(1)
    await due(ids[5]!)
    const second = run()
    await waiting(2)
    return [first, second]
  })
  await Promise.all(runs)
  await settled()
  await expect.poll(async () => (await Promise.all(ids.map(stateOf))).sort()).toEqual(['limit', ...Array(5).fill('sent')])
  expect((await call('list-event-types', {}, user)).body.texts.left).toBe(0)
})

test('the names in a text are no addresses, and end where a text message does', () => {
  const of = (host: string, type_title: string) =>
    textOf({ host, type_title, starts_at: new Date('2026-12-01T10:00:00Z'), guest_zone: null } as never)
  expect(of('Ann', 'Win at evil.example/now')).not.toMatch(/evil\.example/)
  expect(of('https://evil.example', 'Call')).not.toMatch(/evil\.example|:\/\//)
  expect(of('A'.repeat(200), 'B'.repeat(200)).length).toBeLessThanOrEqual(160)
})

test('a stranger’s number gets three texts a day from all accounts together, and an account sends no more than its plan has [spec-131] [S28]', {
  timeout: 60_000,
}, async () => {
  const hosts = [await aHost(), await aHost()]
  const victim = aNumber()
  const ids: string[] = []
  for (const { booked } of hosts) for (let n = 0; n < 3; n++) ids.push((await booked(victim)).id)
  for (const id of ids) await due(id)
  await remind()
  await expect.poll(() => textsTo(victim), { timeout: 20_000 }).toHaveLength(3)
  expect((await Promise.all(ids.map(stateOf))).filter((state) => state === 'number')).toHaveLength(3)

  const small = await aHost({}, 'trial')
  const sent: string[] = []
  for (let n = 0; n < 6; n++) sent.push((await small.booked(aNumber())).id)
  for (const id of sent) await due(id)
  await Promise.all([remind(), remind()])
  await expect
    .poll(async () => (await Promise.all(sent.map(stateOf))).sort(), { timeout: 20_000 })
    .toEqual(['limit', ...Array(5).fill('sent')])
  expect((await call('list-event-types', {}, small.user)).body.texts).toEqual({ reason: null, a_day: 5, left: 0 })
  // Moved by its host again and again, a booking is texted about once a day.
  const first = (await Promise.all(sent.map(row))).find(({ texted_at }) => texted_at)!.id
  await update(db, 'bookings', { id: first }, { sms_state: 'planned' })
  await update(db, 'entitlements', { user_id: small.user.id }, { tier: 'pro' })
  expect(await reminded(first)).toBe('number')
})

test('without a plan, or without a provider in production, there are no texts, and the answer says why [spec-131]', async () => {
  const { user, typeId } = await aHost({ sms_minutes: 0 }, 'none')
  expect((await call('list-event-types', {}, user)).body.texts).toMatchObject({ reason: 'Text reminders come with a plan.' })
  const change = await call('update-event-type', { ...type, event_type_id: typeId, version: 1, sms_minutes: 60 }, user)
  expect(change.body).toMatchObject({ code: 'texts_unavailable', message: 'Text reminders come with a plan.' })

  const live = await startTestPlatform([crmService], { NODE_ENV: 'production', PUBLIC_URL: 'https://operon.example' })
  try {
    const owner = live.user()
    const listed = await live.call('list-event-types', owner)
    expect(listed.body.texts).toEqual({ reason: 'Text messages are not set up on this platform.', a_day: 0, left: 0 })
    const made = await live.call('create-event-type', owner, { ...type, sms_minutes: 60 })
    expect(made.body).toMatchObject({ code: 'texts_unavailable', message: 'Text messages are not set up on this platform.' })
  } finally {
    await live.close()
  }
})
