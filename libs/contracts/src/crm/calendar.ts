import { z } from 'zod'
import { LARGEST_PRICE_CENTS, SMALLEST_PRICE_CENTS } from '../billing/rates.ts'
import { changing, col, id, oneLine, reading, text, time } from '../contract.ts'

// A person's own calendar: the hours they can be booked in, their booking pages, and what is booked.

const DAY = 1440
/** Minutes since midnight, on the wall clock of the schedule's zone. */
const minute = z.int().min(0).max(DAY)
const Span = z
  .object({ from: minute.meta({ examples: [540] }), to: minute.meta({ examples: [1020] }) })
  .refine(({ from, to }) => from < to, { error: 'An hour has to end after it begins.' })
const Spans = z
  .array(Span)
  .max(6)
  .refine((spans) => spans.every((span, at) => at === 0 || spans[at - 1]!.to <= span.from), { error: 'Hours of one day must not overlap.' })
const isNear = (at: string) => Date.parse(at) > Date.UTC(2000) && Date.parse(at) < Date.UTC(2100)
const ofOurs = { error: 'Choose a time of this century.' }
/** Far enough for a calendar, and within what a range of PostgreSQL takes. */
export const moment = time.refine(isNear, ofOurs)
export const calendarDay = z.iso.date().refine(isNear, ofOurs)
const isZone = (zone: string) => {
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: zone }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}
export const Zone = z
  .string()
  .max(64)
  .regex(/^[A-Za-z][A-Za-z0-9_+\-/]*$/)
  .refine(isZone, { error: 'This is no time zone, as Europe/Berlin is one.' })
  .meta({ examples: ['Europe/Berlin'] })

const ScheduleFields = z.object({
  zone: Zone,
  /** Monday first. */
  hours: z.array(Spans).length(7),
  /** Days that differ: other hours, or none, which is time off. */
  exceptions: z
    .array(
      z
        .object({ from: calendarDay, to: calendarDay, spans: Spans })
        .refine(({ from, to }) => from <= to, { error: 'Time off has to end after it begins.' }),
    )
    .max(100),
})
export type ScheduleShape = z.output<typeof ScheduleFields>
export type Span = z.output<typeof Span>
const Schedule = ScheduleFields.extend({ version: z.int() })

const workday = [{ from: 540, to: 1020 }]
export const usualHours = [workday, workday, workday, workday, workday, [], []]
const scheduleExample = { zone: 'Europe/Berlin', hours: usualHours, exceptions: [], version: 1 }

export const showAvailability = reading('show-availability', {
  summary: 'Shows the hours in which the person can be booked',
  description: 'Version 0 is the suggestion for somebody who has not saved their hours yet.',
  body: z.object({}).prefault({}),
  reply: Schedule,
  example: { request: {}, reply: scheduleExample },
  errors: [],
  action: {
    title: 'Show availability',
    when: 'The person asks in which hours they can be booked, or when they are off',
    effect: 'reads',
    evidence: { columns: { zone: col.text('Time zone') } },
  },
})
export const saveAvailability = changing('save-availability', {
  summary: 'Saves working hours, days with other hours, and time off',
  description: 'The whole is replaced. `version` is the one that was read: what changed since is not overwritten.',
  body: ScheduleFields.extend({ version: z.int().min(0) }),
  reply: Schedule,
  example: { request: scheduleExample, reply: { ...scheduleExample, version: 2 } },
  errors: ['conflict'],
  action: {
    title: 'Save availability',
    when: 'The person asks to change their working hours or to take time off',
    effect: 'changes',
    does: ({ zone, exceptions }) => `Replaces your working hours (${zone}) with ${exceptions.length} days that differ`,
  },
})

