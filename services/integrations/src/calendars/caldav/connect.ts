import type { Input } from '@operon/contracts/contract'
import type * as api from '@operon/contracts/integrations/caldav'
import { connectionChanged } from '@operon/contracts/integrations/events'
import { now } from '@operon/kit/clock'
import { type Ctx, signedIn } from '@operon/kit/context'
import { DomainError } from '@operon/kit/errors'
import { newId } from '@operon/kit/ids'
import { inTransaction, publish } from '@operon/kit/tx'
import { sql } from 'kysely'
import type { Held } from '../../apps/app.ts'
import { CALDAV } from '../../apps/caldav.ts'
import { placesFor } from '../../apps/place.ts'
import { type Connecting, takeRoom } from '../../connections/connect.ts'
import { endConnection, oneAtATime, seal, type Trx } from '../../connections/keep.ts'
import type { IntegrationsDb } from '../../schema.ts'
import { type Dav, Refused, textOf, withDav } from './client.ts'

type Call = Ctx<IntegrationsDb>
type Account = Input<typeof api.findCaldavCalendars>
type Found = { url: string; name: string; writable: boolean; zone: string | null }

const MOST_CALENDARS = 100
const LONGEST_URL = 1000

const own = (ctx: Call) =>
  ctx.db
    .selectFrom('connections')
    .selectAll()
    .where('user_id', '=', signedIn(ctx).id)
    .where('app', '=', CALDAV)
    .where('state', '<>', 'disconnected')

/** The account over there and its calendar are the id of a connection. */
const accountId = (url: string, user: string) => `${url} ${user}`
const partsOf = (id: string) => {
  const [url = '', ...user] = id.split(' ')
  return { url, user: user.join(' ') }
}

export async function listCalendars(ctx: Call) {
  const rows = await own(ctx).orderBy('created_at').limit(MOST_CALENDARS).execute()
  return {
    calendars: rows.map(({ id, account, account_id, state, failure }) => {
      const { url, user } = partsOf(account_id)
      return { ...{ connection_id: id, name: account, url, server: new URL(url).host, user }, state, failure }
    }),
  }
}

export async function findCalendars(ctx: Call, input: Account, at: Connecting) {
  const { account, found } = await lookUp(ctx, input, at)
  const known = new Set((await own(ctx).execute()).map(({ account_id }) => account_id))
  return {
    calendars: found.map(({ url, name, writable }) => ({ url, name, writable, connected: known.has(accountId(url, account.user)) })),
  }
}

export async function connectCalendars(ctx: Call, input: Input<typeof api.connectCaldavCalendars>, at: Connecting) {
  const { account, found } = await lookUp(ctx, input, at)
  const chosen = found.filter(({ url }) => input.calendars.includes(url))
  if (chosen.length < new Set(input.calendars).size)
    throw new DomainError('app_input', { message: 'One of these calendars is not there any more. Look for them again.' })
  const userId = signedIn(ctx).id
  const connected = await inTransaction(ctx.db, async (trx) => {
    await oneAtATime(trx, userId, CALDAV)
    const all = await trx
      .selectFrom('connections')
      .selectAll()
      .where('user_id', '=', userId)
      .where('app', '=', CALDAV)
      .where(
        'account_id',
        'in',
        found.map(({ url }) => accountId(url, account.user)),
      )
      .execute()
    const kept: { connection_id: string; url: string; name: string }[] = []
    for (const calendar of found) {
      const before = all.find(({ account_id }) => account_id === accountId(calendar.url, account.user))
      const isChosen = chosen.includes(calendar)
      const isConnected = before !== undefined && before.state !== 'disconnected'
      // The password is the account's, so those that are connected already take it as well.
      if (!isChosen && !isConnected) continue
      if (!isConnected) await takeRoom(ctx, trx as never)
      const id = before?.id ?? newId()
      await keep(trx as never, userId, id, calendar, account, at)
      if (isChosen) kept.push({ connection_id: id, url: calendar.url, name: calendar.name })
    }
    await tell(trx as never, userId, 'connected')
    return kept
  })
  return { calendars: connected }
}

async function keep(trx: Trx, userId: string, id: string, { url, name, zone }: Found, { user, password }: Account, { vault }: Connecting) {
  const held: Held = { access: password, base: url, fields: { user, ...(zone && { zone }) } }
  const values = {
    ...{ account: name, sealed: seal(vault, id, held), sandbox: false, scopes: [], expires_at: null, refresh_at: null },
    ...{ state: 'connected' as const, failure: null, lease_until: null },
    ...{ checked_at: sql<Date>`now()`, updated_at: sql<Date>`now()` },
  }
  await trx
    .insertInto('connections')
    .values({ id, user_id: userId, app: CALDAV, account_id: accountId(url, user), ...values })
    .onConflict((conflict) =>
      conflict.columns(['user_id', 'app', 'account_id']).doUpdateSet({ ...values, generation: sql`connections.generation + 1` }),
    )
    .execute()
}

