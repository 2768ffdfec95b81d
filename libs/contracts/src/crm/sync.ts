import { z } from 'zod'
import { changing, col, id, reading, time } from '../contract.ts'
import { CALDAV, calendarApps } from '../integrations/calendars.ts'
import { exampleId } from './calendar.ts'

// Calendars at Google, Microsoft and CalDAV servers that the calendar here is held level with.

const calendar_id = id('synced_calendar')
const SyncedCalendar = z.object({
  id: calendar_id,
  app: z.enum([...calendarApps, CALDAV]),
  /** Absent from the version before. */
  connection_id: id('connection').optional(),
  account: z.string(),
  /** Whether its events take their time on booking pages. */
  busy: z.boolean(),
  /** Whether confirmed appointments are written into it. */
  copies: z.boolean(),
  /** Whether appointments that are moved or deleted there are moved or cancelled here. Absent from the version before. */
  follows: z.boolean().optional(),
  /** Null until it was read to its end once. */
  synced_at: time.nullable(),
  /** In words, where the last try failed. */
  failure: z.string().nullable(),
})
const example: z.output<typeof SyncedCalendar> = {
  ...{ id: exampleId, app: 'google-calendar', account: 'maya@example.com', busy: true, copies: true, follows: true },
  ...{ synced_at: '2026-11-24T10:00:00.000Z', failure: null },
}
const calendars = z.array(SyncedCalendar)

export const listSyncedCalendars = reading('list-synced-calendars', {
  summary: 'Lists the calendars at Google, Microsoft and CalDAV servers that are held level with this one',
  description: 'Each with the time when it was last level, or why it is not.',
  body: z.object({}).prefault({}),
  reply: z.object({ calendars }),
  example: { request: {}, reply: { calendars: [example] } },
  errors: [],
  action: {
    title: 'List synced calendars',
    when: 'The person asks which calendars are connected to theirs, or whether they are up to date',
    effect: 'reads',
    evidence: { rows: 'calendars', columns: { account: col.text('Account'), synced_at: col.time('Synced') } },
  },
})
export const syncCalendars = changing('sync-calendars', {
  summary: 'Reads the connected calendars now',
  description: 'Newly connected ones are added. They are also read by themselves: when they tell of a change, and every few minutes.',
  body: z.object({}).prefault({}),
  reply: z.object({ calendars }),
  example: { request: {}, reply: { calendars: [example] } },
  errors: [],
  action: {
    title: 'Sync calendars',
    when: 'The person asks to sync their connected calendars now',
    effect: 'changes',
    noPreview: 'Your calendars are read when this runs. What is in them is not known before.',
    does: () => 'Reads your connected calendars',
  },
})
export const updateSyncedCalendar = changing('update-synced-calendar', {
  summary: 'Says what a synced calendar is for',
  description:
    '`busy`: its events take their time on booking pages. `copies`: confirmed appointments are written into it from now on. Those that were written stay. `follows`: an appointment that is moved or deleted there is moved or cancelled here, and its guest is told; absent, it stays as it is.',
  body: z.object({ calendar_id, busy: z.boolean(), copies: z.boolean(), follows: z.boolean().optional() }),
  reply: SyncedCalendar,
  example: { request: { calendar_id: exampleId, busy: true, copies: false }, reply: example },
  errors: ['not_found'],
  action: {
    title: 'Change a synced calendar',
    when: 'The person asks that a connected calendar blocks their times or not, or gets their appointments or not',
    effect: 'changes',
    does: ({ busy, copies }) =>
      `${busy ? 'Blocks' : 'Does not block'} times that are taken in the connected calendar, and ${copies ? 'writes' : 'does not write'} appointments into it`,
  },
})
