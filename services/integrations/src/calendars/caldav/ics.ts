import { DAY_MS, now } from '@operon/kit/clock'
import type ICAL from 'ical.js'
import { moment, type Shown, type Wanted, words } from '../wire.ts'
import { datesOf, ruleIn } from './recur.ts'
import { utc, type Zone, zoneDescribed, zoneNamed } from './zones.ts'

// A calendar's files: their events within a window, and an event of ours as a file.

type Ical = typeof ICAL
let loading: Promise<Ical> | undefined
/** Loaded with the first file: most installations read none. */
export const loadIcal = (): Promise<Ical> => (loading ??= import('ical.js').then(({ default: ical }) => ical as Ical))

/** A file as it stands on the server. */
export type File = { id: string; etag: string | null; modified: string | null; data: string }
export type Reading = { from: string; until: string; user: string; zone: string | null /** Of a whole list. */; windowed: boolean }

const MOST_BYTES = 1_000_000
const MOST_EXCEPTIONS = 3_000
/** Dates that began longer ago are left out: whoever sends an invitation writes its rule. */
const LONGEST_DAYS = 400
const OURS = '@operon'

/** Nothing of a file that cannot be read. */
export function eventsIn(ical: Ical, file: File, reading: Reading): Shown[] {
  const whole = fileOf(ical, file.data, reading.zone)
  if (!whole) return []
  const { events, momentOf, wallOf } = whole
  const [from, until] = [Date.parse(reading.from), Date.parse(reading.until)]
  const isWithin = ({ starts_at, ends_at }: Shown) => Date.parse(starts_at!) < until && Date.parse(ends_at!) >= from
  const master = events.find((event) => !event.hasProperty('recurrence-id'))
  const exceptions = events.filter((event) => event.hasProperty('recurrence-id')).slice(0, MOST_EXCEPTIONS)
  const shown = (event: ICAL.Component, id: string, at?: number) => shownOf(event, { ...file, id }, reading, momentOf, at)
  if (master && !isSeries(master)) {
    const event = shown(master, file.id)
    return event && (!reading.windowed || isWithin(event)) ? [event] : []
  }
  const dateOf = (at: number) => `${file.id}#${new Date(at).toISOString()}`
  const dates = new Map<number, Shown | null>()
  for (const each of exceptions) {
    const at = momentOf(each.getFirstProperty('recurrence-id')!)
    if (at !== null) dates.set(at, shown(each, dateOf(at)))
  }
  if (master)
    for (const at of momentsOf(master, { from, until, momentOf, wallOf })) if (!dates.has(at)) dates.set(at, shown(master, dateOf(at), at))
  return [...dates.values()]
    .filter((event) => event !== null && isWithin(event))
    .map((event) => ({ ...event!, key: null, series: file.id }))
}

/** The event that a file is, or the first date of its series. */
export function eventOf(ical: Ical, file: File, reading: Reading): Shown | null {
  const whole = fileOf(ical, file.data, reading.zone)
  const master = whole && (whole.events.find((event) => !event.hasProperty('recurrence-id')) ?? whole.events[0])
  return whole && master ? shownOf(master, file, reading, whole.momentOf) : null
}

type MomentOf = (property: ICAL.Property, value?: ICAL.Time) => number | null

function fileOf(ical: Ical, data: string, calendarZone: string | null) {
  if (data.length > MOST_BYTES) return null
  try {
    const parsed = ical.parse(data)
    const root = new ical.Component((typeof parsed[0] === 'string' ? parsed : parsed[0]) as never)
    const described = new Map<string, Zone>()
    const wallOf = ({ year, month, day, hour, minute, second }: ICAL.Time) => Date.UTC(year, month - 1, day, hour, minute, second)
    const zoneOf = (name: string): Zone | null => {
      const zone = zoneNamed(name) ?? described.get(name)
      if (zone) return zone
      const component = root.getAllSubcomponents('vtimezone').find((each) => each.getFirstPropertyValue('tzid') === name)
      const made = component ? zoneDescribed(component, wallOf) : null
      if (made) described.set(name, made)
      return made
    }
    const momentOf: MomentOf = (property, value = property.getFirstValue() as ICAL.Time) => {
      if (!(value instanceof ical.Time)) return null
      const at = wallOf(value)
      if (Number.isNaN(at)) return null
      if (value.isDate || value.zone === ical.Timezone.utcTimezone) return at
      const name = property.getFirstParameter('tzid') || calendarZone
      return ((name && zoneOf(name)) || utc)(at)
    }
    return { root, events: root.getAllSubcomponents('vevent'), momentOf, wallOf }
  } catch {
    return null
  }
}

const isSeries = (event: ICAL.Component) => event.hasProperty('rrule') || event.hasProperty('rdate')

