import type { Input, Output } from '@operon/contracts/contract'
import type { book as bookContract } from '@operon/contracts/crm/booking'
import { appointmentBooked } from '@operon/contracts/crm/events'
import type { Ctx } from '@operon/kit/context'
import { DomainError } from '@operon/kit/errors'
import { newId } from '@operon/kit/ids'
import type { Runtime } from '@operon/kit/service'
import { inTransaction, publish } from '@operon/kit/tx'
import { insertBooking, mailBoth, rangeOf, told } from '../calendar/bookings.ts'
import { remindAt } from '../calendar/reminders.ts'
import { noteConsent } from '../email/consents.ts'
import type { CrmDb } from '../schema.ts'
import { manageUrl } from './links.ts'
import { type Offer, offerAt } from './offers.ts'

type Given = Input<typeof bookContract>
type Rt = Pick<Runtime<CrmDb>, 'cache' | 'kit' | 'vault'>

const DAY_MS = 86_400_000
const MINUTE_MS = 60_000
const OF_A_GUEST_A_DAY = 8
const OF_A_HOST_A_DAY = 500
/** Across all hosts, since one person can open many accounts. */
const TO_A_GUEST_A_DAY = 24

export async function book(ctx: Ctx<CrmDb>, given: Given, rt: Rt): Promise<Output<typeof bookContract>> {
  const { profile, event_type, start, zone, name } = given
  const offer = await offerAt(ctx.db, { profile, event_type }, start)
  const email = given.email.toLowerCase()
  const answers = answersTo(offer, given)
  await bounded(rt, offer.user_id, email)
  const starts_at = new Date(start)
  const ends_at = new Date(starts_at.getTime() + offer.minutes * MINUTE_MS)
  return inTransaction(ctx.db, async (trx) => {
    const booking = await insertBooking(trx, {
      id: newId(),
      user_id: offer.user_id,
      event_type_id: offer.id,
      title: `${offer.title} with ${name}`,
      starts_at,
      ends_at,
      during: rangeOf(starts_at, ends_at, offer.before_minutes, offer.after_minutes),
      state: offer.needs_approval ? 'pending' : 'confirmed',
      guest_name: name,
      guest_email: email,
      guest_phone: given.phone || null,
      guest_zone: zone,
      answers: JSON.stringify(answers),
      place: offer.place_kind === 'phone' ? (given.phone ?? '') : offer.place,
      remind_at: offer.needs_approval ? null : remindAt(starts_at, offer.remind_minutes),
    })
    await noteConsent(trx, { userId: offer.user_id, address: email }, `Booked ${offer.title}`)
    await publish(trx, appointmentBooked, offer.user_id, told(booking, 'guest'))
    await mailBoth(trx, booking, offer.needs_approval ? 'requested' : 'booked', ['guest', 'host'])
    return { booking_id: booking.id, manage_url: manageUrl(rt.kit.PUBLIC_URL, rt.vault, booking.id), state: booking.state }
  })
}

function answersTo({ questions, place_kind }: Offer, { answers, phone }: Given) {
  if (place_kind === 'phone' && !/\d.*\d.*\d.*\d/.test(phone ?? '')) throw new DomainError('booking_phone')
  if (questions.some(({ required }, at) => required && !answers[at]?.trim())) throw new DomainError('booking_answers')
  return questions.flatMap(({ label }, at) => (answers[at]?.trim() ? [{ label, answer: answers[at].trim() }] : []))
}

/** Each booking sends emails, so a stranger can cause only so many to one address, or for one host. */
export async function bounded({ cache }: Pick<Rt, 'cache'>, hostId: string, email: string): Promise<void> {
  const guest = await cache.take(`bookings of ${hostId} ${email}`, OF_A_GUEST_A_DAY, DAY_MS)
  const host = guest.ok ? await cache.take(`bookings of ${hostId}`, OF_A_HOST_A_DAY, DAY_MS) : guest
  const inbox = host.ok ? await cache.take(`bookings to ${email}`, TO_A_GUEST_A_DAY, DAY_MS) : host
  if (!inbox.ok) throw new DomainError('booking_many')
}
