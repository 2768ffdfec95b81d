import { bookingReminders } from '@operon/contracts/crm/events'
import { userCreated } from '@operon/contracts/identity/events'
import { claimSlug } from '@operon/contracts/marketplace/events'
import { limitsOf } from '@operon/contracts/plans'
import { newId } from '@operon/kit/ids'
import { textNumber } from '@operon/kit/mail/texts'
import { openBus } from '@operon/kit/open'
import { insert, update } from '@operon/kit/testing/rows'
import { startTestPlatform, type TestPlatform, type TestUser } from '@operon/kit/testing/service'
import { sandboxService } from '@operon/sandbox/service'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { crmService } from '../service.ts'

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
  await vi.waitFor(async () => expect(await jobs.waiting()).toBe(0), { timeout: 20_000 })
}
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

  const to = free()
  expect((await call('reschedule-booking', { token: moved.token, start: to })).status).toBe(200)
  expect((await row(moved.id)).sms_at.toISOString()).toBe(new Date(Date.parse(to) - 3_600_000).toISOString())
  // Moved after the text was asked for: the job finds another time.
  const { starts_at } = await row(late.id)
  await update(db, 'bookings', { id: late.id }, { sms_state: 'queued', sms_at: null })
  await call('reschedule-booking', { token: late.token, start: free() })
  await platform.services.crm!.rt.jobs.add([
    {
      id: newId(),
      name: 'crm.booking_text',
      user_id: null,
      payload: { booking_id: late.id, starts_at: starts_at.toISOString() },
      trace: null,
    },
  ])
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
  await platform.services.crm!.rt.jobs.add([
    {
      id: newId(),
      name: 'crm.booking_text',
      user_id: null,
      payload: { booking_id: lost.id, starts_at: starts_at.toISOString() },
      trace: null,
    },
  ])
  await expect.poll(() => stateOf(lost.id)).toBe('unknown')
  expect(await textsTo(number)).toEqual([])
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
  const [first] = sent
  await update(db, 'bookings', { id: first }, { sms_state: 'planned' })
  await update(db, 'entitlements', { user_id: small.user.id }, { tier: 'pro' })
  expect(await reminded(first!)).toBe('number')
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
