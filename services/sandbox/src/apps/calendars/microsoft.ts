import type { Event, Subscription } from '@microsoft/microsoft-graph-types'
import { type ApiCall, type Operation, Refused } from '../operation.ts'
import { begun, empty, etagOf, find, GRAPH, hooksOf, isChanged, type Kept, post, put, tellAll } from './state.ts'

const graph = `${GRAPH}/v1.0`

/** OData's marks beside the fields of an event. */
type Told = (Event & { '@odata.etag': string }) | { '@removed': { reason: 'deleted' }; id: string }
const graphEvent = (event: Kept): Told =>
  event.gone
    ? { '@removed': { reason: 'deleted' }, id: event.key }
    : {
        '@odata.etag': `W/${etagOf(event)}`,
        id: event.key,
        changeKey: String(event.version),
        subject: event.title,
        lastModifiedDateTime: event.at,
        isAllDay: false,
        isCancelled: false,
        showAs: event.free ? 'free' : 'busy',
        bodyPreview: event.notes,
        body: { contentType: 'text', content: event.notes },
        location: { displayName: event.place },
        start: { dateTime: `${event.start.slice(0, 23)}0000`, timeZone: 'UTC' },
        end: { dateTime: `${event.end.slice(0, 23)}0000`, timeZone: 'UTC' },
        transactionId: event.by,
        responseStatus: { response: 'organizer', time: '0001-01-01T00:00:00Z' },
        webLink: `https://outlook.office365.com/owa/?itemid=${event.key}`,
      }
const graphRefused = (status: number, code: string, message: string) => new Refused(status, { error: { code, message } })
const zoned = ({ dateTime }: { dateTime: string }) => new Date(/Z$|[+-]\d\d:\d\d$/.test(dateTime) ? dateTime : `${dateTime}Z`).toISOString()
const fromGraph = (event: Kept, { subject, start, end, showAs, location, body }: Record<string, any>): Kept => ({
  ...event,
  ...(subject !== undefined && { title: subject }),
  ...(start && { start: zoned(start) }),
  ...(end && { end: zoned(end) }),
  ...(showAs && { free: showAs === 'free' }),
  ...(location && { place: location.displayName ?? '' }),
  ...(body && { notes: body.content ?? '' }),
})

function graphDelta(call: ApiCall) {
  const { query } = call
  const [page, sync] = [query.get('$skiptoken'), query.get('$deltatoken')]
  if (!page && !sync && !(query.get('startDateTime') && query.get('endDateTime')))
    return graphRefused(400, 'ErrorInvalidParameter', 'startDateTime and endDateTime are required.')
  const all = begun(call, 'Call with Jonas')
  const [since = '0', offset = '0', from = '', until = '9'] = (page ?? sync ?? '').split('~')
  const window = page || sync ? [from, until] : [query.get('startDateTime')!, query.get('endDateTime')!]
  const found = all.filter(
    ({ seq, gone, start, end }) => seq > Number(since) && (Number(since) > 0 || !gone) && start < window[1]! && end > window[0]!,
  )
  const size = Number(/odata\.maxpagesize=(\d+)/.exec(String(call.headers.prefer ?? ''))?.[1] ?? 10)
  const next = Number(offset) + size
  const link = (name: string, token: string) => `https://${graph}/me/calendarView/delta?${new URLSearchParams({ [name]: token })}`
  return {
    '@odata.context': `https://${graph}/$metadata#Collection(event)`,
    value: found.slice(Number(offset), next).map(graphEvent),
    ...(next < found.length
      ? { '@odata.nextLink': link('$skiptoken', `${since}~${next}~${window.join('~')}`) }
      : { '@odata.deltaLink': link('$deltatoken', `${all.at(-1)?.seq ?? since}~0~${window.join('~')}`) }),
  }
}

