import type { AppRequest } from '../apps/app.ts'
import { type CalendarWire, moment, removed, type Shown, type Wanted, words } from './wire.ts'

const events = '/calendars/primary/events'
const one = (id: string) => `${events}/${encodeURIComponent(id)}`
const PAGE = 250
/** As long as Google keeps a channel of this kind. */
const WATCH_SECONDS = 7 * 86_400

const written = ({ title, starts_at, ends_at, busy, place, notes }: Wanted) => ({
  summary: title,
  start: { dateTime: starts_at },
  end: { dateTime: ends_at },
  transparency: busy ? 'opaque' : 'transparent',
  ...(place !== undefined && { location: place }),
  ...(notes !== undefined && { description: notes }),
})
const ifMatch = (etag?: string): Pick<AppRequest, 'headers'> => (etag ? { headers: { 'if-match': etag } } : {})

function eventOf(each: any): Shown {
  if (each.status === 'cancelled') return removed(each.id)
  const allDay = Boolean(each.start?.date)
  const isDeclined = (each.attendees ?? []).some((person: any) => person.self && person.responseStatus === 'declined')
  return {
    id: String(each.id),
    removed: false,
    title: words(each.summary, 300),
    starts_at: moment(allDay ? `${each.start.date}T00:00:00Z` : each.start?.dateTime),
    ends_at: moment(allDay ? `${each.end?.date}T00:00:00Z` : each.end?.dateTime),
    all_day: allDay,
    busy: each.transparency !== 'transparent' && !isDeclined,
    place: words(each.location, 500),
    notes: words(each.description, 8000),
    url: words(each.htmlLink, 2000),
    key: words(each.extendedProperties?.private?.operon, 100),
    etag: words(each.etag, 300),
    updated_at: moment(each.updated),
  }
}

export const googleWire: CalendarWire = {
  // The first request's window counts on: beside a sync token Google takes no window.
  list: ({ from, until, page, sync }) => ({
    path: events,
    query: {
      maxResults: PAGE,
      singleEvents: 'true',
      ...(sync ? { syncToken: sync } : { timeMin: from, timeMax: until }),
      ...(page && { pageToken: page }),
    },
  }),
  listed(answer, at) {
    const { page: _page, ...rest } = at
    const next = answer.nextPageToken
      ? { ...rest, page: String(answer.nextPageToken) }
      : { ...rest, sync: String(answer.nextSyncToken ?? at.sync) }
    return { events: (answer.items ?? []).map(eventOf), at: next, more: Boolean(answer.nextPageToken) }
  },
  show: (id) => ({ path: one(id) }),
  // Google takes an id of ours in the letters of base32hex, in which a UUID without its dashes is written: the same event is not made twice.
  idFor: (key) => key.replaceAll('-', ''),
  add: (key, event) => ({
    method: 'POST',
    path: events,
    json: { id: key.replaceAll('-', ''), ...written(event), extendedProperties: { private: { operon: key } } },
  }),
  change: (id, event, etag) => ({ method: 'PATCH', path: one(id), json: written(event), ...ifMatch(etag) }),
  remove: (id, etag) => ({ method: 'DELETE', path: one(id), ...ifMatch(etag) }),
  event: eventOf,
  watching: {
    watch: ({ id, address, secret }) => ({
      method: 'POST',
      path: `${events}/watch`,
      json: { id, type: 'web_hook', address, token: secret, params: { ttl: String(WATCH_SECONDS) } },
    }),
    watched: ({ id, resourceId, expiration }) => ({
      remote: String(id),
      resource: words(resourceId, 500),
      until: new Date(Number(expiration)),
    }),
    unwatch: ({ remote, resource }) => ({ method: 'POST', path: '/channels/stop', json: { id: remote, resourceId: resource } }),
  },
}