export const questionKinds = ['line', 'text'] as const
const Question = z.object({ label: oneLine(120).min(1), required: z.boolean(), kind: z.enum(questionKinds) })
const EventTypeFields = z.object({
  title: oneLine(120).min(1),
  slug: z
    .string()
    .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, { error: 'Use small letters, digits and single hyphens.' })
    .max(60)
    .meta({ examples: ['first-call'] }),
  description: text(1000).default(''),
  minutes: z.int().min(5).max(720),
  /** How far apart the starts are; as long as the meeting when absent. */
  step_minutes: z.int().min(5).max(720).optional(),
  before_minutes: z.int().min(0).max(240).default(0),
  after_minutes: z.int().min(0).max(240).default(0),
  notice_minutes: z.int().min(0).max(43_200).default(240),
  days_ahead: z.int().min(1).max(365).default(60),
  remind_minutes: z.int().min(0).max(10_080).default(1440),
  /** Offers guests a text message so long before the start; 0 offers none. */
  sms_minutes: z.int().min(0).max(10_080).default(0),
  place_kind: z.enum(['phone', 'link', 'address']).default('phone'),
  place: text(500).default(''),
  questions: z.array(Question).max(10).default([]),
  needs_approval: z.boolean().default(false),
  /** In US dollars, paid before the time is booked; 0 is free. */
  price_cents: z
    .int()
    .min(0)
    .max(LARGEST_PRICE_CENTS)
    .refine((cents) => cents === 0 || cents >= SMALLEST_PRICE_CENTS, {
      error: 'The smallest price is $2.00, so that the card’s fee leaves something. Without a price it is free.',
    })
    .meta({ examples: [0, 4900] })
    .default(0),
  /** Until how long before the start a guest who cancels gets the payment back. */
  refund_hours: z.int().min(0).max(720).default(24),
  active: z.boolean().default(true),
})
export type EventTypeShape = z.output<typeof EventTypeFields>
const event_type_id = id('event_type')
export const EventType = EventTypeFields.extend({
  id: event_type_id,
  step_minutes: z.int(),
  version: z.int(),
  url: z.string(),
  upcoming: z.int(),
})
export const exampleId = '01931a5c-7d4b-7c3e-9a41-0f6f2f9f4b31'
const eventTypeExample = {
  id: exampleId,
  title: 'First call',
  slug: 'first-call',
  description: '',
  minutes: 30,
  step_minutes: 30,
  before_minutes: 0,
  after_minutes: 10,
  notice_minutes: 240,
  days_ahead: 60,
  remind_minutes: 1440,
  sms_minutes: 0,
  place_kind: 'phone' as const,
  place: '',
  questions: [],
  needs_approval: false,
  price_cents: 0,
  refund_hours: 24,
  active: true,
  version: 1,
  url: 'https://operon.example/book/ann/first-call',
  upcoming: 2,
}

/** `reason` says why there are none; null where there are. Absent from the version before. */
const Texts = z.object({ reason: z.string().nullable(), a_day: z.int(), left: z.int() })

export const listEventTypes = reading('list-event-types', {
  summary: 'Lists the booking pages of the person',
  description:
    'At most a hundred. `upcoming` counts the bookings still to come. `texts` says whether guests can be reminded by text message, how many texts the plan sends in 24 hours, and how many of these are left.',
  body: z.object({}).prefault({}),
  reply: z.object({ slug: z.string().nullable(), event_types: z.array(EventType).max(100), texts: Texts.optional() }),
  example: { request: {}, reply: { slug: 'ann', event_types: [eventTypeExample], texts: { reason: null, a_day: 20, left: 18 } } },
  errors: [],
  action: {
    title: 'List booking pages',
    when: 'The person asks for their booking links or which meetings can be booked',
    effect: 'reads',
    evidence: { rows: 'event_types', columns: { title: col.text('Title'), url: col.text('Link'), upcoming: col.count('Upcoming') } },
  },
})
export const deleteEventType = changing('delete-event-type', {
  summary: 'Deletes a booking page',
  description: 'Existing bookings stay.',
  body: z.object({ event_type_id }),
  reply: z.object({ deleted: z.boolean() }),
  example: { request: { event_type_id: exampleId }, reply: { deleted: true } },
  errors: ['not_found'],
  action: {
    title: 'Delete a booking page',
    when: 'The person asks to delete a booking page',
    effect: 'destroys',
    does: () => 'Deletes the booking page. Existing bookings stay',
  },
})
export const createEventType = changing('create-event-type', {
  summary: 'Makes a booking page that visitors can book themselves on',
  description:
    'The first one claims an address from the name of the person. Hours are those of `save-availability`; without any, nine to five on weekdays in `zone`.',
  body: EventTypeFields.extend({ zone: Zone.optional() }),
  reply: z.object({ event_type_id, url: z.string() }),
  example: {
    request: { title: 'First call', slug: 'first-call', minutes: 30 },
    reply: { event_type_id: exampleId, url: eventTypeExample.url },
  },
  errors: ['event_type_slug', 'event_type_limit', 'anonymous_no_letters', 'texts_unavailable'],
  action: {
    title: 'Make a booking page',
    when: 'The person asks for a booking link, a booking page or a kind of meeting that others can book',
    effect: 'changes',
    does: ({ title, minutes }) => `Makes the booking page “${title}” of ${minutes} minutes`,
    undo: { contract: deleteEventType, seconds: 600 },
  },
})
export const updateEventType = changing('update-event-type', {
  summary: 'Changes a booking page',
  description: 'All of its fields are replaced. Bookings that exist stay as they are.',
  body: EventTypeFields.extend({ event_type_id, version: z.int() }),
  reply: z.object({ event_type_id, url: z.string(), version: z.int() }),
  example: {
    request: { event_type_id: exampleId, version: 1, title: 'First call', slug: 'first-call', minutes: 45 },
    reply: { event_type_id: exampleId, url: eventTypeExample.url, version: 2 },
  },
  errors: ['not_found', 'conflict', 'event_type_slug', 'texts_unavailable'],
  action: {
    title: 'Change a booking page',
    when: 'The person asks to change a booking page',
    effect: 'changes',
    does: ({ title }) => `Changes the booking page “${title}”`,
  },
})
