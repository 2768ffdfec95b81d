import { calendarApps } from '@operon/contracts/integrations/calendars'
import { DomainError } from '@operon/kit/errors'
import { newId } from '@operon/kit/ids'
import { insert, update } from '@operon/kit/testing/rows'
import { startTestService } from '@operon/kit/testing/service'
import { afterAll, expect, test } from 'vitest'
import { offerOf } from '../booking/offers.ts'
import { crmService } from '../service.ts'
import { copyBooking } from './copy.ts'
import { pull } from './pull.ts'

const platform = await startTestService(crmService)
const db: any = platform.services.crm!.rt.db
afterAll(() => platform.close())

const HOUR = 3_600_000
const DAY = 24 * HOUR
const base = Math.ceil(Date.now() / DAY) * DAY + DAY

type Event = {
  id: string
  title: string
  starts_at: string
  ends_at: string
  all_day: boolean
  busy: boolean
  key: string | null
  updated_at?: string
  /** Of a file that is a series: on how many days it is. */
  dates?: number
}
/** The dates of a file that is a series, or the event itself. */
const datesOf = ({ dates = 1, ...event }: Event): (Omit<Event, 'dates'> & { series: string | null })[] => {
  if (dates === 1) return [{ ...event, series: null }]
  const later = (at: string, n: number) => new Date(Date.parse(at) + n * DAY).toISOString()
  return Array.from({ length: dates }, (_, n) => ({
    ...{ ...event, id: `${event.id}#${n}`, series: event.id },
    ...{ starts_at: later(event.starts_at, n), ends_at: later(event.ends_at, n) },
  }))
}
/** By the clock over there, so many minutes after our writing. */
const clock = (minutes: number) => new Date(base + minutes * 60_000).toISOString()
/** A calendar over there, behind the contract: it answers with changes since a cursor, in pages, in any order, and can lose what it knew. */
class Vendor {
  events = new Map<string, Event>()
  log: string[] = []
  forgotten = 0
  writes: any[] = []
  lose = 0
  random: () => number
  /** Whether it is read file by file, of which one may be a series. */
  byFile: boolean
  constructor(random: () => number, byFile = false) {
    this.random = random
    this.byFile = byFile
  }
  put(id: string, startHour: number, hours: number, more: Partial<Event> = {}) {
    const starts_at = new Date(base + startHour * HOUR).toISOString()
    const ends_at = new Date(base + (startHour + hours) * HOUR).toISOString()
    this.events.set(id, { id, title: id, starts_at, ends_at, all_day: false, busy: true, key: null, ...more })
    this.log.push(id)
  }
  remove(id: string) {
    this.events.delete(id)
    this.log.push(id)
  }
  /** Cursors: `list <ids still to come> <place in the log>` while a full list goes on, `since <place>` afterwards. */
  async list({ cursor }: { cursor?: string }) {
    const since = cursor?.startsWith('since ') ? Number(cursor.slice(6)) : null
    const reset = since !== null && since < this.forgotten
    const goesOn = cursor?.startsWith('list ') ? JSON.parse(cursor.slice(5)) : null
    let ids: string[]
    let place: number
    if (goesOn) [ids, place] = goesOn
    else if (since === null || reset) [ids, place] = [[...this.events.keys()], this.log.length]
    else [ids, place] = [[...new Set(this.log.slice(since))], this.log.length]
    const isList = goesOn !== null || since === null || reset
    ids = ids
      .map((id) => [this.random(), id] as const)
      .sort(([a], [b]) => a - b)
      .map(([, id]) => id)
    const page = isList ? ids.splice(0, 3) : ids.splice(0)
    const gone = { removed: true, title: null, starts_at: null, ends_at: null, all_day: false, busy: false, key: null }
    const events = page.flatMap((id): object[] => {
      const there = this.events.get(id)
      const rest = { place: null, notes: null, url: null, etag: null, updated_at: null }
      return there ? datesOf(there).map((event) => ({ removed: false, ...rest, ...event })) : [{ id, ...gone, ...rest }]
    })
    const answer = {
      account: 'maya@example.com',
      events,
      cursor: ids.length ? `list ${JSON.stringify([ids, place])}` : `since ${place}`,
      more: ids.length > 0,
      reset,
      ...(this.byFile && { anew: page }),
    }
    if (this.random() < this.lose) throw new DomainError('upstream_timeout')
    return answer
  }
  rt = {
    call: async (contract: { path: string }, input: any, options: any) => {
      if (contract.path.endsWith('/list-calendar-changes')) return this.list(input)
      if (contract.path.endsWith('/watch-calendar')) return { told: true, until: null }
      this.writes.push({ ...input, idempotencyKey: options.idempotencyKey })
      return { outcome: input.event ? 'written' : 'removed', event: input.event ? { id: `at ${input.key}`, updated_at: clock(0) } : null }
    },
  } as any
}

