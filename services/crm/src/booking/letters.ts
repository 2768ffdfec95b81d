import type { Payload } from '@operon/contracts/contract'
import type { bookingMail } from '@operon/contracts/crm/events'
import { unlinked } from '@operon/contracts/names'
import { money } from '@operon/contracts/words'
import type { Letter } from '@operon/kit/mail/frame'
import type { HeldRow } from './held.ts'

type Mail = Payload<typeof bookingMail>
type Written = { booking: HeldRow; kind: Mail['kind']; by?: Mail['by']; manage: string; calendar: string; hostZone: string }

/** A time as it is read in a zone, with its distance from UTC: where clocks are turned back, 01:30 is there twice. */
export const whenIn = (at: Date, zone: string) => {
  const said = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    weekday: 'long',
    month: 'long',
    day: 'numeric',
    year: 'numeric',
    hour: 'numeric',
    minute: '2-digit',
    timeZoneName: 'shortOffset',
  }).format(at)
  return `${said.replaceAll('\u202F', ' ')} (${zone.replaceAll('_', ' ')})`
}

const guestWords = (host: string): Record<Mail['kind'], [subject: string, text: string]> => ({
  booked: [`Your booking with ${host}`, 'Your booking is confirmed. The attached file puts it into your calendar.'],
  requested: [
    `Your booking request to ${host}`,
    `The time is held for you. ${host} confirms or declines it, and you get an email either way.`,
  ],
  confirmed: [`${host} confirmed your booking`, 'Your booking is confirmed. The attached file puts it into your calendar.'],
  declined: [`${host} declined your booking request`, 'That time is no longer held for you. You can choose another one.'],
  moved: [`Your booking with ${host} has a new time`, 'This is the new time. The attached file updates your calendar.'],
  cancelled: [`Your booking with ${host} is cancelled`, 'The booking is cancelled. The attached file takes it out of your calendar.'],
  reminder: [`Reminder: your booking with ${host}`, 'Your booking is coming up.'],
  too_late: [
    `Your booking with ${host} could not be made`,
    'Your payment arrived after the time was no longer held for you. You are refunded in full, to the card you paid with.',
  ],
  refunded: [
    `Your payment for a booking with ${host} was refunded`,
    'The money goes to the card you paid with. Banks take 5 to 10 days to show it.',
  ],
})

/** What the guest typed stands in no email to them: the address is whatever a visitor entered. */
export function guestLetter({ booking, kind, by, manage }: Written): Letter {
  const [subject, text] = guestWords(unlinked(booking.host))[kind]
  const isOver = booking.state === 'cancelled' || booking.state === 'declined'
  return {
    subject,
    title: subject,
    text,
    facts: [
      ['What', booking.type_title ?? 'Meeting'],
      ['When', whenIn(booking.starts_at, booking.guest_zone ?? 'UTC')],
      ...placeFact(booking),
      ...paymentFacts(booking),
      ...(booking.reason && by === 'owner' && (kind === 'declined' || kind === 'cancelled')
        ? ([['Reason', booking.reason]] as [string, string][])
        : []),
    ],
    action: { label: isOver ? 'See the booking' : 'Move or cancel', url: manage },
    after: 'If you did not book this, cancel it with the button above, or ignore this email.',
  }
}

const hostWords = (name: string): Record<Mail['kind'], [subject: string, text: string]> => ({
  booked: [`New booking: ${name}`, 'A visitor booked a time with you.'],
  requested: [`Booking request: ${name}`, 'A visitor requested a time with you. The time is held until you answer.'],
  confirmed: [`Confirmed: ${name}`, 'You confirmed this booking. The attached file puts it into your calendar.'],
  declined: [`Declined: ${name}`, 'You declined this booking request.'],
  moved: [`Moved: ${name}`, 'A booking has a new time. The attached file updates your calendar.'],
  cancelled: [`Cancelled: ${name}`, 'Your guest cancelled. The time is free again.'],
  reminder: [`Reminder: ${name}`, 'This booking is coming up.'],
  too_late: [`Paid too late: ${name}`, 'The payment arrived after the time was taken. The guest is refunded.'],
  refunded: [`Refunded: ${name}`, 'The guest was refunded.'],
})

export function hostLetter({ booking, kind, calendar, hostZone }: Written): Letter {
  const [subject, text] = hostWords(booking.title)[kind]
  return {
    subject,
    title: subject,
    text,
    facts: [
      ['When', whenIn(booking.starts_at, hostZone)],
      ['Guest', `${booking.guest_name}, ${booking.guest_email}`],
      ...(booking.guest_phone ? ([['Phone', booking.guest_phone]] as [string, string][]) : []),
      ...paymentFacts(booking, hostZone),
      ...booking.answers.map(({ label, answer }): [string, string] => [label, answer]),
      ...(booking.reason && kind === 'cancelled' ? ([['Reason', booking.reason]] as [string, string][]) : []),
    ],
    action: { label: 'Open the calendar', url: calendar },
  }
}

/** The payment, and what became or becomes of it. */
function paymentFacts({ guest_zone, ...booking }: HeldRow, zone = guest_zone ?? 'UTC'): [string, string][] {
  const { payment_state: state, paid_cents, refunded_cents, payment_currency, refund_until } = booking
  if (!state || !paid_cents || !payment_currency) return []
  const words = (amount_cents: number) => money({ amount_cents, currency: payment_currency })
  const facts: [string, string][] = [['Paid', words(paid_cents)]]
  if (refunded_cents) facts.push(['Refunded', words(refunded_cents)])
  else if (state === 'refunding') facts.push(['Refund', 'In full, on its way to the card that paid'])
  else if (state === 'kept') facts.push(['Refund', `None, cancelled after ${whenIn(refund_until!, zone)}`])
  else if (state === 'paid') facts.push(['Refund', `In full, if cancelled by ${whenIn(refund_until!, zone)}`])
  return facts
}

const placeFact = ({ place, place_kind, state }: HeldRow): [string, string][] =>
  place && place_kind !== 'phone' && state === 'confirmed' ? [['Where', place]] : []
