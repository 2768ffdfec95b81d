import { z } from 'zod'
import { endpoint, fn, id, reading, text, time } from '../contract.ts'

// Calendars over there, in one shape whoever keeps them. What crm's calendar is held level with.

export const calendarApps = ['google-calendar', 'outlook-calendar'] as const
/** In the place of an app's id: a calendar at a CalDAV server. It is none of the catalogue. */
export const CALDAV = 'caldav'
const connection_id = id('connection')

export const CalendarEvent = z.object({
  /** Of the event over there. */
  id: z.string(),
  /** It is gone over there, or was cancelled: nothing else of it is known. */
  removed: z.boolean(),
  title: z.string().nullable(),
  starts_at: time.nullable(),
  ends_at: time.nullable(),
  /** Whole days: `starts_at` and `ends_at` are midnights in UTC of the days that it has there. */
  all_day: z.boolean(),
  /** Whether it takes its time, rather than being shown as free. */
  busy: z.boolean(),
  place: z.string().nullable(),
  notes: z.string().nullable(),
  url: z.string().nullable(),
  /** The key that it was written under, where that was done here. */
  key: z.string().nullable(),
  /** Another one after each change over there. A write that gives it is refused where the event has changed since. */
  etag: z.string().nullable(),
  updated_at: time.nullable(),
  /** Of one date of a series: the id that `anew` names it by. */
  series: z.string().nullable().optional(),
})
const example = {
  id: '1b9fa7c2e4',
  removed: false,
  title: 'Call with Maya',
  starts_at: '2026-12-01T09:00:00.000Z',
  ends_at: '2026-12-01T09:30:00.000Z',
  all_day: false,
  busy: true,
  place: null,
  notes: null,
  url: 'https://calendar.google.com/event?eid=1b9fa7c2e4',
  key: null,
  etag: '"3"',
  updated_at: '2026-11-24T10:00:00.000Z',
}
const evidence = {
  rows: 'events',
  columns: {
    title: { label: 'Event', as: 'text' as const },
    starts_at: { label: 'Starts', as: 'time' as const },
    ends_at: { label: 'Ends', as: 'time' as const },
  },
}
const callErrors = ['app_not_connected', 'app_busy', 'app_refused', 'connection_broken', 'upstream_failed', 'upstream_timeout'] as const

export const listCalendarChanges = reading('list-calendar-changes', {
  summary: 'Lists what has changed in a connected calendar since the last time',
  description:
    'Without `cursor` everything between `from` and `until` is listed; send the `cursor` of each answer with the next call, at once while `more` is true. `reset` says that the cursor was too old: forget what came before, for everything is listed anew. Of a series each date is an event of its own.',
  body: z.object({ connection_id, cursor: text(6000).optional(), from: time.optional(), until: time.optional() }),
  reply: z.object({
    account: z.string(),
    events: z.array(CalendarEvent),
    cursor: z.string(),
    more: z.boolean(),
    reset: z.boolean(),
    /** Ids of events and series that were read whole: dates of them that are not listed here are gone. */
    anew: z.array(z.string()).optional(),
  }),
  example: {
    request: { connection_id: '01931a5c-7d4b-7c3e-9a41-0f6f2f9f4b20' },
    reply: { account: 'maya@example.com', events: [example], cursor: 'eyJzeW5jIjoiMyJ9', more: false, reset: false },
  },
  errors: callErrors,
  action: {
    title: 'List changes of a calendar',
    when: 'The person asks what has changed in a connected calendar, rather than what is in it',
    effect: 'reads',
    evidence,
  },
})

const Written = z.object({
  title: z.string().min(1).max(300),
  starts_at: time,
  ends_at: time,
  busy: z.boolean().default(true),
  place: text(500).optional(),
  notes: text(8000).optional(),
})
const writing = {
  connection_id,
  /** Of the caller's own: a new event is made once for a key, whatever is lost on the way. */
  key: z.uuid(),
  /** The event that is changed or taken out; without it a new one is made. */
  event_id: text(1024).optional(),
  /** As it was read last. */
  etag: text(300).optional(),
  /** Null takes it out. */
  event: Written.nullable(),
}

