import type { State, Table } from '../../core/state.ts'
import type { Truth } from '../../core/truth.ts'
import { decode, type Handler, type WireReply, type WireRequest } from '../../core/wire.ts'
import { nextSeq } from '../calendars/state.ts'
import { hrefsIn, multistatus, type Said, tokenIn, xml } from './xml.ts'

// A CalDAV server as people have it at iCloud, Fastmail or Nextcloud. Below /dav/ it gives sync tokens; below /olddav/ it is one that gives none,
// and tells of changes by its ctag alone.

/** A file of a calendar, or where one was. */
export type DavFile = { id: string; email: string; calendar: string; name: string; data: string; seq: number; at: string; gone: boolean }
type Forgotten = { id: string; seq: number }

export const CALENDARS: Record<string, string> = { home: 'Home', work: 'Work', birthdays: 'Birthdays' }
const READ_ONLY = 'birthdays'
const PASSWORD = /^sandbox_/
const challenge = { 'www-authenticate': 'Basic realm="Calendars"' }
const of = (status: number, headers: Record<string, string> = {}, body = ''): WireReply => ({ status, headers, body })

export const etagOf = ({ seq }: DavFile) => `"${seq}"`

/** The account that asks: any address, with a password that begins with the letters of the sandbox. */
export function davUser({ headers }: WireRequest): { email: string; good: boolean } | null {
  const basic = /^Basic (.+)$/i.exec(headers.authorization ?? '')?.[1]
  if (!basic) return null
  const [email = '', ...password] = Buffer.from(basic, 'base64').toString('utf8').split(':')
  return { email: email.toLowerCase(), good: PASSWORD.test(password.join(':')) }
}

export type DavStore = ReturnType<typeof davStore>
export function davStore(state: State, truth: Truth) {
  const files: Table<DavFile> = state.table('dav_files')
  const forgotten: Table<Forgotten> = state.table('dav_forgotten')
  const idOf = (email: string, calendar: string, name: string) => `${email}/${calendar}/${name}`
  return {
    get: (email: string, calendar: string, name: string) => files.get(idOf(email, calendar, name)),
    of: (email: string, calendar: string) => files.all().filter((file) => file.email === email && file.calendar === calendar),
    accounts: () => [...new Set(files.newest().map(({ email }) => email))],
    put(email: string, calendar: string, name: string, data: string | null): DavFile {
      truth.log('apps', data === null ? 'dav_removed' : 'dav_put', { email, calendar, name })
      return files.put({
        ...{ id: idOf(email, calendar, name), email, calendar, name, data: data ?? '', gone: data === null },
        ...{ seq: nextSeq(), at: new Date().toISOString() },
      })
    },
    /** Tokens that were given until now are good for nothing any more. */
    forget: (email: string) => void forgotten.put({ id: email, seq: nextSeq() }),
    forgotten: (email: string) => forgotten.get(email)?.seq ?? 0,
  }
}

const TOKEN = 'http://sandbox.example/sync/'
const NOTHING = '0'

