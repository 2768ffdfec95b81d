import type { calendar_v3 } from '@googleapis/calendar'
import { type ApiCall, iso, type Operation, Refused } from '../operation.ts'
import { begun, empty, etagOf, find, GOOGLE, hooksOf, isChanged, type Kept, put, tell, tellAll } from './state.ts'

const google = `${GOOGLE}/calendar/v3`

const googleEvent = (event: Kept): calendar_v3.Schema$Event => ({
  kind: 'calendar#event',
  id: event.key,
  etag: etagOf(event),
  status: event.gone ? 'cancelled' : 'confirmed',
  updated: event.at,
  ...(!event.gone &&
    ({
      summary: event.title,
      htmlLink: `https://www.google.com/calendar/event?eid=${event.key}`,
      start: { dateTime: event.start, timeZone: 'UTC' },
      end: { dateTime: event.end, timeZone: 'UTC' },
      ...(event.free && { transparency: 'transparent' }),
      ...(event.place && { location: event.place }),
      ...(event.notes && { description: event.notes }),
      ...(event.by && { extendedProperties: { private: { operon: event.by } } }),
      iCalUID: `${event.key}@google.com`,
    } satisfies calendar_v3.Schema$Event)),
})
const googleRefused = (status: number, reason: string, message: string) =>
  new Refused(status, { error: { code: status, message, errors: [{ domain: 'calendar', reason, message }] } })
const fromGoogle = (event: Kept, { summary, start, end, transparency, location, description }: Record<string, any>): Kept => ({
  ...event,
  ...(summary !== undefined && { title: summary }),
  ...(start?.dateTime && { start: new Date(start.dateTime).toISOString() }),
  ...(end?.dateTime && { end: new Date(end.dateTime).toISOString() }),
  ...(transparency && { free: transparency === 'transparent' }),
  ...(location !== undefined && { place: location }),
  ...(description !== undefined && { notes: description }),
})

function googleList(call: ApiCall): calendar_v3.Schema$Events | Refused {
  const { query } = call
  const sync = query.get('syncToken')
  if (sync && ['timeMin', 'timeMax', 'orderBy', 'q', 'updatedMin'].some((name) => query.has(name)))
    return googleRefused(400, 'badRequest', 'Sync token cannot be combined with other query restrictions.')
  const all = begun(call, 'Call with Maya')
  const since = Number(sync ?? 0)
  const within = ({ start, end, gone, seq, at }: Kept) =>
    sync
      ? seq > since
      : (!gone || query.has('updatedMin')) &&
        start < (query.get('timeMax') ?? '9') &&
        end > (query.get('timeMin') ?? '') &&
        at >= (query.get('updatedMin') ?? '')
  const found = all.filter(within)
  if (query.get('orderBy') === 'startTime') found.sort((one, other) => one.start.localeCompare(other.start))
  const from = Number(query.get('pageToken') ?? 0)
  const size = Number(query.get('maxResults') ?? 250)
  const more = from + size < found.length
  return {
    kind: 'calendar#events',
    summary: call.grant.email,
    timeZone: 'UTC',
    accessRole: 'owner',
    updated: iso(0),
    items: found.slice(from, from + size).map(googleEvent),
    ...(more ? { nextPageToken: String(from + size) } : !query.has('orderBy') && { nextSyncToken: String(all.at(-1)?.seq ?? since) }),
  }
}