export const writeCalendarEvent = fn('write-calendar-event', {
  access: 'user',
  idempotent: 'two-phase',
  summary: 'Puts an event into a connected calendar, changes it or takes it out',
  description:
    '`outcome` is `written`, `removed`, `conflict` when it was changed over there since `etag` was read (nothing is written, and `event` is as it stands there), or `gone` when it is not there any more.',
  body: z.object(writing),
  reply: z.object({ outcome: z.enum(['written', 'removed', 'conflict', 'gone']), event: CalendarEvent.nullable() }),
  example: {
    request: {
      connection_id: '01931a5c-7d4b-7c3e-9a41-0f6f2f9f4b20',
      key: '01931a5c-7d4b-7c3e-9a41-0f6f2f9f4b21',
      event: { title: 'Call with Maya', starts_at: '2026-12-01T09:00:00Z', ends_at: '2026-12-01T09:30:00Z' },
    },
    reply: { outcome: 'written' as const, event: example },
  },
  errors: [...callErrors, 'app_input', 'app_unknown_outcome'],
  action: {
    title: 'Write to a calendar',
    when: 'The person asks to put an event into their connected calendar, to move it or to take it out',
    effect: 'sends',
    does: ({ event, event_id }) =>
      event
        ? `${event_id ? 'Changes' : 'Adds'} “${event.title}” in your connected calendar`
        : 'Takes an event out of your connected calendar',
  },
})

export const watchCalendar = fn('watch-calendar', {
  access: 'user',
  idempotent: 'two-phase',
  summary: 'Asks a connected calendar to tell when it changes',
  description:
    'It is asked again before it ends, until the connection ends. Each change is the event `integrations.calendar_changed`, a hint to list the changes. `told` is false where the calendar cannot reach this installation: then only listing finds them.',
  body: z.object({ connection_id }),
  reply: z.object({ told: z.boolean(), until: time.nullable() }),
  example: {
    request: { connection_id: '01931a5c-7d4b-7c3e-9a41-0f6f2f9f4b20' },
    reply: { told: true, until: '2026-12-01T10:00:00.000Z' },
  },
  errors: callErrors,
  action: {
    title: 'Watch a calendar',
    when: 'Changes of a connected calendar have to be known as they happen',
    effect: 'changes',
    does: () => 'Asks your connected calendar to tell us when it changes',
  },
})

export const unwatchCalendar = fn('unwatch-calendar', {
  access: 'user',
  idempotent: 'two-phase',
  summary: 'Asks a connected calendar to stop telling',
  description: 'Listing its changes goes on working. The answer says whether it was watched.',
  body: z.object({ connection_id }),
  reply: z.object({ stopped: z.boolean() }),
  example: { request: { connection_id: '01931a5c-7d4b-7c3e-9a41-0f6f2f9f4b20' }, reply: { stopped: true } },
  errors: ['app_not_connected'],
  action: {
    title: 'Stop watching a calendar',
    when: 'Changes of a connected calendar need not be known any more',
    effect: 'changes',
    does: () => 'Asks your connected calendar to stop telling us when it changes',
  },
})

/** Where vendors tell that something has changed. What they say is a hint: the truth is read from them. */
export const appHook = endpoint({
  method: 'POST',
  path: '/webhooks/apps/:hook',
  access: 'public',
  rate: 'webhook',
  summary: 'Takes notifications of changes from connected apps',
  description:
    'Google sends the secret of the watch in `X-Goog-Channel-Token`, Microsoft in `clientState`; Microsoft’s `validationToken` is answered as it came.',
  params: z.object({ hook: z.uuid() }),
  query: z.object({ validationToken: text(500).optional() }),
  bytes: true,
  raw: true,
  reply: z.string(),
  contentType: 'text/plain',
  errors: ['webhook_signature'],
})