const seeded = (seed: number) => () => {
  seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
  return seed / 2_147_483_648
}
async function aCalendar(userId: string, more: object = {}) {
  const id = newId()
  await insert(db, 'synced_calendars', {
    id,
    user_id: userId,
    connection_id: newId(),
    app: calendarApps[0],
    account: 'maya@example.com',
    ...more,
  })
  return id
}
const kept = async (calendar_id: string) =>
  (
    await db
      .selectFrom('external_events')
      .select(['remote_id', 'starts_at', 'ends_at', 'busy'])
      .where('calendar_id', '=', calendar_id)
      .orderBy('remote_id')
      .execute()
  ).map(({ remote_id, starts_at, ends_at, busy }: any) => [remote_id, starts_at.toISOString(), ends_at.toISOString(), busy])
const there = (vendor: Vendor) =>
  [...vendor.events.values()]
    .flatMap(datesOf)
    .map(({ id, starts_at, ends_at, busy }) => [id, starts_at, ends_at, busy])
    .sort(([a], [b]) => (a! < b! ? -1 : 1))

test.each([
  ['by their events', false],
  ['by their files, some of which are series', true],
] as const)(
  'deltas %s that are shuffled, lost, repeated and answered with 410 leave the busy set of a full sync [spec-131]',
  {
    timeout: 60_000,
  },
  async (_how, byFile) => {
    for (let seed = 1; seed <= 12; seed++) {
      const random = seeded(seed)
      const vendor = new Vendor(random, byFile)
      const { id: userId } = platform.user()
      const calendar = await aCalendar(userId)
      for (let step = 0; step < 25; step++) {
        for (let n = Math.floor(random() * 5); n >= 0; n--) {
          const id = `e${Math.floor(random() * 14)}`
          if (random() < 0.3) vendor.remove(id)
          else
            vendor.put(id, Math.floor(random() * 100), 1 + Math.floor(random() * 3), {
              busy: random() < 0.8,
              ...(byFile && { dates: 1 + Math.floor(random() * 3) }),
            })
        }
        if (random() < 0.15) vendor.forgotten = vendor.log.length
        vendor.lose = 0.3
        // A hint may be lost, come twice, or be worked on by two instances at once.
        const readers = Math.floor(random() * 3)
        await Promise.all(Array.from({ length: readers }, () => pull(db, vendor.rt, calendar)))
      }
      vendor.lose = 0
      for (let n = 0; n < 3; n++) await pull(db, vendor.rt, calendar)
      const full = await aCalendar(userId)
      await pull(db, vendor.rt, full)
      expect(await kept(calendar), `seed ${seed}`).toEqual(there(vendor))
      expect(await kept(full), `seed ${seed}`).toEqual(there(vendor))
    }
  },
)

test('a page that another reading overtook is dropped, and a calendar that cannot be read keeps what is known and says why', async () => {
  const vendor = new Vendor(seeded(3))
  const { id: userId } = platform.user()
  const calendar = await aCalendar(userId)
  vendor.put('a', 1, 1)
  await pull(db, vendor.rt, calendar)
  vendor.put('a', 5, 1)
  const list = vendor.list.bind(vendor)
  // The first reading asks, then waits while another one reads a later change.
  vendor.list = async (asked) => {
    const answer = await list(asked)
    vendor.list = list
    vendor.put('a', 9, 1)
    await pull(db, vendor.rt, calendar)
    return answer
  }
  await pull(db, vendor.rt, calendar)
  expect(await kept(calendar)).toEqual(there(vendor))

  vendor.list = async () => {
    throw new DomainError('connection_broken')
  }
  await pull(db, vendor.rt, calendar)
  expect(await kept(calendar)).toEqual(there(vendor))
  const { failure } = await db.selectFrom('synced_calendars').select('failure').where('id', '=', calendar).executeTakeFirst()
  expect(failure).toMatch(/connect/i)
})