export const googleCalendar: Operation[] = [
  {
    at: `GET ${google}/calendars/primary/events`,
    query: ['timeMin', 'timeMax', 'maxResults', 'singleEvents', 'orderBy', 'q', 'syncToken', 'pageToken', 'updatedMin', 'showDeleted'],
    answer: googleList,
  },
  {
    at: `POST ${google}/calendars/primary/events`,
    body: ['id', 'summary', 'description', 'start', 'end', 'location', 'attendees', 'transparency', 'extendedProperties'],
    answer: (call) => {
      const id = call.body.id as string | undefined
      if (id && !/^[a-v0-9]{5,1024}$/.test(id)) return googleRefused(400, 'invalid', 'Invalid resource id value.')
      if (!call.body.start?.dateTime || !call.body.end?.dateTime) return googleRefused(400, 'required', 'Missing start or end time.')
      const all = begun(call, 'Call with Maya')
      if (id && all.some(({ key }) => key === id)) return googleRefused(409, 'duplicate', 'The requested identifier already exists.')
      const by = call.body.extendedProperties?.private?.operon ?? null
      const event = put(call, {
        ...fromGoogle(
          empty(
            id ??
              call
                .add('id', {})
                .id.toLowerCase()
                .replace(/[^a-v0-9]/g, '0'),
          ),
          call.body,
        ),
        by,
      })
      tellAll(call)
      return googleEvent(event)
    },
  },
  {
    at: `GET ${google}/calendars/primary/events/:id`,
    answer: (call) => {
      const event = find(call, 'Call with Maya')
      return event ? googleEvent(event) : googleRefused(404, 'notFound', 'Not Found')
    },
  },
  {
    at: `PATCH ${google}/calendars/primary/events/:id`,
    body: ['summary', 'description', 'start', 'end', 'location', 'attendees', 'transparency'],
    answer: (call) => {
      const event = find(call, 'Call with Maya')
      if (!event) return googleRefused(404, 'notFound', 'Not Found')
      if (isChanged(call, event)) return googleRefused(412, 'conditionNotMet', 'Precondition Failed')
      const after = put(call, fromGoogle(event, call.body))
      tellAll(call)
      return googleEvent(after)
    },
  },
  {
    at: `DELETE ${google}/calendars/primary/events/:id`,
    status: 204,
    answer: (call) => {
      const event = find(call, 'Call with Maya')
      if (!event) return googleRefused(404, 'notFound', 'Not Found')
      if (event.gone) return googleRefused(410, 'deleted', 'Resource has been deleted')
      if (isChanged(call, event)) return googleRefused(412, 'conditionNotMet', 'Precondition Failed')
      put(call, { ...event, gone: true })
      return void tellAll(call)
    },
  },
  {
    at: `POST ${google}/calendars/primary/events/watch`,
    body: ['id', 'type', 'address', 'token', 'params'],
    answer: (call): calendar_v3.Schema$Channel | Refused => {
      const { id, type, address, token } = call.body
      if (type !== 'web_hook' || !URL.canParse(address))
        return googleRefused(400, 'push.webhookUrlNotHttps', 'WebHook callback must be HTTPS')
      if (hooksOf(call.list('hook')).some(({ remote }) => remote === id))
        return googleRefused(400, 'channelIdNotUnique', 'Channel id not unique')
      const until = Date.now() + Number(call.body.params?.ttl ?? 604_800) * 1000
      call.set(id, 'hook', { remote: id, address, secret: token ?? '', until: new Date(until).toISOString(), said: 1 })
      tell(address, {
        'x-goog-channel-id': id,
        'x-goog-channel-token': token ?? '',
        'x-goog-resource-state': 'sync',
        'x-goog-message-number': '1',
      })
      return {
        kind: 'api#channel',
        id,
        resourceId: `res-${id}`,
        resourceUri: `https://${google}/calendars/primary/events`,
        expiration: String(until),
      }
    },
  },
  {
    at: `POST ${google}/channels/stop`,
    body: ['id', 'resourceId'],
    status: 204,
    answer: (call) => {
      if (!hooksOf(call.list('hook')).some(({ remote }) => remote === call.body.id && call.body.resourceId === `res-${remote}`))
        return googleRefused(404, 'notFound', `Channel '${call.body.id}' not found for project`)
      call.log('hook_stopped')
      return void call.set(call.body.id, 'hook', {})
    },
  },
]