const tell = (trx: Trx, userId: string, status: 'connected' | 'disconnected') =>
  publish(trx, connectionChanged, userId, { service_name: CALDAV, version: Math.floor(now() / 1000), status })

export async function disconnectCalendar(ctx: Call, { connection_id }: Input<typeof api.disconnectCaldavCalendar>) {
  const row = await own(ctx).where('id', '=', connection_id).executeTakeFirst()
  if (!row) return { disconnected: false }
  return inTransaction(ctx.db, async (trx) => {
    const disconnected = await endConnection(trx, row)
    if (disconnected) await tell(trx as never, row.user_id, 'disconnected')
    return { disconnected }
  })
}

/** The calendars of the account, which is the test of its password as well. */
async function lookUp(ctx: Call, { server, user, password }: Account, { places }: Connecting) {
  // Anybody could call any address from here, without as much as an email to be asked at.
  if (signedIn(ctx).anonymous) throw new DomainError('anonymous_no_calls')
  const account = { server: addressIn(server), user: user.trim(), password: password.trim() }
  // Neither can stand in the header otherwise.
  if (!account.user || /[:\p{Cc}]/u.test(account.user) || /\p{Cc}/u.test(account.password)) throw refused()
  const { fetch } = placesFor(places, CALDAV)
  const { user: name, password: word } = account
  const found = await withDav({ fetch, user: name, password: word, origin: null, signal: ctx.signal }, async (dav) =>
    calendarsIn(dav, await dav.homeOf(account.server)),
  ).catch((error: unknown) => {
    if (error instanceof Refused && [401, 403].includes(error.status)) throw refused()
    if (error instanceof Refused) throw new DomainError('caldav_server', { cause: error })
    throw inWords(error)
  })
  if (!found.length) throw new DomainError('caldav_server', { message: 'The server answers, but this account has no calendar there.' })
  return { account, found }
}
const refused = () =>
  new DomainError('app_key_refused', {
    message:
      'The server did not accept this user name and password. iCloud and Fastmail take an app password, which you make in the settings of your account there.',
  })
function inWords(error: unknown): unknown {
  const code = error instanceof DomainError ? error.code : null
  if (code === 'upstream_timeout')
    return new DomainError(code, {
      message: 'The server did not answer in time. Check the address, or try again in a moment.',
      cause: error,
    })
  if (code === 'upstream_failed')
    return new DomainError(code, { message: 'The server could not be reached, or broke off. Check the address.', cause: error })
  return error
}

function addressIn(given: string): string {
  const text = given.trim()
  const address = /^[a-z]+:\/\//i.test(text) ? text : `https://${text}`
  const url = URL.canParse(address) ? new URL(address) : null
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || url.search || url.hash)
    throw new DomainError('caldav_server', { message: 'Give the address of the server, as https://caldav.icloud.com.' })
  return url.href
}

async function calendarsIn(dav: Dav, home: string): Promise<Found[]> {
  const body = {
    propfind: {
      _attributes: { 'xmlns:d': 'DAV:', 'xmlns:c': 'urn:ietf:params:xml:ns:caldav' },
      'd:prop': {
        ...{ 'd:displayname': {}, 'd:resourcetype': {}, 'd:current-user-privilege-set': {} },
        ...{ 'c:supported-calendar-component-set': {}, 'c:calendar-timezone': {} },
      },
    },
  }
  const each = await dav.ask(home, 'PROPFIND', body, 'd', '1')
  return each.slice(0, MOST_CALENDARS).flatMap(({ href, props = {} }) => {
    const text = textOf(href)
    if (!Object.hasOwn(props.resourcetype ?? {}, 'calendar') || !text || !URL.canParse(text, home)) return []
    const url = new URL(text.endsWith('/') ? text : `${text}/`, home)
    // Calendars stay at the host that the account is at.
    if (url.origin !== new URL(home).origin || url.href.length > LONGEST_URL || !holdsEvents(props)) return []
    const name = textOf(props.displayname)?.slice(0, 200) ?? decodeURIComponent(url.pathname.split('/').at(-2) ?? 'Calendar')
    const zone = /TZID:(.+)/.exec(textOf(props.calendarTimezone) ?? '')?.[1]?.trim()
    return [{ url: url.href, name, writable: isWritable(props), zone: zone?.slice(0, 100) ?? null }]
  })
}

const listOf = (value: any): any[] => (Array.isArray(value) ? value : value ? [value] : [])
const holdsEvents = ({ supportedCalendarComponentSet: set }: Record<string, any>) => {
  const names = listOf(set?.comp).map((each) => each?._attributes?.name)
  return !names.length || names.includes('VEVENT')
}
/** A server that does not say is believed to let its owner write. */
const isWritable = ({ currentUserPrivilegeSet: set }: Record<string, any>) => {
  const rights = listOf(set?.privilege).flatMap((each) => Object.keys(each ?? {}))
  return !rights.length || ['all', 'write', 'writeContent', 'bind'].some((right) => rights.includes(right))
}
