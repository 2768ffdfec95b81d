import { z } from 'zod'
import { changing, col, id, oneLine, reading, text, time } from '../contract.ts'
import { exampleId, moment } from './calendar.ts'

// The appointments of a person: booked by visitors, or put there by themselves.

export const bookingStates = ['pending', 'confirmed', 'declined', 'cancelled', 'no_show'] as const
export type BookingState = (typeof bookingStates)[number]

/** `open`: the guest has not paid yet, and the time is held until `hold_until`. `kept`: cancelled too late to be paid back. */
export const BookingPayment = z.object({
  amount_cents: z.int(),
  currency: z.string(),
  state: z.enum(['open', 'ended', 'paid', 'refunding', 'refunded', 'kept']),
  hold_until: time.nullable(),
  /** Until when a guest who cancels gets it back. */
  refund_until: time,
})
export type BookingPayment = z.output<typeof BookingPayment>

/** `unknown`: the provider did not answer, so it is not sent again. `limit`: the plan's texts of the day. `number`: the number's. */
export const textStates = ['planned', 'queued', 'sending', 'sent', 'unknown', 'refused', 'stopped', 'limit', 'number'] as const
export type TextState = (typeof textStates)[number]

const appointment_id = id('appointment')
export const Appointment = z.object({
  id: appointment_id,
  title: z.string(),
  starts_at: time,
  ends_at: time,
  state: z.enum(bookingStates),
  blocks: z.boolean(),
  event_type_id: id('event_type').nullable(),
  guest_name: z.string().nullable(),
  guest_email: z.string().nullable(),
  guest_phone: z.string().nullable(),
  guest_zone: z.string().nullable(),
  answers: z.array(z.object({ label: z.string(), answer: z.string() })),
  place: z.string(),
  notes: z.string(),
  reason: z.string(),
  version: z.int(),
  /** Of a paid booking page. Absent from the version before. */
  payment: BookingPayment.nullable().optional(),
  /** Of a guest who agreed to a text message. Absent from the version before. */
  text_reminder: z
    .object({ state: z.enum(textStates), at: time.nullable() })
    .nullable()
    .optional(),
})
const example = {
  id: exampleId,
  title: 'First call with Ines Ortega',
  starts_at: '2026-12-01T09:00:00.000Z',
  ends_at: '2026-12-01T09:30:00.000Z',
  state: 'confirmed' as const,
  blocks: true,
  event_type_id: null,
  guest_name: 'Ines Ortega',
  guest_email: 'ines@harbour-cafe.example',
  guest_phone: null,
  guest_zone: 'Europe/Madrid',
  answers: [],
  place: '',
  notes: '',
  reason: '',
  version: 1,
}

const begins = moment.meta({ examples: ['2026-12-01T09:00:00.000Z'] })
const ends = moment.meta({ examples: ['2026-12-01T09:30:00.000Z'] })

export const listAppointments = reading('list-appointments', {
  summary: 'Lists what is in the calendar between two times',
  description:
    'At most 62 days and 500 appointments, earliest first. Cancelled and declined ones are left out. `any` tells whether there is any appointment at all.',
  body: z
    .object({ from: begins, to: ends })
    .refine(({ from, to }) => Date.parse(to) > Date.parse(from) && Date.parse(to) - Date.parse(from) <= 62 * 86_400_000, {
      error: 'Ask for at most 62 days.',
    }),
  reply: z.object({
    appointments: z.array(Appointment).max(500),
    any: z.boolean(),
    /** The events of synced calendars at the time; whole days are midnights in UTC. */
    external: z.array(
      z.object({
        id: z.uuid(),
        title: z.string(),
        starts_at: time,
        ends_at: time,
        all_day: z.boolean(),
        busy: z.boolean(),
        account: z.string(),
      }),
    ),
  }),
  example: {
    request: { from: '2026-12-01T00:00:00.000Z', to: '2026-12-08T00:00:00.000Z' },
    reply: { appointments: [example], any: true, external: [] },
  },
  errors: [],
  action: {
    title: 'List appointments',
    when: 'The person asks what is in their calendar or which meetings they have',
    effect: 'reads',
    evidence: { rows: 'appointments', columns: { title: col.text('Title'), starts_at: col.time('Starts'), state: col.text('State') } },
  },
})

const Own = z.object({
  title: oneLine(200).min(1),
  starts_at: begins,
  ends_at: ends,
  notes: text(2000).default(''),
  place: text(500).default(''),
  /** Nobody can book this time. */
  blocks: z.boolean().default(true),
})
const fits = ({ starts_at, ends_at }: { starts_at: string; ends_at: string }) => {
  const ms = Date.parse(ends_at) - Date.parse(starts_at)
  return ms >= 300_000 && ms <= 31 * 86_400_000
}
const fitting = { error: 'An appointment takes between 5 minutes and 31 days.' }

