import { createHash } from 'node:crypto'
import { DomainError } from '@operon/kit/errors'
import type { DAVResponse } from 'tsdav'
import type { Held } from '../../apps/app.ts'
import { type At, removed, type Shown, type Wanted } from '../wire.ts'
import { type Dav, pathWithin, Refused, type Server, textOf, withDav } from './client.ts'
import { eventOf, eventsIn, type File, fileWith, loadIcal, type Reading } from './ics.ts'

/** One step with a calendar, in the place of an HTTP call. */
export type DavCall =
  | { does: 'list'; at: At }
  | { does: 'show'; id: string }
  | { does: 'add'; key: string; event: Wanted }
  | { does: 'change'; id: string; event: Wanted; etag?: string }
  | { does: 'remove'; id: string; etag?: string }
export type Listed = { events: Shown[]; anew: string[]; at: At; more: boolean }

type Calendar = { base: string; reading: Omit<Reading, 'from' | 'until' | 'windowed'> }

const FILES = 50
/** A page ends with the file that makes it as long as this. */
const EVENTS = 2_000
const TRIES = 3

/** In the shape of an HTTP answer. */
export async function callDav(
  { fetch, signal }: Pick<Server, 'fetch' | 'signal'>,
  { access, base = '', fields = {} }: Held,
  call: DavCall,
): Promise<{ status: number; answer: unknown }> {
  const server = { fetch, signal, user: fields.user ?? '', password: access, origin: new URL(base).origin }
  const calendar: Calendar = { base, reading: { user: fields.user ?? '', zone: fields.zone ?? null } }
  try {
    return { status: 200, answer: await withDav(server, (dav) => done(dav, calendar, call)) }
  } catch (error) {
    const isGone = error instanceof Refused && error.status === 404 && call.does === 'list'
    if (error instanceof Refused)
      return { status: error.status, answer: { message: isGone ? 'the calendar is not there any more' : error.message } }
    throw error
  }
}

function done(dav: Dav, calendar: Calendar, call: DavCall): Promise<unknown> {
  if (call.does === 'list') return list(dav, calendar, call.at)
  if (call.does === 'add') return add(dav, calendar, call)
  // A write may reach a file of this calendar, and never the calendar itself.
  if (pathWithin(calendar.base, call.id) !== call.id) throw new DomainError('app_input', { message: 'This is no event of the calendar.' })
  if (call.does === 'show') return show(dav, calendar, call.id)
  return call.does === 'change' ? change(dav, calendar, call) : remove(dav, calendar, call)
}

/** Where a list goes on: what has changed since a token, or after a file of the listing that `next` is true of. */
type Page = { next: string; after: string }

async function list(dav: Dav, calendar: Calendar, at: At): Promise<Listed> {
  const page = pageIn(at)
  const [kind, mark] = at.sync ? [at.sync[0], at.sync.slice(1)] : [null, '']
  if (kind === 't' && (await tagOf(dav, calendar, at)) === mark) return { events: [], anew: [], at, more: false }
  // Without tokens nobody tells what is gone, so all is listed anew.
  if (kind === 't') throw new Refused(410)
  const since = kind === 's' ? await changedSince(dav, calendar, mark) : null
  // Asked for before the list, so that a change meanwhile is heard of with the next one.
  const next = page?.next ?? (since ? `s${since.token}` : await markOf(dav, calendar, at))
  const ids = since ? since.ids : await idsWithin(dav, calendar, at)
  const left = [...new Set(ids)].sort().filter((id) => !page || id > page.after)
  const some = left.slice(0, FILES)
  const read = await eventsOf(dav, calendar, some, { ...calendar.reading, ...at, windowed: since === null }, since?.gone ?? [])
  const window = { from: at.from, until: at.until }
  const goesOn = left.length > read.count
  const after = { ...window, ...(at.sync && { sync: at.sync }), page: `${next}\n${some[read.count - 1]}` }
  return {
    ...{ events: read.events, anew: some.slice(0, read.count) },
    at: goesOn ? after : { ...window, sync: next },
    more: goesOn || (since?.isCut ?? false),
  }
}