type Within = { from: number; until: number; momentOf: MomentOf; wallOf: (time: ICAL.Time) => number }
/** When the dates of a series begin, of those that may reach into the window. */
function momentsOf(event: ICAL.Component, { from, until, momentOf, wallOf }: Within): number[] {
  const start = event.getFirstProperty('dtstart')
  const first = start && momentOf(start)
  if (!start || first === null) return []
  const time = start.getFirstValue() as ICAL.Time
  const toMoment = (wall: number) => {
    const at = time.clone()
    const given = new Date(wall)
    at.year = given.getUTCFullYear()
    at.month = given.getUTCMonth() + 1
    at.day = given.getUTCDate()
    return momentOf(start, at)!
  }
  const valuesOf = (name: string) =>
    event
      .getAllProperties(name)
      .flatMap((property) => property.getValues().map((value) => momentOf(property, value as ICAL.Time)))
      .filter((at) => at !== null)
      .slice(0, MOST_EXCEPTIONS)
  const left = new Set(valuesOf('exdate'))
  const text = event.getFirstPropertyValue('rrule')
  const rule = text ? ruleIn(String(text), pastBy(toMoment)) : null
  const slack = Math.min(lengthOf(event, momentOf), LONGEST_DAYS * DAY_MS) + 2 * DAY_MS
  // A rule that is not read here leaves its first date.
  const since = from - slack
  const dates = rule ? datesOf(rule, wallOf(time), since, until + 2 * DAY_MS) : [wallOf(time)]
  const walls = [...dates].filter((wall) => wall >= since)
  return [...new Set([...walls.map(toMoment), ...valuesOf('rdate')])].filter((at) => !left.has(at))
}

/** `UNTIL` is a day, a moment or a time on the wall. */
const pastBy = (toMoment: (wall: number) => number) => (until: string) => {
  const [, year, month, day, hour, minute, second, z] = /^(\d{4})-?(\d\d)-?(\d\d)(?:T(\d\d):?(\d\d):?(\d\d)(Z)?)?$/.exec(until) ?? []
  if (!year) return () => false
  const end = Date.UTC(
    Number(year),
    Number(month) - 1,
    Number(day),
    ...(hour ? [Number(hour), Number(minute), Number(second)] : [23, 59, 59]),
  )
  return (wall: number) => (z ? toMoment(wall) : wall) > end
}

function lengthOf(event: ICAL.Component, momentOf: MomentOf): number {
  const start = event.getFirstProperty('dtstart')
  const end = event.getFirstProperty('dtend')
  const [from, to] = [start && momentOf(start), end && momentOf(end)]
  if (typeof from === 'number' && typeof to === 'number') return Math.max(0, to - from)
  const duration = event.getFirstPropertyValue('duration') as ICAL.Duration | null
  if (duration) return Math.max(0, duration.toSeconds() * 1000)
  return (start?.getFirstValue() as ICAL.Time | undefined)?.isDate ? DAY_MS : 0
}

function shownOf(event: ICAL.Component, { id, etag, modified }: File, { user }: Reading, momentOf: MomentOf, at?: number): Shown | null {
  const start = event.getFirstProperty('dtstart')
  const starts = at ?? (start && momentOf(start))
  const text = (name: string, most: number) => words(event.getFirstPropertyValue(name), most)
  if (typeof starts !== 'number' || text('status', 20) === 'CANCELLED') return null
  const isDeclined = event
    .getAllProperties('attendee')
    .some((each) => isOf(each, user) && each.getFirstParameter('partstat') === 'DECLINED')
  const uid = text('uid', 300) ?? ''
  return {
    ...{ id, removed: false, title: text('summary', 300) },
    starts_at: new Date(starts).toISOString(),
    ends_at: new Date(starts + lengthOf(event, momentOf)).toISOString(),
    all_day: (start!.getFirstValue() as ICAL.Time).isDate,
    busy: text('transp', 20) !== 'TRANSPARENT' && !isDeclined,
    ...{ place: text('location', 500), notes: text('description', 8000), url: null },
    key: uid.endsWith(OURS) ? uid.slice(0, -OURS.length) : null,
    etag,
    // By the server's clock where it tells, else by that of whoever changed it.
    updated_at: moment(modified) ?? moment(text('last-modified', 40)) ?? moment(text('dtstamp', 40)),
  }
}
const isOf = (attendee: ICAL.Property, user: string) =>
  String(attendee.getFirstValue())
    .toLowerCase()
    .replace(/^mailto:/, '') === user.toLowerCase()

/** The file of a new event of ours, or one that stands there with what we change in it. Null where that is a series. */
export function fileWith(ical: Ical, key: string, wanted: Wanted, before?: string): string | null {
  const whole = before === undefined ? null : fileOf(ical, before, null)
  const root = whole?.root ?? newFile(ical)
  const event = whole?.events[0] ?? new ical.Component('vevent')
  if (isSeries(event)) return null
  if (!event.parent) root.addSubcomponent(event)
  const set = (name: string, value: unknown) => {
    event.removeAllProperties(name)
    event.addPropertyWithValue(name, value as string)
  }
  const at = (iso: string | number) => ical.Time.fromJSDate(new Date(iso), true)
  if (!event.hasProperty('uid')) set('uid', `${key}${OURS}`)
  set('dtstamp', at(now()))
  set('last-modified', at(now()))
  set('sequence', before === undefined ? 0 : Number(event.getFirstPropertyValue('sequence') ?? 0) + 1)
  set('summary', wanted.title)
  set('dtstart', at(wanted.starts_at))
  set('dtend', at(wanted.ends_at))
  event.removeAllProperties('duration')
  set('transp', wanted.busy ? 'OPAQUE' : 'TRANSPARENT')
  if (wanted.place !== undefined) set('location', wanted.place)
  if (wanted.notes !== undefined) set('description', wanted.notes)
  return root.toString()
}

function newFile(ical: Ical): ICAL.Component {
  const root = new ical.Component('vcalendar')
  root.addPropertyWithValue('version', '2.0')
  root.addPropertyWithValue('prodid', '-//Operon//Calendar//EN')
  return root
}
