import type { saleRefunded, saleSettled } from '@operon/contracts/billing/selling-events'
import type { Payload } from '@operon/contracts/contract'
import { appointmentBooked, appointmentCancelled, bookingKept, payBookingBack } from '@operon/contracts/crm/events'
import { now } from '@operon/kit/clock'
import type { Ctx } from '@operon/kit/context'
import { enqueue, inTransaction, publish, publishMany } from '@operon/kit/tx'
import { type Selectable, sql, type Updateable } from 'kysely'
import { type Booking, changeBooking, endHolds, mailBoth, oneAtATime, type Trx, told } from '../calendar/bookings.ts'
import { remindersAt } from '../calendar/reminders.ts'
import { noteConsent } from '../email/consents.ts'
import type { CrmDb } from '../schema.ts'

type Payment = Selectable<CrmDb['booking_payments']>
type Sale = Omit<Payload<typeof saleRefunded>, 'returned_cents'>

/** Paid: booked once. Where the time was not held any more, it is booked if it is still free, and paid back otherwise. */
export async function bookPaid(trx: Trx, sale: Payload<typeof saleSettled>): Promise<void> {
  // Before any row: whoever cancels takes them in this order.
  await oneAtATime(trx, sale.seller_id)
  await keepSale(trx, sale)
  const payment = await trx
    .selectFrom('booking_payments')
    .selectAll()
    .where('id', '=', sale.reference)
    .where('user_id', '=', sale.seller_id)
    .where('state', 'in', ['open', 'ended'])
    .forUpdate()
    .executeTakeFirst()
  if (!payment) return
  if (payment.refunded_cents >= payment.paid_cents) return setPayment(trx, payment, { state: 'refunded' })
  const booking = await trx.selectFrom('bookings').selectAll().where('id', '=', payment.id).executeTakeFirst()
  const type = await typeOf(trx, booking)
  if (!booking || payment.state === 'ended' || !(await isFree(trx, booking))) {
    await owe(trx, payment, 'Paid after the time was gone')
    if (booking) await mailBoth(trx, booking, 'too_late', ['guest'])
    return
  }
  const state = type?.needs_approval ? 'pending' : 'confirmed'
  const reminders = state === 'pending' ? {} : remindersAt(booking.starts_at, type, booking.sms_to)
  const set = { state, ...reminders, hold_until: null, reason: '' } as const
  const guard = { id: booking.id, userId: booking.user_id, states: ['pending', 'cancelled'] as const, held: true }
  const booked = (await changeBooking(trx, guard, set))!
  await setPayment(trx, payment, { state: 'paid', kept_at: booked.ends_at })
  await noteConsent(trx, { userId: booked.user_id, address: booked.guest_email! }, `Booked ${type?.title ?? booked.title}`)
  await publish(trx, appointmentBooked, booked.user_id, told(booked, 'guest'))
  await mailBoth(trx, booked, state === 'pending' ? 'requested' : 'booked', ['guest', 'host'])
}

/** By the lock of the host, so that nothing comes between this look and the write. */
async function isFree(trx: Trx, { id, user_id, during, starts_at, state }: Booking): Promise<boolean> {
  if (starts_at.getTime() <= now() || (state !== 'pending' && state !== 'cancelled')) return false
  await endHolds(trx, user_id)
  const { rows } = await sql`
    select from bookings where user_id = ${user_id} and during && ${during}::tstzrange and id <> ${id} and blocks
      and state in ('pending', 'confirmed', 'no_show') limit 1`.execute(trx)
  return rows.length === 0
}

/** A time that was paid back whole is not booked any more, as with any other sale. */
export async function keepRefund(trx: Trx, sale: Payload<typeof saleRefunded>): Promise<void> {
  await oneAtATime(trx, sale.seller_id)
  const payment = await keepSale(trx, sale)
  if (!payment) return
  const isWhole = payment.refunded_cents >= payment.paid_cents
  if (isWhole && payment.state !== 'open' && payment.state !== 'ended') await setPayment(trx, payment, { state: 'refunded', kept_at: null })
  const guard = { id: payment.id, userId: payment.user_id, states: ['pending', 'confirmed'] as const }
  const isComing = await trx
    .selectFrom('bookings')
    .select('id')
    .where('id', '=', payment.id)
    .where('starts_at', '>', new Date(now()))
    .executeTakeFirst()
  const ended = isWhole && isComing && (await changeBooking(trx, guard, { state: 'cancelled', remind_at: null }))
  if (ended) {
    await publish(trx, appointmentCancelled, ended.user_id, told(ended, 'owner'))
    await mailBoth(trx, ended, 'cancelled', ['guest'])
  }
  const booking = await trx.selectFrom('bookings').selectAll().where('id', '=', payment.id).executeTakeFirst()
  if (booking) await mailBoth(trx, booking, 'refunded', ['guest'])
}

