import { z } from 'zod'
import { endpoint, fn, id, oneLine, text, time } from '../contract.ts'
import { BookingPayment, bookingStates } from './appointments.ts'
import { calendarDay, exampleId, moment, questionKinds, Zone } from './calendar.ts'

// The public side: a visitor without an account finds a time, books it, and changes it by the link in their email.

const profile = z.string().max(60)
const event_type = z.string().max(60)
const BookableType = z.object({
  slug: z.string(),
  title: z.string(),
  description: z.string(),
  minutes: z.int(),
  place_kind: z.enum(['phone', 'link', 'address']),
  /** Given after booking where it is a link. */
  place: z.string().nullable(),
  needs_approval: z.boolean(),
  /** Absent from the version before, where all are free. */
  price_cents: z.int().optional(),
  refund_hours: z.int().optional(),
  /** How long before the start a guest who wants it gets a text message; 0 is never. Absent from the version before. */
  sms_minutes: z.int().optional(),
  days_ahead: z.int(),
  questions: z.array(z.object({ label: z.string(), required: z.boolean(), kind: z.enum(questionKinds) })),
})
const typeExample = {
  slug: 'first-call',
  title: 'First call',
  description: '',
  minutes: 30,
  place_kind: 'phone' as const,
  place: null,
  needs_approval: false,
  price_cents: 0,
  refund_hours: 24,
  sms_minutes: 0,
  days_ahead: 60,
  questions: [],
}

export const showBookingPage = fn('show-booking-page', {
  access: 'public',
  rate: 'read',
  summary: 'Shows what can be booked with somebody',
  description: 'Only pages that are switched on.',
  body: z.object({ profile }),
  reply: z.object({ name: z.string(), zone: z.string(), event_types: z.array(BookableType).max(100) }),
  example: { request: { profile: 'ann' }, reply: { name: 'Ann', zone: 'Europe/Berlin', event_types: [typeExample] } },
  errors: ['not_found'],
})

export const listSlots = fn('list-slots', {
  access: 'public',
  rate: 'read',
  summary: 'Lists the free times of a booking page',
  description: 'At most 31 days from `from` on, by the calendar of `zone`. Times are in UTC.',
  body: z.object({ profile, event_type, from: calendarDay, days: z.int().min(1).max(31).default(31), zone: Zone }),
  reply: z.object({ minutes: z.int(), slots: z.array(time).max(10_000) }),
  example: {
    request: { profile: 'ann', event_type: 'first-call', from: '2026-12-01', zone: 'Europe/Madrid' },
    reply: { minutes: 30, slots: ['2026-12-01T08:00:00.000Z'] },
  },
  errors: ['not_found'],
  action: {
    title: 'List free times',
    when: 'The person asks when somebody can be booked',
    effect: 'reads',
  },
})

const guest = {
  start: moment,
  name: oneLine(120).min(1),
  email: z.email().max(254),
  phone: text(40).trim().optional(),
  /** The guest agrees to a text message at `phone` before the start. */
  text_me: z.boolean().optional(),
  zone: Zone.default('UTC'),
  answers: z.array(text(2000)).max(10).default([]),
}
export const book = fn('book', {
  access: 'public',
  rate: 'public-send',
  idempotent: true,
  summary: 'Books a free time with somebody',
  description:
    'Needs no account. `answers` are those to the questions of the page, in their order. The email that follows has a link to move or cancel it. Where the page has a price, the time is held for 15 minutes and booked once it is paid at `pay_url`.',
  body: z.object({ profile, event_type, ...guest }),
  reply: z.object({
    booking_id: id('booking'),
    manage_url: z.string(),
    state: z.enum(bookingStates),
    /** Where it is paid, if it has a price. */
    pay_url: z.string().optional(),
  }),
  example: {
    request: {
      profile: 'ann',
      event_type: 'first-call',
      start: '2026-12-01T08:00:00.000Z',
      name: 'Ines Ortega',
      email: 'ines@harbour-cafe.example',
    },
    reply: { booking_id: exampleId, manage_url: 'https://operon.example/booking/x', state: 'confirmed' as const },
  },
  errors: ['not_found', 'slot_taken', 'booking_answers', 'booking_phone', 'booking_text_phone', 'booking_many', 'seller_not_ready'],
  action: {
    title: 'Book a time',
    when: 'The person asks to book a meeting on a booking page',
    effect: 'sends',
    noPreview: 'Someone else keeps this calendar. The time is yours once the booking is made.',
    does: ({ event_type, start, name }) => `Books “${event_type}” at ${start} for ${name} and emails both`,
  },
})

// By the link in the email: a token of the booking's id, signed. Looking changes nothing.
const token = text(200)
const Held = z.object({
  title: z.string(),
  host: z.string(),
  profile: z.string().nullable(),
  event_type: z.string().nullable(),
  minutes: z.int(),
  starts_at: time,
  ends_at: time,
  state: z.enum(bookingStates),
  place: z.string(),
  place_kind: z.enum(['phone', 'link', 'address']),
  guest_name: z.string(),
  guest_zone: z.string(),
  reason: z.string(),
  /** Whether it can still be moved or cancelled. */
  open: z.boolean(),
  payment: BookingPayment.nullable().optional(),
})
export const showBooking = fn('show-booking', {
  access: 'public',
  rate: 'read',
  summary: 'Shows a booking to anyone with its link',
  body: z.object({ token }),
  reply: Held,
  errors: ['booking_link'],
})
export const payBooking = fn('pay-booking', {
  access: 'public',
  rate: 'auth',
  summary: 'Gives the payment page of a time that is held',
  body: z.object({ token }),
  reply: z.object({ pay_url: z.string() }),
  errors: ['booking_link', 'booking_unheld', 'seller_not_ready'],
})
export const cancelBooking = fn('cancel-booking', {
  access: 'public',
  rate: 'auth',
  summary: 'Cancels a booking by its link',
  body: z.object({ token, reason: text(500).default('') }),
  reply: Held,
  errors: ['booking_link', 'booking_over'],
})
export const rescheduleBooking = fn('reschedule-booking', {
  access: 'public',
  rate: 'public-send',
  summary: 'Moves a booking to another free time, by its link',
  body: z.object({ token, start: moment }),
  reply: Held,
  errors: ['booking_link', 'booking_over', 'slot_taken', 'booking_many'],
})
export const bookingFile = endpoint({
  method: 'GET',
  path: '/functions/v1/booking.ics',
  access: 'public',
  rate: 'read',
  summary: 'A booking as a file for calendars',
  query: z.object({ token: token.default('') }),
  reply: z.string(),
  raw: true,
  contentType: 'text/calendar',
})
