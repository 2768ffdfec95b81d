import { bookingReminders } from '@operon/contracts/crm/events'
import { userCreated } from '@operon/contracts/identity/events'
import { claimSlug, profileChanged } from '@operon/contracts/marketplace/events'
import { newId } from '@operon/kit/ids'
import { openBus } from '@operon/kit/open'
import { startTestPlatform, type TestPlatform, type TestUser } from '@operon/kit/testing/service'
import { sandboxService } from '@operon/sandbox/service'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { crmService } from '../service.ts'

type Mail = { subject: string; to: string[]; links: string[]; text: string }
let platform: TestPlatform
let db: any
beforeAll(async () => {
  platform = await startTestPlatform([crmService, sandboxService], { RATE_PUBLIC_SEND: '5000/60s', RATE_WRITE: '5000/60s' })
  db = platform.services.crm!.rt.db
  // In the place of marketplace, which gives addresses.
  const { infra } = platform
  const bus = await openBus(infra, { service: 'marketplace', db, log: infra.log })
  bus.reply(claimSlug.name, async (asked) => ({ slug: `ann-${(asked as { actor: { id: string } }).actor.id}`, name: 'Ann Host' }))
  await bus.start()
})
afterAll(() => platform.close())

let visitors = 1
/** Visitors come from a network each, unless a test says from which; one who asks again does so from the same. */
async function call(name: string, body: object, user?: TestUser, key?: string, network = key ? 1 : ++visitors) {
  const response = await fetch(`${platform.url('crm')}/functions/v1/${name}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-forwarded-for': `198.${network >> 8}.${network & 255}.7`,
      ...user?.headers,
      ...(key && { 'idempotency-key': key }),
    },
    body: JSON.stringify(body),
  })
  return { status: response.status, body: (await response.json()) as any }
}
const mails = async (to: string): Promise<Mail[]> =>
  ((await (await fetch(`${platform.url('sandbox')}/sandbox/api/inbox?to=${encodeURIComponent(to)}`)).json()) as any).messages
const events = (user: TestUser, name: string) =>
  db.selectFrom('outbox').select('payload').where('name', '=', name).where('user_id', '=', user.id).orderBy('id').execute()

const everyDay = Array.from({ length: 7 }, () => [{ from: 540, to: 1020 }])
const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)

/** Somebody who can be booked for half an hour, every quarter of an hour from nine to five UTC. */
async function aHost(more: object = {}) {
  const user = platform.user()
  const email = `host-${user.id}@example.com`
  await platform.emit(userCreated, user.id, {
    email,
    name: 'Ann Host',
    role: null,
    referral_code: null,
    version: 1,
    email_verified: true,
  } as never)
  await expect.poll(() => db.selectFrom('people').select('email').where('user_id', '=', user.id).executeTakeFirst()).toEqual({ email })
  await call('save-availability', { zone: 'UTC', hours: everyDay, exceptions: [], version: 0 }, user)
  const type = {
    title: 'First call',
    slug: 'first-call',
    minutes: 30,
    step_minutes: 15,
    notice_minutes: 0,
    place_kind: 'address',
    place: 'Main Street 1',
  }
  const made = await call('create-event-type', { ...type, ...more }, user)
  expect(made.status).toBe(200)
  const [, profile] = /\/book\/([^/]+)\/first-call$/.exec(made.body.url)!
  const at = { profile: profile!, event_type: 'first-call' }
  const slots = async (day = inDays(3), days = 1): Promise<string[]> =>
    (await call('list-slots', { ...at, from: day, days, zone: 'UTC' })).body.slots
  const book = (start: string, guest: object = {}, key?: string, network?: number) =>
    call(
      'book',
      { ...at, start, name: 'Ines Ortega', email: `g-${newId()}@example.com`, zone: 'Europe/Madrid', ...guest },
      undefined,
      key,
      network,
    )
  return { user, email, at, slots, book, typeId: made.body.event_type_id as string }
}
const tokenIn = (url: string) => url.slice(url.lastIndexOf('/') + 1)

test('200 visitors at once: of one time, and of times that overlap it, exactly one is booked [spec-131]', { timeout: 60_000 }, async () => {
  const { user, slots, book } = await aHost()
  const [, , nine30] = await slots()
  for (const starts of [[nine30!], [nine30!, shifted(nine30!, 15)]]) {
    const answers = await Promise.all(Array.from({ length: 200 }, (_, n) => decided(() => book(starts[n % starts.length]!))))
    const by = (status: number) => answers.filter((answer) => answer.status === status).length
    expect([by(200), by(409), answers.find(({ status }) => status === 409)?.body.code]).toEqual([1, 199, 'slot_taken'])
    const kept = await db.selectFrom('bookings').select(['id', 'starts_at']).where('user_id', '=', user.id).execute()
    expect(kept).toHaveLength(1)
    expect(await db.selectFrom('appointments').select(['id', 'status']).where('user_id', '=', user.id).execute()).toEqual([
      { id: kept[0].id, status: 'confirmed' },
    ])
    expect(await events(user, 'crm.appointment_booked')).toHaveLength(1)
    await db.deleteFrom('bookings').where('user_id', '=', user.id).execute()
    await db.deleteFrom('appointments').where('user_id', '=', user.id).execute()
    await db.deleteFrom('outbox').where('name', '=', 'crm.appointment_booked').where('user_id', '=', user.id).execute()
  }
})
/** A busy service sends some away before they have looked (503): they come again, as a browser would, until they are told yes or no. */
async function decided(ask: () => ReturnType<typeof call>) {
  for (let answer = await ask(); ; answer = await ask()) if (answer.status !== 503) return answer
}
const shifted = (iso: string, minutes: number) => new Date(Date.parse(iso) + minutes * 60_000).toISOString()

test('the database refuses what overlaps even where nothing looked before [spec-131]', async () => {
  const { user, slots } = await aHost()
  const [start] = await slots()
  const own = (more: object) =>
    call('create-appointment', { title: 'Dentist', starts_at: start, ends_at: shifted(start!, 60), ...more }, user)
  expect((await own({})).status).toBe(200)
  expect((await own({ starts_at: shifted(start!, 30), ends_at: shifted(start!, 90) })).body.code).toBe('slot_taken')
  expect((await own({ blocks: false })).status).toBe(200)
  const rows = {
    user_id: user.id,
    title: 'x',
    starts_at: start,
    ends_at: shifted(start!, 15),
    during: `[${start},${shifted(start!, 15)})`,
    state: 'confirmed',
  }
  await expect(
    db
      .insertInto('bookings')
      .values({ id: newId(), ...rows })
      .execute(),
  ).rejects.toMatchObject({ code: '23P01' })
})

test('a visitor books, both hear of it with a file for their calendars, and the same call again books nothing more [spec-131]', async () => {
  const { user, email, slots, book } = await aHost({
    questions: [{ label: 'Your shop', required: true, kind: 'line' }],
    remind_minutes: 60,
  })
  const [start] = await slots()
  const guest = { email: `Guest-${newId()}@Example.com` }
  expect((await book(start!, guest)).body.code).toBe('booking_answers')
  const key = newId()
  const answered = { ...guest, answers: ['A cafe'] }
  const [first, again] = [await book(start!, answered, key), await book(start!, answered, key)]
  expect([first.status, again.body]).toEqual([200, first.body])
  expect(await slots()).not.toContain(start)

  const to = guest.email.toLowerCase()
  await expect.poll(() => mails(to)).toHaveLength(1)
  await expect.poll(() => mails(email)).toHaveLength(1)
  const [[theirs], [ours]] = [await mails(to), await mails(email)]
  expect(theirs!.subject).toBe('Your booking with Ann Host')
  expect(theirs!.text).toContain('(Europe/Madrid)')
  expect(theirs!.text).not.toContain('Ines')
  expect(ours!.text).toContain('A cafe')
  const file = await fetch(`${platform.url('crm')}/functions/v1/booking.ics?token=${tokenIn(first.body.manage_url)}`)
  const written = await file.text()
  expect([file.headers.get('content-type'), written]).toEqual(['text/calendar; charset=utf-8', expect.stringContaining('METHOD:REQUEST')])
  // The guest's address is whatever a stranger typed, so nothing else that they typed goes there.
  expect(written).not.toMatch(/Ines|Ortega|A cafe/)

  await expect
    .poll(() => db.selectFrom('leads').select(['name', 'email', 'source']).where('user_id', '=', user.id).execute())
    .toEqual([{ name: 'Ines Ortega', email: to, source: 'booking' }])
  // A booking says that somebody typed this address, and nothing about campaigns.
  expect(await db.selectFrom('consents').select('state').where('user_id', '=', user.id).execute()).toEqual([])
  expect(await db.selectFrom('activities').select(['kind', 'text']).where('user_id', '=', user.id).execute()).toEqual([
    { kind: 'booking', text: 'Booked First call with Ines Ortega' },
  ])

  const day = start!.slice(0, 10)
  const listed = await call('list-appointments', { from: `${day}T00:00:00Z`, to: `${day}T23:59:00Z` }, user)
  expect(listed.body.appointments).toMatchObject([
    { title: 'First call with Ines Ortega', state: 'confirmed', answers: [{ label: 'Your shop', answer: 'A cafe' }] },
  ])
  const [{ ends_at }] = listed.body.appointments
  const after = await call('list-appointments', { from: ends_at, to: new Date(Date.parse(ends_at) + 3_600_000).toISOString() }, user)
  expect(after.body.appointments).toEqual([])
})

test('by the link a booking is moved and cancelled; looking changes nothing, and a forged link opens nothing [spec-131]', async () => {
  const { user, email, slots, book } = await aHost()
  const [start, , , , later] = await slots()
  const guest = `g-${newId()}@example.com`
  const { body } = await book(start!, { email: guest })
  const token = tokenIn(body.manage_url)
  for (let n = 0; n < 2; n++)
    expect((await call('show-booking', { token })).body).toMatchObject({
      state: 'confirmed',
      open: true,
      host: 'Ann Host',
      place: 'Main Street 1',
    })
  const forged = [`${newId()}.${token.split('.')[1]}`, token.slice(0, -2), 'x', '']
  for (const each of forged) expect((await call('cancel-booking', { token: each })).body.code).toBe('booking_link')

  const moved = await call('reschedule-booking', { token, start: later })
  expect(moved.body).toMatchObject({ starts_at: later, state: 'confirmed' })
  expect((await call('reschedule-booking', { token, start: shifted(later!, 7) })).body.code).toBe('slot_taken')
  expect(await slots()).toContain(start)
  const cancelled = await Promise.all([1, 2].map(() => call('cancel-booking', { token, reason: 'ill' })))
  expect(cancelled.filter(({ status }) => status === 200).length).toBeGreaterThan(0)
  expect((await call('cancel-booking', { token })).body).toMatchObject({ state: 'cancelled', open: false })
  expect((await call('reschedule-booking', { token, start })).body.code).toBe('booking_over')
  await expect
    .poll(async () => (await mails(guest)).map(({ subject }) => subject).sort())
    .toContain('Your booking with Ann Host is cancelled')
  await expect.poll(async () => (await mails(email)).map(({ subject }) => subject)).toContain('Cancelled: First call with Ines Ortega')
  expect(await events(user, 'crm.appointment_cancelled')).toHaveLength(1)
  expect(await db.selectFrom('appointments').select('status').where('user_id', '=', user.id).execute()).toEqual([{ status: 'cancelled' }])
})

test('what a stranger types reaches no address that they name: not the reason they cancel for, not a phone number [spec-131] [S28]', async () => {
  const { email, slots, book } = await aHost({ place_kind: 'phone' })
  const [start] = await slots()
  const victim = `victim-${newId()}@example.com`
  const { body } = await book(start!, { email: victim, name: 'Call evil.example', phone: 'evil.example/1234' })
  const token = tokenIn(body.manage_url)
  // As it is attached to the email.
  const file = await (await fetch(`${platform.url('crm')}/functions/v1/booking.ics?token=${token}`)).text()
  expect(file).not.toContain('evil.example')
  await call('cancel-booking', { token, reason: 'You won: https://evil.example' })
  const cancelled = (to: string, subject: RegExp) =>
    vi.waitFor(async () => {
      const mail = (await mails(to)).find((each) => subject.test(each.subject))
      expect(mail).toBeTruthy()
      return mail!
    })
  expect((await cancelled(email, /^Cancelled/)).text).toContain('https://evil.example')
  await cancelled(victim, /is cancelled$/)
  for (const mail of await mails(victim)) expect(JSON.stringify(mail)).not.toContain('evil.example')
})

test('an account without an address of its own has no booking page, no form and asks nobody for consent [S28]', async () => {
  const nobody = platform.user({ is_anonymous: true })
  const refused = async (name: string, body: object) => (await call(name, body, nobody)).body.code
  expect([
    await refused('create-event-type', { title: 'First call', slug: 'first-call', minutes: 30 }),
    await refused('create-lead-form', { title: 'Contact us' }),
    await refused('ask-opt-in', { email: 'victim@example.com' }),
  ]).toEqual(Array(3).fill('anonymous_no_letters'))
})

test('a request waits for its host, keeps its time meanwhile, and is told the answer [spec-131]', async () => {
  const { user, slots, book } = await aHost({ needs_approval: true })
  const [start, , next] = await slots()
  const guests = [1, 2].map(() => `g-${newId()}@example.com`)
  const [first, second] = [await book(start!, { email: guests[0] }), await book(next!, { email: guests[1] })]
  expect(first.body.state).toBe('pending')
  expect(await slots()).not.toContain(start)
  const answer = (booking: any, confirm: boolean, by = user) =>
    call('answer-booking', { appointment_id: booking.body.booking_id, confirm }, by)
  expect((await answer(first, true, platform.user())).body.code).toBe('not_found')
  expect((await answer(first, true)).body.state).toBe('confirmed')
  expect((await answer(first, false)).body.code).toBe('booking_over')
  expect((await answer(second, false)).body.state).toBe('declined')
  expect(await slots()).toContain(next)
  await expect.poll(async () => (await mails(guests[0]!)).map(({ subject }) => subject)).toContain('Ann Host confirmed your booking')
  await expect.poll(async () => (await mails(guests[1]!)).map(({ subject }) => subject)).toContain('Ann Host declined your booking request')
})

test('each side is reminded once, and a booking that was moved is reminded of at its new time [spec-131]', async () => {
  const { slots, book, email } = await aHost({ remind_minutes: 1440 })
  const [start] = await slots()
  const guest = `g-${newId()}@example.com`
  const { body } = await book(start!, { email: guest })
  const { remind_at } = await db.selectFrom('bookings').select('remind_at').where('id', '=', body.booking_id).executeTakeFirst()
  expect(remind_at.toISOString()).toBe(shifted(start!, -1440))
  await db.updateTable('bookings').set({ remind_at: new Date() }).where('id', '=', body.booking_id).execute()
  const { jobs } = platform.services.crm!.rt
  for (let n = 0; n < 3; n++) await jobs.add([{ id: newId(), name: bookingReminders.name, user_id: null, payload: {}, trace: null }])
  for (const to of [guest, email])
    await expect.poll(async () => (await mails(to)).filter(({ subject }) => subject.startsWith('Reminder'))).toHaveLength(1)
  const [, , , , later] = await slots()
  await call('reschedule-booking', { token: tokenIn(body.manage_url), start: later })
  const after = await db.selectFrom('bookings').select('remind_at').where('id', '=', body.booking_id).executeTakeFirst()
  expect(after.remind_at.toISOString()).toBe(shifted(later!, -1440))
})

test('an owner moves, renames and cancels; two tabs do not overwrite each other, and nobody reaches another calendar [spec-131]', async () => {
  const { user, slots, book } = await aHost()
  const [start, , , , later] = await slots()
  const { body } = await book(start!)
  const of = { appointment_id: body.booking_id }
  const move = (by: TestUser, version: number) =>
    call('move-appointment', { ...of, starts_at: later, ends_at: shifted(later!, 30), version }, by)
  expect((await move(platform.user(), 1)).body.code).toBe('not_found')
  expect((await move(user, 1)).body).toEqual({ ...of, version: 2 })
  expect((await move(user, 1)).body.code).toBe('conflict')
  expect((await call('edit-appointment', { ...of, title: 'Call', place: '', notes: 'private', version: 2 }, user)).body.version).toBe(3)
  expect((await call('mark-no-show', of, user)).body.code).toBe('booking_over')
  expect((await call('delete-appointment', of, user)).body.code).toBe('not_found')
  expect((await call('cancel-appointment', of, platform.user())).body.code).toBe('not_found')
  expect((await call('cancel-appointment', { ...of, reason: 'Ill' }, user)).body.state).toBe('cancelled')
  const held = await call('show-booking', { token: tokenIn(body.manage_url) })
  expect(held.body).toMatchObject({ state: 'cancelled', reason: 'Ill' })
  expect(JSON.stringify(held.body)).not.toContain('private')
})

test('a guest who did not come is noted once the booking has begun, and that can be taken back [spec-131]', async () => {
  const { user, slots, book } = await aHost()
  const { body } = await book((await slots())[0]!)
  await db
    .updateTable('bookings')
    .set({ starts_at: new Date(Date.now() - 600_000) })
    .where('id', '=', body.booking_id)
    .execute()
  const mark = (no_show: boolean) => call('mark-no-show', { appointment_id: body.booking_id, no_show }, user)
  expect([(await mark(true)).body.state, (await mark(true)).body.code, (await mark(false)).body.state]).toEqual([
    'no_show',
    'booking_over',
    'confirmed',
  ])
  expect(await events(user, 'crm.guest_missing')).toHaveLength(1)
})

test('31 days of free times cost no more beside 20,000 bookings that are over than beside none [spec-131]', {
  timeout: 60_000,
}, async () => {
  const [full, empty] = [await aHost(), await aHost()]
  await sql`
    insert into bookings (id, user_id, title, starts_at, ends_at, during, state)
    select gen_random_uuid(), ${full.user.id}, 'x', at, at + interval '30 minutes', tstzrange(at, at + interval '30 minutes'), 'confirmed'
    from (select date_trunc('hour', now()) - n * interval '1 hour' as at from generate_series(1, 20000) n)`.execute(db)
  await sql`analyze bookings`.execute(db)
  const took: [number[], number[]] = [[], []]
  for (let n = 0; n < 30; n++)
    for (const [which, { slots }] of [full, empty].entries()) {
      const began = performance.now()
      expect((await slots(inDays(1), 31)).length).toBeGreaterThan(100)
      took[which]!.push(performance.now() - began)
    }
  const [beside, alone] = took.map((times) => times.sort((one, other) => one - other)[15]!) as [number, number]
  if (process.env.SHOW_FIGURES) console.log(`free times of 31 days: ${beside.toFixed(1)} ms beside bookings, ${alone.toFixed(1)} ms alone`)
  expect(beside).toBeLessThanOrEqual(2 * alone)
})

test('a visitor cannot fill an inbox or a calendar from one address [spec-131]', async () => {
  const { slots, book } = await aHost()
  const free = (await slots(inDays(3), 3)).filter((_, n) => n % 2 === 0)
  const email = `g-${newId()}@example.com`
  const answers = []
  for (const start of free.slice(0, 9)) answers.push((await book(start, { email })).body.code ?? 200)
  expect(answers).toEqual([...Array(8).fill(200), 'booking_many'])
})

test('a stranger with many addresses uses up the day of no host: a guest from elsewhere still books [spec-131] [S28]', {
  timeout: 60_000,
}, async () => {
  const { slots, book } = await aHost()
  const free = (await slots(inDays(3), 5)).filter((_, n) => n % 2 === 0)
  const answers = []
  for (const start of free.slice(0, 61)) answers.push((await book(start, {}, undefined, 60_000)).body.code ?? 200)
  expect(answers).toEqual([...Array(60).fill(200), 'booking_many'])
  expect((await book(free.at(-1)!)).status).toBe(200)
})

test('nor from the pages of many hosts [S28]', async () => {
  const hosts = await Promise.all([1, 2, 3, 4].map(() => aHost()))
  const email = `g-${newId()}@example.com`
  const answers = []
  for (const { slots, book } of hosts)
    for (const start of (await slots(inDays(3), 3)).filter((_, n) => n % 2 === 0).slice(0, 7))
      answers.push((await book(start, { email })).body.code ?? 200)
  expect(answers).toEqual([...Array(24).fill(200), ...Array(4).fill('booking_many')])
})

test('an address is claimed once and follows when it changes; a page that is off, or of nobody, is not there [spec-131]', async () => {
  const { user, at, typeId } = await aHost()
  expect((await call('create-event-type', { title: 'Again', slug: 'first-call', minutes: 15 }, user)).body.code).toBe('event_type_slug')
  const page = await call('show-booking-page', { profile: at.profile })
  expect(page.body).toMatchObject({ name: 'Ann Host', zone: 'UTC', event_types: [{ slug: 'first-call', place: 'Main Street 1' }] })
  expect(Object.keys(page.body.event_types[0])).not.toContain('id')
  await platform.emit(profileChanged, user.id, { slug: `new-${user.id}`, version: 9 })
  await expect.poll(async () => (await call('show-booking-page', { profile: `new-${user.id}` })).status).toBe(200)
  const kept = { title: 'First call', slug: 'first-call', minutes: 30, active: false, event_type_id: typeId }
  expect((await call('update-event-type', { ...kept, version: 1 }, platform.user())).body.code).toBe('not_found')
  expect((await call('update-event-type', { ...kept, version: 1 }, user)).body.version).toBe(2)
  expect((await call('update-event-type', { ...kept, version: 1 }, user)).body.code).toBe('conflict')
  for (const [name, body] of [
    ['show-booking-page', { profile: `new-${user.id}` }],
    ['list-slots', { profile: `new-${user.id}`, event_type: 'first-call', from: inDays(1), zone: 'UTC' }],
  ] as const)
    expect((await call(name, body)).status).toBe(404)
})
