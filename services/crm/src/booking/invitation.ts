import ical, { ICalAttendeeStatus, ICalCalendarMethod, ICalEventStatus } from 'ical-generator'
import type { HeldRow } from './held.ts'

export type Invitation = { method: 'REQUEST' | 'CANCEL'; content: string }
/** `guest` is the name shown: none in the file that goes to the guest, whose address a stranger may have typed. */
type Place = { product: string; sender: string; url: string; guest: string }

/** The booking for the calendar of whoever reads it. The id stays and the sequence grows, so that a later one replaces it. */
export function invitationOf(booking: HeldRow, { product, sender, url, guest }: Place): Invitation {
  const over = booking.state === 'cancelled' || booking.state === 'declined'
  const calendar = ical({
    prodId: { company: product, product: 'Calendar', language: 'EN' },
    method: over ? ICalCalendarMethod.CANCEL : ICalCalendarMethod.REQUEST,
  })
  calendar.createEvent({
    id: `${booking.id}@${sender.slice(sender.indexOf('@') + 1)}`,
    sequence: booking.version,
    stamp: new Date(),
    start: booking.starts_at,
    end: booking.ends_at,
    summary: `${booking.type_title ?? (guest ? booking.title : 'Meeting')} · ${booking.host}`,
    // A phone number is whatever the guest typed.
    location: guest || booking.place_kind !== 'phone' ? booking.place || null : null,
    description: url,
    url,
    status: over ? ICalEventStatus.CANCELLED : booking.state === 'pending' ? ICalEventStatus.TENTATIVE : ICalEventStatus.CONFIRMED,
    organizer: { name: booking.host, email: sender },
    attendees: [{ name: guest, email: booking.guest_email ?? '', status: ICalAttendeeStatus.ACCEPTED, rsvp: false }],
  })
  return { method: over ? 'CANCEL' : 'REQUEST', content: calendar.toString() }
}