function pageIn({ page }: At): Page | null {
  if (page === undefined) return null
  const [next, after] = page.split('\n')
  if (!next || !after) throw new DomainError('invalid', { message: 'This cursor was not given here. List without one.' })
  return { next, after }
}

async function eventsOf(dav: Dav, { base }: Calendar, ids: string[], reading: Reading, known: string[]) {
  const ical = await loadIcal()
  const gone = new Set(known)
  const files = await filesOf(
    dav,
    base,
    ids.filter((id) => !gone.has(id)),
  )
  const events: Shown[] = []
  let count = 0
  for (const id of ids) {
    const file = files.get(id)
    events.push(...(file ? eventsIn(ical, file, reading) : [removed(id)]))
    count++
    if (events.length >= EVENTS) break
  }
  return { events, count }
}

async function filesOf(dav: Dav, base: string, ids: string[]): Promise<Map<string, File>> {
  if (!ids.length) return new Map()
  const body = {
    'calendar-multiget': {
      _attributes: { 'xmlns:d': 'DAV:', 'xmlns:c': 'urn:ietf:params:xml:ns:caldav' },
      'd:prop': { 'd:getetag': {}, 'd:getlastmodified': {}, 'c:calendar-data': {} },
      'd:href': ids,
    },
  }
  const files = new Map<string, File>()
  // A server may write the same path in other letters.
  const asked = new Map(ids.map((id) => [plainly(id), id]))
  for (const { href, props } of await dav.ask(base, 'REPORT', body, 'c', '1')) {
    const path = pathWithin(base, href)
    const id = path && asked.get(plainly(path))
    const data = textOf(props?.calendarData)
    if (id && data) files.set(id, { id, data, etag: textOf(props?.getetag), modified: textOf(props?.getlastmodified) })
  }
  return files
}
const plainly = (path: string) => {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

const day = (iso: string) => `${new Date(iso).toISOString().slice(0, 19).replace(/[-:]/g, '')}Z`
const listed = (base: string, found: DAVResponse[]) =>
  found.flatMap(({ href, status, props }) => {
    const id = pathWithin(base, href)
    return id ? [{ id, isGone: status === 404 || status === 410, status, etag: textOf(props?.getetag) ?? '' }] : []
  })

async function etagsWithin(dav: Dav, { base }: Calendar, { from, until }: At) {
  const body = {
    'calendar-query': {
      _attributes: { 'xmlns:d': 'DAV:', 'xmlns:c': 'urn:ietf:params:xml:ns:caldav' },
      'd:prop': { 'd:getetag': {} },
      'c:filter': {
        'c:comp-filter': {
          _attributes: { name: 'VCALENDAR' },
          'c:comp-filter': { _attributes: { name: 'VEVENT' }, 'c:time-range': { _attributes: { start: day(from), end: day(until) } } },
        },
      },
    },
  }
  return listed(base, await dav.ask(base, 'REPORT', body, 'c', '1'))
}
const idsWithin = async (dav: Dav, calendar: Calendar, at: At) => (await etagsWithin(dav, calendar, at)).map(({ id }) => id)

async function markOf(dav: Dav, calendar: Calendar, at: At): Promise<string> {
  const token = textOf((await propsOf(dav, calendar.base))?.syncToken)
  return token ? `s${token}` : `t${await tagOf(dav, calendar, at)}`
}

async function propsOf(dav: Dav, base: string): Promise<Record<string, any>> {
  const body = {
    propfind: {
      _attributes: { 'xmlns:d': 'DAV:', 'xmlns:cs': 'http://calendarserver.org/ns/' },
      'd:prop': { 'd:sync-token': {}, 'cs:getctag': {}, 'd:resourcetype': {} },
    },
  }
  return (await dav.ask(base, 'PROPFIND', body, 'd', '0'))[0]?.props ?? {}
}

/** Another one after each change: the calendar's own, or one of all that is listed. */
async function tagOf(dav: Dav, calendar: Calendar, at: At): Promise<string> {
  const own = textOf((await propsOf(dav, calendar.base)).getctag)
  if (own) return own.slice(0, 500)
  const all = (await etagsWithin(dav, calendar, at)).map(({ id, etag }) => `${id} ${etag}`).sort()
  return createHash('sha256').update(all.join('\n')).digest('base64url')
}

async function changedSince(dav: Dav, { base }: Calendar, token: string) {
  const body = {
    'sync-collection': {
      _attributes: { 'xmlns:d': 'DAV:' },
      'd:sync-token': token,
      'd:sync-level': 1,
      'd:prop': { 'd:getetag': {} },
    },
  }
  const found = await dav.ask(base, 'REPORT', body, 'd').catch((error: unknown) => {
    // However a server says that it keeps the token no longer.
    throw error instanceof Refused && [400, 403, 409, 410, 412, 507].includes(error.status) ? new Refused(410) : error
  })
  const all = listed(base, found)
  return {
    token: textOf(found.at(0)?.raw?.multistatus?.syncToken) ?? token,
    ids: all.map(({ id }) => id),
    gone: all.filter(({ isGone }) => isGone).map(({ id }) => id),
    // The calendar itself is named with 507 where there are more changes than one answer takes.
    isCut: found.some(({ status }) => status === 507),
  }
}

// One event

const alone = ({ reading }: Calendar): Reading => ({ ...reading, from: '', until: '', windowed: false })

async function fileOf(dav: Dav, base: string, id: string): Promise<File> {
  const file = (await filesOf(dav, base, [id])).get(id)
  if (!file) throw new Refused(404)
  return file
}

async function show(dav: Dav, calendar: Calendar, id: string): Promise<Shown> {
  const file = await fileOf(dav, calendar.base, id)
  return eventOf(await loadIcal(), file, alone(calendar)) ?? removed(id)
}

export const idFor = (key: string) => `${key}.ics`
const urlOf = ({ base }: Calendar, id: string) => new URL(id, base).href

async function add(dav: Dav, calendar: Calendar, { key, event }: DavCall & { does: 'add' }): Promise<Shown> {
  const id = new URL(idFor(key), calendar.base).pathname
  const status = await dav.put(urlOf(calendar, id), fileWith(await loadIcal(), key, event)!, { 'if-none-match': '*' })
  // It was made before, by a call whose answer was lost.
  if (status === 412) return show(dav, calendar, id)
  if (status >= 300) throw new Refused(status)
  return show(dav, calendar, id)
}

/** Everything else of the event stays as its owner has it. */
async function change(dav: Dav, calendar: Calendar, { id, event, etag }: DavCall & { does: 'change' }): Promise<Shown> {
  for (let tries = 1; ; tries++) {
    const file = await fileOf(dav, calendar.base, id)
    if (etag && file.etag && etag !== file.etag) throw new Refused(412)
    const data = fileWith(await loadIcal(), '', event, file.data)
    if (data === null) throw new DomainError('app_input', { message: 'This event repeats. Change it in your calendar.' })
    const status = await dav.put(urlOf(calendar, id), data, file.etag ? { 'if-match': file.etag } : {})
    // Somebody changed it between our reading and writing.
    if (status === 412 && !etag && tries < TRIES) continue
    if (status >= 300) throw new Refused(status)
    return show(dav, calendar, id)
  }
}

async function remove(dav: Dav, { base }: Calendar, { id, etag }: DavCall & { does: 'remove' }): Promise<null> {
  const status = await dav.remove(new URL(id, base).href, etag)
  if (status >= 300) throw new Refused(status)
  return null
}