const keepSale = (trx: Trx, { reference, seller_id, sale_id, version, refunded_cents, amount_cents }: Sale) =>
  trx
    .updateTable('booking_payments')
    .set({ sale_id, sale_version: version, paid_cents: amount_cents, refunded_cents })
    .where('id', '=', reference)
    .where('user_id', '=', seller_id)
    .where('sale_version', '<', version)
    .returningAll()
    .executeTakeFirst()

async function setPayment(trx: Trx, { id, user_id }: Payment, set: Updateable<CrmDb['booking_payments']>): Promise<void> {
  await trx.updateTable('booking_payments').set(set).where('id', '=', id).where('user_id', '=', user_id).execute()
}

async function owe(trx: Trx, payment: Payment, reason: string): Promise<void> {
  await setPayment(trx, payment, { state: 'refunding', kept_at: null })
  await enqueue(trx, payBookingBack, { booking_id: payment.id, reason }, { userId: payment.user_id })
}

const typeOf = async (trx: Trx, booking: Booking | undefined) =>
  booking?.event_type_id
    ? trx
        .selectFrom('event_types')
        .select(['title', 'needs_approval', 'remind_minutes', 'sms_minutes'])
        .where('id', '=', booking.event_type_id)
        .executeTakeFirst()
    : undefined

/** After a cancellation: by its owner, or in good time, it is paid back; otherwise the seller keeps it. */
export async function settleCancelled(trx: Trx, { id, user_id }: Booking, by: 'guest' | 'owner'): Promise<void> {
  const payment = await trx
    .selectFrom('booking_payments')
    .selectAll()
    .where('id', '=', id)
    .where('user_id', '=', user_id)
    .where('state', '=', 'paid')
    .forUpdate()
    .executeTakeFirst()
  if (!payment) return
  if (by === 'owner' || payment.refund_until.getTime() >= now())
    await owe(trx, payment, `Cancelled by the ${by === 'owner' ? 'host' : 'guest'}`)
  else await setPayment(trx, payment, { state: 'kept', kept_at: new Date(now()) })
}

/** A guest who is given another time may cancel until then. Moving it oneself leaves that day as it was. */
export async function settleMoved(trx: Trx, { id, user_id, starts_at, ends_at }: Booking, by: 'guest' | 'owner'): Promise<void> {
  await trx
    .updateTable('booking_payments')
    .set({ kept_at: ends_at, ...(by === 'owner' && { refund_until: starts_at }) })
    .where('id', '=', id)
    .where('user_id', '=', user_id)
    .where('state', '=', 'paid')
    .execute()
}

const PIECE = 200
/** Times that were held and not paid are free again, and what is over was delivered. */
export async function sweepPayments({ db, signal }: Pick<Ctx<CrmDb>, 'db' | 'signal'>): Promise<void> {
  for (let count = PIECE; count === PIECE && !signal.aborted; ) count = await inTransaction(db, (trx) => endHolds(trx, null, PIECE))
  for (let count = PIECE; count === PIECE && !signal.aborted; )
    count = await inTransaction(db, async (trx) => {
      const { rows } = await sql<{ id: string; user_id: string }>`
        update booking_payments set kept_at = null where id in (
          select id from booking_payments where kept_at <= now() order by kept_at limit ${PIECE} for update skip locked)
        returning id, user_id`.execute(trx)
      const kept = rows.map(({ id, user_id: userId }) => ({
        userId,
        payload: { kind: 'booking' as const, reference: id, seller_id: userId },
      }))
      await publishMany(trx, bookingKept, kept)
      return rows.length
    })
}
