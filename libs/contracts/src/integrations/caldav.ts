import { z } from 'zod'
import { changing, col, fn, id, reading, text } from '../contract.ts'
import { connectionStates } from './connections.ts'

// Calendars at a CalDAV server of the person's own choice (iCloud, Fastmail, Nextcloud). Each calendar that is connected is a connection.

const connection_id = id('connection')
const one = '01931a5c-7d4b-7c3e-9a41-0f6f2f9f4b80'
const account = {
  /** As `https://caldav.icloud.com`; where the calendars are is found from there. */
  server: text(500).min(1),
  user: text(200).min(1),
  password: text(400).min(1),
}
const errors = [
  ...(['anonymous_no_calls', 'app_key_refused', 'app_key_missing', 'caldav_server', 'blocked_address'] as const),
  ...(['upstream_failed', 'upstream_timeout'] as const),
]

/** Not a capability: a password must never pass a model. */
export const findCaldavCalendars = fn('find-caldav-calendars', {
  access: 'user',
  rate: 'write',
  demo: 'never',
  summary: 'Lists the calendars of an account at a CalDAV server',
  description: 'Nothing is kept. iCloud and Fastmail take an app password, made in the settings of the account there.',
  body: z.object(account),
  reply: z.object({
    calendars: z.array(
      z.object({
        url: z.string(),
        name: z.string(),
        /** Whether events can be written into it. */
        writable: z.boolean(),
        /** It is connected here already. */
        connected: z.boolean(),
      }),
    ),
  }),
  example: {
    request: { server: 'https://caldav.example.com', user: 'maya@example.com', password: 'an-app-password' },
    reply: { calendars: [{ url: 'https://caldav.example.com/maya/home/', name: 'Home', writable: true, connected: false }] },
  },
  errors,
})

export const connectCaldavCalendars = fn('connect-caldav-calendars', {
  access: 'user',
  rate: 'write',
  demo: 'never',
  summary: 'Connects calendars at a CalDAV server',
  description:
    '`calendars` are addresses of `find-caldav-calendars`. The server is asked once more, and the password is kept sealed. Those of the account that are connected already take the new password, whether they are named or not.',
  body: z.object({ ...account, calendars: z.array(text(1000)).min(1).max(10) }),
  reply: z.object({ calendars: z.array(z.object({ connection_id, url: z.string(), name: z.string() })) }),
  example: {
    request: {
      ...{ server: 'https://caldav.example.com', user: 'maya@example.com', password: 'an-app-password' },
      calendars: ['https://caldav.example.com/maya/home/'],
    },
    reply: { calendars: [{ connection_id: one, url: 'https://caldav.example.com/maya/home/', name: 'Home' }] },
  },
  errors: [...errors, 'app_input', 'connection_limit'],
})

export const listCaldavCalendars = reading('list-caldav-calendars', {
  summary: 'Lists the connected calendars at CalDAV servers',
  description: 'Their passwords are never shown. One whose state is `broken` has to be connected again.',
  body: z.object({}).prefault({}),
  reply: z.object({
    calendars: z.array(
      z.object({
        connection_id,
        name: z.string(),
        url: z.string(),
        server: z.string(),
        user: z.string(),
        state: z.enum(connectionStates),
        failure: z.string().nullable(),
      }),
    ),
  }),
  example: {
    request: {},
    reply: {
      calendars: [
        {
          ...{ connection_id: one, name: 'Home', url: 'https://caldav.example.com/maya/home/', server: 'caldav.example.com' },
          ...{ user: 'maya@example.com', state: 'connected' as const, failure: null },
        },
      ],
    },
  },
  errors: [],
  action: {
    title: 'List CalDAV calendars',
    when: 'The person asks which of their calendars at iCloud, Fastmail, Nextcloud or another CalDAV server are connected',
    effect: 'reads',
    evidence: { rows: 'calendars', columns: { name: col.text('Calendar'), server: col.text('Server'), state: col.text('State') } },
  },
})

export const disconnectCaldavCalendar = changing('disconnect-caldav-calendar', {
  summary: 'Disconnects a calendar at a CalDAV server',
  description: 'Its password is deleted here. What was written into it stays there.',
  body: z.object({ connection_id }),
  reply: z.object({ disconnected: z.boolean() }),
  example: { request: { connection_id: one }, reply: { disconnected: true } },
  errors: [],
  action: {
    title: 'Disconnect a CalDAV calendar',
    when: 'The person asks to disconnect a calendar at iCloud, Fastmail, Nextcloud or another CalDAV server',
    effect: 'changes',
    does: () => 'Disconnects the calendar. Its times are open for bookings again',
  },
})