export function davServer(store: DavStore): Handler {
  function answer(request: WireRequest, email: string, root: string): WireReply {
    const path = decode(request.path)
    const [, calendar, name] = path.slice(`/${root}/${email}/`.length - 1).split('/')
    const isInside = path.startsWith(`/${root}/${email}/`)
    if (!isInside) return request.method === 'PROPFIND' ? principal(path, root, email) : of(403)
    if (!calendar) return request.method === 'PROPFIND' ? home(request, root, email) : of(405)
    if (!Object.hasOwn(CALENDARS, calendar)) return of(404)
    const at = { root, email, calendar }
    if (!name) {
      if (request.method === 'PROPFIND') return multistatus([collection(at)])
      return request.method === 'REPORT' ? report(request, at) : of(405)
    }
    return file(request, { ...at, name })
  }

  const principal = (path: string, root: string, email: string) =>
    multistatus([
      {
        href: path,
        props: {
          'd:current-user-principal': `<d:href>/${root}/${xml(email)}/</d:href>`,
          'c:calendar-home-set': `<d:href>/${root}/${xml(email)}/</d:href>`,
        },
      },
    ])

  const home = (request: WireRequest, root: string, email: string) =>
    multistatus([
      ...principalAt(root, email),
      ...(request.headers.depth === '0' ? [] : Object.keys(CALENDARS).map((calendar) => collection({ root, email, calendar }))),
    ])
  const principalAt = (root: string, email: string): Said[] => [
    {
      href: `/${root}/${email}/`,
      props: {
        'd:resourcetype': '<d:collection/><d:principal/>',
        'd:current-user-principal': `<d:href>/${root}/${xml(email)}/</d:href>`,
        'c:calendar-home-set': `<d:href>/${root}/${xml(email)}/</d:href>`,
      },
    },
  ]

  type At = { root: string; email: string; calendar: string }
  const newest = ({ email, calendar }: At) => Math.max(0, ...store.of(email, calendar).map(({ seq }) => seq))
  const hrefOf = ({ root, email, calendar }: At, name = '') => `/${root}/${email}/${calendar}/${name}`
  const collection = (at: At): Said => ({
    href: hrefOf(at),
    props: {
      'd:displayname': CALENDARS[at.calendar]!,
      'd:resourcetype': '<d:collection/><c:calendar/>',
      'cs:getctag': `ctag-${newest(at)}`,
      ...(at.root === 'dav' && { 'd:sync-token': `${TOKEN}${newest(at) || NOTHING}` }),
      'c:supported-calendar-component-set': '<c:comp name="VEVENT"/>',
      'd:current-user-privilege-set': `<d:privilege><d:read/></d:privilege>${at.calendar === READ_ONLY ? '' : '<d:privilege><d:write/></d:privilege>'}`,
    },
  })
  const entry = (at: At, found: DavFile, withData: boolean): Said => ({
    href: hrefOf(at, encodeURIComponent(found.name)),
    props: {
      'd:getetag': xml(etagOf(found)),
      'd:getlastmodified': new Date(found.at).toUTCString(),
      ...(withData && { 'c:calendar-data': xml(found.data) }),
    },
  })

  function report(request: WireRequest, at: At): WireReply {
    const body = request.body.toString('utf8')
    const files = store.of(at.email, at.calendar)
    if (/sync-collection/.test(body)) {
      if (at.root !== 'dav') return of(403, {}, '')
      const since = Number(tokenIn(body).replace(TOKEN, ''))
      // As servers refuse one that they keep no longer (RFC 6578).
      if (Number.isNaN(since) || (since !== 0 && since < store.forgotten(at.email)))
        return of(403, { 'content-type': 'application/xml' }, '<d:error xmlns:d="DAV:"><d:valid-sync-token/></d:error>')
      const changed = files.filter(({ seq, gone }) => seq > since && (since > 0 || !gone))
      return multistatus(
        changed.map((each) => (each.gone ? { href: hrefOf(at, encodeURIComponent(each.name)), status: 404 } : entry(at, each, false))),
        `${TOKEN}${newest(at) || NOTHING}`,
      )
    }
    if (/calendar-multiget/.test(body))
      return multistatus(
        hrefsIn(body).map((href) => {
          const found = files.find(({ name, gone }) => !gone && hrefOf(at, name) === decode(href))
          return found ? entry(at, found, true) : { href, status: 404 }
        }),
      )
    if (/calendar-query/.test(body))
      return multistatus(files.filter(({ gone }) => !gone).map((each) => entry(at, each, /calendar-data/.test(body))))
    return of(403)
  }

  function file(request: WireRequest, { name, ...at }: At & { name: string }): WireReply {
    const known = store.get(at.email, at.calendar, name)
    const found = known && !known.gone ? known : null
    const { 'if-match': match, 'if-none-match': none } = request.headers
    if (request.method === 'GET') return found ? of(200, { 'content-type': 'text/calendar', etag: etagOf(found) }, found.data) : of(404)
    if (request.method !== 'PUT' && request.method !== 'DELETE') return of(405)
    if (at.calendar === READ_ONLY) return of(403)
    if (request.method === 'DELETE' && !found) return of(404)
    if ((none === '*' && found) || (match && (!found || match !== etagOf(found)))) return of(412)
    if (request.method === 'DELETE') {
      store.put(at.email, at.calendar, name, null)
      return of(204)
    }
    const data = request.body.toString('utf8')
    if (!/BEGIN:VCALENDAR[\s\S]+BEGIN:VEVENT[\s\S]+\r?\nUID:/.test(data)) return of(415)
    const put = store.put(at.email, at.calendar, name, data)
    return of(found ? 204 : 201, { etag: etagOf(put) })
  }

  return (request) => {
    const user = davUser(request)
    if (request.path === '/.well-known/caldav') return of(301, { location: '/dav/' })
    if (!user?.good) return of(401, challenge)
    return answer(request, user.email, request.path.split('/')[1]!)
  }
}
