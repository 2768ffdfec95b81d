import { now } from '@operon/kit/clock'
import type { AppRequest } from '../apps/app.ts'
import { type At, type CalendarWire, moment, removed, type Shown, type Wanted, words } from './wire.ts'

const one = (id: string) => `/me/events/${encodeURIComponent(id)}`
const PAGE = 100
/** The longest that Graph keeps a subscription to events is three days less half an hour. */
const WATCH_MINUTES = 4_200
const inUtc = 'outlook.timezone="UTC"'

const written = ({ title, starts_at, ends_at, busy, place, notes }: Wanted) => ({
  subject: title,
  start: { dateTime: new Date(starts_at).toISOString(), timeZone: 'UTC' },
  end: { dateTime: new Date(ends_at).toISOString(), timeZone: 'UTC' },
  showAs: busy ? 'busy' : 'free',
  ...(place !== undefined && { location: { displayName: place } }),
  ...(notes !== undefined && { body: { contentType: 'text', content: notes } }),
})
const headers = (etag?: string): Pick<AppRequest, 'headers'> => ({ headers: { prefer: inUtc, ...(etag && { 'if-match': etag }) } })

function eventOf(each: any): Shown {
  if (each['@removed'] || each.isCancelled) return removed(each.id)
  return {
    id: String(each.id),
    removed: false,
    title: words(each.subject, 300),
    starts_at: utc(each.start),
    ends_at: utc(each.end),
    all_day: each.isAllDay === true,
    busy: !['free', 'workingElsewhere'].includes(each.showAs) && each.responseStatus?.response !== 'declined',
    place: words(each.location?.displayName, 500),
    notes: words(each.bodyPreview ?? each.body?.content, 8000),
    url: words(each.webLink, 2000),
    key: words(each.transactionId, 100),
    etag: words(each['@odata.etag'], 300),
    updated_at: moment(each.lastModifiedDateTime),
  }
}
/** Graph writes the time without its zone, seven digits after the second. */
const utc = (value: any) => moment(value?.dateTime && `${String(value.dateTime).slice(0, 23).replace(/Z$/, '')}Z`)

/** Only the token of a link is kept: an address that an answer names is not called. */
const tokenIn = (link: unknown, name: string) => (link ? (new URL(String(link)).searchParams.get(name) ?? undefined) : undefined)

export const microsoftWire: CalendarWire = {
  list: ({ from, until, page, sync }) => ({
    path: '/me/calendarView/delta',
    query: page ? { $skiptoken: page } : sync ? { $deltatoken: sync } : { startDateTime: from, endDateTime: until },
    headers: { prefer: `${inUtc}, odata.maxpagesize=${PAGE}` },
  }),
  listed(answer, { from, until }) {
    const page = tokenIn(answer['@odata.nextLink'], '$skiptoken')
    const sync = tokenIn(answer['@odata.deltaLink'], '$deltatoken')
    const at: At = { from, until, ...(page ? { page } : sync ? { sync } : {}) }
    return { events: (answer.value ?? []).map(eventOf), at, more: page !== undefined }
  },
  show: (id) => ({ path: one(id), ...headers() }),
  // Graph makes one event of two requests with the same transaction.
  add: (key, event) => ({ method: 'POST', path: '/me/events', json: { ...written(event), transactionId: key }, ...headers() }),
  change: (id, event, etag) => ({ method: 'PATCH', path: one(id), json: written(event), ...headers(etag) }),
  remove: (id, etag) => ({ method: 'DELETE', path: one(id), ...headers(etag) }),
  event: eventOf,
  watching: {
    watch: ({ address, secret }) => ({
      method: 'POST',
      path: '/subscriptions',
      json: {
        changeType: 'created,updated,deleted',
        notificationUrl: address,
        resource: '/me/events',
        expirationDateTime: new Date(now() + WATCH_MINUTES * 60_000).toISOString(),
        clientState: secret,
      },
    }),
    watched: ({ id, expirationDateTime }) => ({ remote: String(id), resource: null, until: new Date(String(expirationDateTime)) }),
    unwatch: ({ remote }) => ({ method: 'DELETE', path: `/subscriptions/${encodeURIComponent(remote)}` }),
  },
}