test('what is busy over there is offered by no booking page: whole days in the zone of the host, free ones and calendars that do not count left out [spec-131]', async () => {
  const vendor = new Vendor(seeded(5))
  const { id: user_id } = platform.user()
  const calendar = await aCalendar(user_id)
  vendor.put('meeting', 10, 1)
  vendor.put('free', 12, 1, { busy: false })
  vendor.put('holiday', 24, 24, { all_day: true })
  await pull(db, vendor.rt, calendar)
  const slug = `h-${user_id}`
  await insert(db, 'hosts', { user_id, slug })
  await insert(db, 'schedules', { user_id, zone: 'America/New_York', hours: JSON.stringify([]) })
  const type = { id: newId(), user_id, slug: 'call', title: 'Call', minutes: 30, step_minutes: 30 }
  await insert(db, 'event_types', type)
  const busy = async () => {
    const offer = await offerOf(db, { profile: slug, event_type: 'call' }, { fromMs: base, toMs: base + 3 * DAY })
    return offer.busy.map(({ from, to }) => [(from - base) / HOUR, (to - base) / HOUR]).sort(([a], [b]) => a! - b!)
  }
  const [meeting, [from, to] = []] = await busy()
  expect(meeting).toEqual([10, 11])
  // Midnight in New York is four or five hours after that of UTC.
  expect([to! - from!, [28, 29].includes(from!)]).toEqual([24, true])
  await update(db, 'synced_calendars', { id: calendar }, { busy: false })
  expect(await busy()).toEqual([])
})

test('an appointment is written over there once a version, taken out when it is cancelled, and never comes back as something else [spec-131]', async () => {
  const vendor = new Vendor(seeded(7))
  const user = platform.user()
  const calendar = await aCalendar(user.id)
  const call = async (name: string, body: object) => {
    const headers = { ...user.headers, 'content-type': 'application/json', 'idempotency-key': newId() }
    const response = await fetch(`${platform.url()}/functions/v1/${name}`, { method: 'POST', headers, body: JSON.stringify(body) })
    return (await response.json()) as any
  }
  const at = (hour: number) => new Date(base + hour * HOUR).toISOString()
  const { appointment_id } = await call('create-appointment', { title: 'Fair', starts_at: at(1), ends_at: at(2) })
  const asked = await db
    .selectFrom('outbox')
    .select('payload')
    .where('user_id', '=', user.id)
    .where('name', '=', 'crm.copy_booking')
    .execute()
  expect(asked).toEqual([{ payload: { booking_id: appointment_id } }])
  for (const _ of [1, 2]) await copyBooking(db, vendor.rt, appointment_id)
  expect(vendor.writes).toMatchObject([{ key: appointment_id, event: { title: 'Fair', starts_at: at(1), busy: true } }])
  vendor.put(`at ${appointment_id}`, 1, 1, { key: appointment_id })
  await pull(db, vendor.rt, calendar)
  expect(await kept(calendar)).toEqual([])
  await call('cancel-appointment', { appointment_id })
  await copyBooking(db, vendor.rt, appointment_id)
  expect(vendor.writes.at(-1)).toMatchObject({ event_id: `at ${appointment_id}`, event: null })
  expect(vendor.writes).toHaveLength(2)
})