export const cancelAppointment = changing('cancel-appointment', {
  summary: 'Cancels an appointment',
  description: 'A guest is told by email, with the reason.',
  body: z.object({ appointment_id, reason: text(500).default('') }),
  reply: z.object({ appointment_id, state: z.enum(bookingStates) }),
  example: { request: { appointment_id: exampleId }, reply: { appointment_id: exampleId, state: 'cancelled' as const } },
  errors: ['not_found', 'booking_over'],
  action: {
    title: 'Cancel an appointment',
    when: 'The person asks to cancel a meeting or an appointment',
    effect: 'sends',
    does: ({ reason }) => `Cancels the appointment and emails its guest, if it has one${reason ? `: “${reason}”` : ''}`,
  },
})
export const deleteAppointment = changing('delete-appointment', {
  summary: 'Deletes an appointment that has no guest',
  description: 'One with a guest is cancelled instead, so that the guest hears of it.',
  body: z.object({ appointment_id }),
  reply: z.object({ deleted: z.boolean() }),
  example: { request: { appointment_id: exampleId }, reply: { deleted: true } },
  errors: ['not_found'],
  action: {
    title: 'Delete an appointment',
    when: 'The person asks to remove an appointment of their own from the calendar',
    effect: 'destroys',
    does: () => 'Deletes the appointment from the calendar',
  },
})
export const createAppointment = changing('create-appointment', {
  summary: 'Puts an appointment into the calendar',
  description: 'Where it blocks its time, nothing else that blocks can be at that time.',
  body: Own.refine(fits, fitting),
  reply: z.object({ appointment_id, starts_at: time }),
  example: {
    request: { title: 'Dentist', starts_at: '2026-12-01T09:00:00.000Z', ends_at: '2026-12-01T10:00:00.000Z' },
    reply: { appointment_id: exampleId, starts_at: '2026-12-01T09:00:00.000Z' },
  },
  errors: ['slot_taken'],
  action: {
    title: 'Add an appointment',
    when: 'The person asks to put something into their calendar or to block a time',
    effect: 'changes',
    does: ({ title, starts_at }) => `Puts “${title}” into the calendar at ${starts_at}`,
    undo: { contract: deleteAppointment, seconds: 600 },
  },
})
export const moveAppointment = changing('move-appointment', {
  summary: 'Moves an appointment to another time',
  description: 'A guest is told by email, with a new invitation. `version` is the one that was read.',
  body: z.object({ appointment_id, starts_at: begins, ends_at: ends, version: z.int() }).refine(fits, fitting),
  reply: z.object({ appointment_id, version: z.int() }),
  example: {
    request: { appointment_id: exampleId, starts_at: '2026-12-02T09:00:00.000Z', ends_at: '2026-12-02T09:30:00.000Z', version: 1 },
    reply: { appointment_id: exampleId, version: 2 },
  },
  errors: ['not_found', 'conflict', 'slot_taken', 'booking_over'],
  action: {
    title: 'Move an appointment',
    when: 'The person asks to move a meeting to another time',
    effect: 'sends',
    does: ({ starts_at }) => `Moves the appointment to ${starts_at} and emails its guest, if it has one`,
  },
})
export const editAppointment = changing('edit-appointment', {
  summary: 'Changes the title, place and notes of an appointment',
  description: 'Its time is changed by `move-appointment`. Notes are for its owner alone.',
  body: z.object({ appointment_id, title: oneLine(200).min(1), place: text(500), notes: text(2000), version: z.int() }),
  reply: z.object({ appointment_id, version: z.int() }),
  example: {
    request: { appointment_id: exampleId, title: 'Dentist', place: 'Main Street 1', notes: '', version: 1 },
    reply: { appointment_id: exampleId, version: 2 },
  },
  errors: ['not_found', 'conflict'],
  action: {
    title: 'Change an appointment',
    when: 'The person asks to rename an appointment or to note something about it',
    effect: 'changes',
    does: ({ title }) => `Saves the appointment as “${title}”`,
  },
})
export const answerBooking = changing('answer-booking', {
  summary: 'Confirms or declines a booking that waits for approval',
  description: 'The guest is told by email. A declined time is free again.',
  body: z.object({ appointment_id, confirm: z.boolean(), reason: text(500).default('') }),
  reply: z.object({ appointment_id, state: z.enum(bookingStates) }),
  example: { request: { appointment_id: exampleId, confirm: true }, reply: { appointment_id: exampleId, state: 'confirmed' as const } },
  errors: ['not_found', 'booking_over'],
  action: {
    title: 'Answer a booking request',
    when: 'The person asks to confirm or decline a booking that is pending',
    effect: 'sends',
    does: ({ confirm }) => `${confirm ? 'Confirms' : 'Declines'} the booking and emails its guest`,
  },
})
export const markNoShow = changing('mark-no-show', {
  summary: 'Notes that a guest did not come, or takes that back',
  description: 'Only for a booking that has begun. The guest is not told.',
  body: z.object({ appointment_id, no_show: z.boolean().default(true) }),
  reply: z.object({ appointment_id, state: z.enum(bookingStates) }),
  example: { request: { appointment_id: exampleId }, reply: { appointment_id: exampleId, state: 'no_show' as const } },
  errors: ['not_found', 'booking_over'],
  action: {
    title: 'Mark a no-show',
    when: 'The person says that a guest did not come',
    effect: 'changes',
    does: ({ no_show }) => (no_show ? 'Marks the booking as a no-show' : 'Takes back that the guest did not come'),
  },
})
