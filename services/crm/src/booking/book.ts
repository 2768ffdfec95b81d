import type { Input, Output } from '@operon/contracts/contract'
import type { book as bookContract } from '@operon/contracts/crm/booking'
import { appointmentBooked } from '@operon/contracts/crm/events'
import { now } from '@operon/kit/clock'
import type { Ctx } from '@operon/kit/context'
import { DomainError } from '@operon/kit/errors'
import { newId } from '@operon/kit/ids'
import { type Texter, textNumber } from '@operon/kit/mail/texts'
import type { Runtime } from '@operon/kit/service'
import { inTransaction, publish } from '@operon/kit/tx'
import type { Insertable } from 'kysely'
import { insertBooking, mailBoth, rangeOf, releaseHold, type Trx, told } from '../calendar/bookings.ts'
import { remindersAt } from '../calendar/reminders.ts'
import { noteConsent } from '../email/consents.ts'
import type { CrmDb } from '../schema.ts'
import { bounded } from './bounds.ts'
import { checkoutOf } from './checkout.ts'
import { manageUrl } from './links.ts'
import { type Offer, offerAt } from './offers.ts'

type Given = Input<typeof bookContract>
type Rt = Pick<Runtime<CrmDb>, 'ask' | 'cache' | 'kit' | 'vault'>

const MINUTE_MS = 60_000
const HOLD_MINUTES = 15

export async function book(ctx: Ctx<CrmDb>, given: Given, rt: Rt, texter: Texter): Promise<Output<typeof bookContract>> {
  const { profile, event_type, start, zone, name } = given
  const offer = await offerAt(ctx.db, { profile, event_type }, start)
  const email = given.email.toLowerCase()
  const answers = answersTo(offer, given)
  const sms_to = textedAt(offer, given, texter)
  await bounded(ctx, rt, offer.user_id, email)
  const starts_at = new Date(start)
  const ends_at = new Date(starts_at.getTime() + offer.minutes * MINUTE_MS)
  const id = newId()
  const row = {
    id,
    user_id: offer.user_id,
    event_type_id: offer.id,
    title: `${offer.title} with ${name}`,
    starts_at,
    ends_at,
    during: rangeOf(starts_at, ends_at, offer.before_minutes, offer.after_minutes),
    guest_name: name,
    guest_email: email,
    guest_phone: given.phone || null,
    guest_zone: zone,
    sms_to,
    answers: JSON.stringify(answers),
    place: offer.place_kind === 'phone' ? (given.phone ?? '') : offer.place,
  }
  if (offer.price_cents) return hold(ctx, rt, offer, row)
  return inTransaction(ctx.db, async (trx) => {
    const booking = await insertBooking(trx, {
      ...row,
      state: offer.needs_approval ? 'pending' : 'confirmed',
      ...(!offer.needs_approval && remindersAt(starts_at, offer, sms_to)),
    })
    await noteTexts(trx, offer, sms_to)
    await publish(trx, appointmentBooked, offer.user_id, told(booking, 'guest'))
    await mailBoth(trx, booking, offer.needs_approval ? 'requested' : 'booked', ['guest', 'host'])
    return { booking_id: booking.id, manage_url: manageUrl(rt.kit.PUBLIC_URL, rt.vault, booking.id), state: booking.state }
  })
}

/** Held until it is paid, for so long that a card can be found. */
async function hold(
  ctx: Ctx<CrmDb>,
  rt: Rt,
  offer: Offer,
  row: Omit<Insertable<CrmDb['bookings']>, 'state'>,
): Promise<Output<typeof bookContract>> {
  const { id, user_id } = row
  await inTransaction(ctx.db, async (trx) => {
    await insertBooking(trx, { ...row, state: 'pending', hold_until: new Date(now() + HOLD_MINUTES * MINUTE_MS) })
    await noteTexts(trx, offer, row.sms_to ?? null)
    const refund_until = new Date(new Date(row.starts_at).getTime() - offer.refund_hours * 60 * MINUTE_MS)
    await trx
      .insertInto('booking_payments')
      .values({ id, user_id, amount_cents: offer.price_cents, currency: 'usd', refund_until })
      .execute()
  })
  try {
    const pay_url = await checkoutOf(ctx.db, rt, id)
    return { booking_id: id, manage_url: manageUrl(rt.kit.PUBLIC_URL, rt.vault, id), state: 'pending', pay_url }
  } catch (error) {
    await inTransaction(ctx.db, (trx) => releaseHold(trx, id, user_id, 'The payment page did not open.'))
    throw error
  }
}

function answersTo({ questions, place_kind }: Offer, { answers, phone }: Given) {
  if (place_kind === 'phone' && !/\d.*\d.*\d.*\d/.test(phone ?? '')) throw new DomainError('booking_phone')
  if (questions.some(({ required }, at) => required && !answers[at]?.trim())) throw new DomainError('booking_answers')
  return questions.flatMap(({ label }, at) => (answers[at]?.trim() ? [{ label, answer: answers[at].trim() }] : []))
}

/** The number to text, where the guest asked for that and the page offers it. */
function textedAt({ sms_minutes }: Offer, { text_me, phone }: Given, { isOpen }: Texter): string | null {
  if (!text_me || !sms_minutes || !isOpen) return null
  const number = textNumber(phone ?? '')
  if (!number) throw new DomainError('booking_text_phone')
  return number
}

/** A tick takes nothing back that the owner of the number has said: anybody can type it. */
async function noteTexts(trx: Trx, { user_id: userId, title }: Offer, number: string | null): Promise<void> {
  if (number) await noteConsent(trx, { userId, channel: 'sms', address: `+${number}` }, `Ticked “Text me a reminder” when booking ${title}`)
}