export const microsoftCalendar: Operation[] = [
  {
    at: `GET ${graph}/me/events`,
    query: ['$filter', '$orderby', '$top', '$select', '$skip'],
    answer: (call) => {
      const since = /lastModifiedDateTime ge ([\dT:.Z+-]+)/.exec(call.query.get('$filter') ?? '')?.[1] ?? ''
      const found = begun(call, 'Call with Jonas').filter(({ gone, at }) => !gone && at >= since)
      if (call.query.get('$orderby')?.startsWith('lastModified')) found.reverse()
      const from = Number(call.query.get('$skip') ?? 0)
      return { value: found.slice(from, from + Number(call.query.get('$top') ?? 10)).map(graphEvent) }
    },
  },
  {
    at: `POST ${graph}/me/events`,
    body: ['subject', 'body', 'start', 'end', 'location', 'attendees', 'showAs', 'transactionId'],
    status: 201,
    answer: (call) => {
      const by = call.body.transactionId ?? null
      const known = by && begun(call, 'Call with Jonas').find((event) => event.by === by && !event.gone)
      if (known) return graphEvent(known)
      begun(call, 'Call with Jonas')
      const event = put(call, { ...fromGraph(empty(call.add('id', {}).id), call.body), by })
      tellAll(call)
      return graphEvent(event)
    },
  },
  {
    at: `GET ${graph}/me/events/:id`,
    answer: (call) => {
      const event = find(call, 'Call with Jonas')
      return event && !event.gone
        ? graphEvent(event)
        : graphRefused(404, 'ErrorItemNotFound', 'The specified object was not found in the store.')
    },
  },
  {
    at: `PATCH ${graph}/me/events/:id`,
    body: ['subject', 'body', 'start', 'end', 'location', 'attendees', 'showAs'],
    answer: (call) => {
      const event = find(call, 'Call with Jonas')
      if (!event || event.gone) return graphRefused(404, 'ErrorItemNotFound', 'The specified object was not found in the store.')
      if (isChanged(call, event, `W/${etagOf(event)}`))
        return graphRefused(412, 'ErrorIrresolvableConflict', 'The change key passed in the request does not match the current change key.')
      const after = put(call, fromGraph(event, call.body))
      tellAll(call)
      return graphEvent(after)
    },
  },
  {
    at: `DELETE ${graph}/me/events/:id`,
    status: 204,
    answer: (call) => {
      const event = find(call, 'Call with Jonas')
      if (!event || event.gone) return graphRefused(404, 'ErrorItemNotFound', 'The specified object was not found in the store.')
      if (isChanged(call, event, `W/${etagOf(event)}`))
        return graphRefused(412, 'ErrorIrresolvableConflict', 'The change key passed in the request does not match the current change key.')
      put(call, { ...event, gone: true })
      return void tellAll(call)
    },
  },
  {
    at: `GET ${graph}/me/calendarView/delta`,
    query: ['startDateTime', 'endDateTime', '$skiptoken', '$deltatoken'],
    answer: graphDelta,
  },
  {
    at: `POST ${graph}/subscriptions`,
    body: ['changeType', 'notificationUrl', 'resource', 'expirationDateTime', 'clientState'],
    status: 201,
    answer: async (call) => {
      const { notificationUrl: address, expirationDateTime: until, clientState: secret = '', resource } = call.body
      if (Date.parse(until) - Date.now() > 4_230 * 60_000)
        return graphRefused(400, 'InvalidRequest', 'Subscription expiration can only be 4230 minutes in the future.')
      const asked = `v-${call.add('id', {}).id}`
      const said = await post(`${address}?${new URLSearchParams({ validationToken: asked })}`, { 'content-type': 'text/plain' }, '')
      if (said !== asked)
        return graphRefused(
          400,
          'InvalidRequest',
          'Subscription validation request failed. Notification endpoint must respond with 200 OK.',
        )
      const { id } = call.add('subscription', {})
      call.set(id, 'hook', { remote: id, address, secret, until, said: 0 })
      return { id, resource, changeType: call.body.changeType, expirationDateTime: until, clientState: null } satisfies Subscription
    },
  },
  {
    at: `DELETE ${graph}/subscriptions/:id`,
    status: 204,
    answer: (call) => {
      if (!hooksOf(call.list('hook')).some(({ remote }) => remote === call.params.id))
        return graphRefused(404, 'ResourceNotFound', 'The object was not found.')
      call.log('hook_stopped')
      return void call.set(call.params.id!, 'hook', {})
    },
  },
]