test('an appointment that is moved over there moves here, and one that is deleted is cancelled: each once, guests are told, and what changed here counts [spec-131]', async () => {
  const vendor = new Vendor(seeded(11))
  const { id: user_id } = platform.user()
  const calendar = await aCalendar(user_id)
  const at = (hour: number) => new Date(base + hour * HOUR).toISOString()
  const aBooking = async (hour: number) => {
    const id = newId()
    const times = { starts_at: at(hour), ends_at: at(hour + 1), during: `[${at(hour)},${at(hour + 1)})` }
    const guest = { guest_name: 'Ines', guest_email: `g-${id}@example.com`, guest_zone: 'UTC' }
    await insert(db, 'bookings', { id, user_id, title: `At ${hour}`, state: 'confirmed', ...times, ...guest })
    await copyBooking(db, vendor.rt, id)
    vendor.put(`at ${id}`, hour, 1, { key: id, updated_at: clock(0) })
    return id
  }
  const [moved, deleted, clashes, changed] = [await aBooking(1), await aBooking(3), await aBooking(5), await aBooking(7)]
  await pull(db, vendor.rt, calendar)
  const read = (id: string) => db.selectFrom('bookings').select(['state', 'starts_at', 'version']).where('id', '=', id).executeTakeFirst()
  const asked = async (name: string) =>
    (await db.selectFrom('outbox').select('payload').where('name', '=', name).where('user_id', '=', user_id).execute()).map(
      ({ payload }: any) => payload,
    )
  // Our own writing comes back, and so does a page from before it: nothing is followed.
  vendor.put(`at ${moved}`, 30, 1, { key: moved, updated_at: clock(-5) })
  await pull(db, vendor.rt, calendar)
  expect(await asked('crm.follow_copy')).toEqual([])

  vendor.put(`at ${moved}`, 10, 2, { key: moved, updated_at: clock(5) })
  vendor.remove(`at ${deleted}`)
  vendor.put(`at ${clashes}`, 7, 1, { key: clashes, updated_at: clock(5) })
  vendor.put(`at ${changed}`, 20, 1, { key: changed, updated_at: clock(5) })
  await update(db, 'bookings', { id: changed }, { version: 2 })
  await pull(db, vendor.rt, calendar)
  await expect.poll(() => read(moved)).toMatchObject({ state: 'confirmed', starts_at: new Date(at(10)) })
  await expect.poll(() => read(deleted)).toMatchObject({ state: 'cancelled' })
  await expect.poll(async () => (await asked('crm.copy_put_back')).length).toBe(1)
  expect(await read(clashes)).toMatchObject({ state: 'confirmed', starts_at: new Date(at(5)) })
  expect(await read(changed)).toMatchObject({ state: 'confirmed', starts_at: new Date(at(7)), version: 2 })
  // Put back over there, and read once more: nothing is done twice.
  await copyBooking(db, vendor.rt, clashes)
  expect(vendor.writes.at(-1)).toMatchObject({ event_id: `at ${clashes}`, event: { starts_at: at(5) } })
  vendor.forgotten = vendor.log.length
  await pull(db, vendor.rt, calendar)
  const mails = await asked('crm.booking_mail')
  const of = (id: string) => mails.filter(({ booking_id }: any) => booking_id === id).map(({ kind, to }: any) => `${kind} ${to}`)
  expect([of(moved), of(deleted), of(clashes)]).toEqual([['moved guest', 'moved host'], ['cancelled guest'], []])
  expect([(await asked('crm.appointment_moved')).length, (await asked('crm.appointment_cancelled')).length]).toEqual([1, 1])

  // A calendar that is cleared decides about nobody, and one that is not to be followed neither.
  const many = [await aBooking(40), await aBooking(42), await aBooking(44), await aBooking(46)]
  await pull(db, vendor.rt, calendar)
  for (const id of many) vendor.remove(`at ${id}`)
  await pull(db, vendor.rt, calendar)
  expect(await asked('crm.copies_deleted')).toEqual([{ app: calendarApps[0], count: 4 }])
  await update(db, 'synced_calendars', { id: calendar }, { follows: false })
  vendor.put(`at ${moved}`, 15, 1, { key: moved, updated_at: clock(9) })
  await pull(db, vendor.rt, calendar)
  for (const id of [...many, moved]) expect(await read(id)).toMatchObject({ state: 'confirmed' })
  expect(await read(moved)).toMatchObject({ starts_at: new Date(at(10)) })
})

test('nobody sees or changes the calendars of another', async () => {
  const [ann, eve] = [platform.user(), platform.user()]
  const calendar_id = await aCalendar(ann.id)
  const call = async (user: typeof ann, name: string, body: object = {}) => {
    const headers = { ...user.headers, 'content-type': 'application/json' }
    return fetch(`${platform.url()}/functions/v1/${name}`, { method: 'POST', headers, body: JSON.stringify(body) })
  }
  expect((await call(eve, 'update-synced-calendar', { calendar_id, busy: false, copies: false })).status).toBe(404)
  expect(await (await call(eve, 'list-synced-calendars')).json()).toEqual({ calendars: [] })
  expect(((await (await call(ann, 'update-synced-calendar', { calendar_id, busy: false, copies: true })).json()) as any).busy).toBe(false)
})
