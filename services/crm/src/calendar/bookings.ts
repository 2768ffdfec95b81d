import type { Payload } from '@operon/contracts/contract'
import type { BookingState } from '@operon/contracts/crm/appointments'
import { bookingMail } from '@operon/contracts/crm/events'
import { DomainError } from '@operon/kit/errors'
import type { KitDb } from '@operon/kit/schema'
import { enqueue } from '@operon/kit/tx'
import { type Insertable, type Selectable, sql, type Transaction, type Updateable } from 'kysely'
import type { CrmDb } from '../schema.ts'
import { copyLater } from '../sync/calendars.ts'

export type Trx = Transaction<CrmDb & KitDb>
export type Booking = Selectable<CrmDb['bookings']>
type Mail = Payload<typeof bookingMail>['kind']

const EXCLUSION_VIOLATION = '23P01'
const MINUTE_MS = 60_000

/** From start to end with the buffers around it, as PostgreSQL writes a range. */
export const rangeOf = (startsAt: Date, endsAt: Date, beforeMinutes = 0, afterMinutes = 0): string =>
  `[${new Date(startsAt.getTime() - beforeMinutes * MINUTE_MS).toISOString()},${new Date(endsAt.getTime() + afterMinutes * MINUTE_MS).toISOString()})`

/** Bookings of one person come one after another: two that wait for each other at the constraint would be a deadlock. */
export const oneAtATime = (trx: Trx, userId: string) =>
  sql`select pg_advisory_xact_lock(hashtextextended(${`bookings ${userId}`}, 0))`.execute(trx)

/** The database refuses what overlaps, whatever was looked at before. */
export async function insertBooking(trx: Trx, row: Insertable<CrmDb['bookings']>): Promise<Booking> {
  await oneAtATime(trx, row.user_id)
  await endHolds(trx, row.user_id)
  const booking = await trx.insertInto('bookings').values(row).returningAll().executeTakeFirstOrThrow().catch(asTaken)
  if (!booking.hold_until) await mirror(trx, booking)
  return booking
}

/** Frees what was held and not paid in time, of one person or of all. Returns how many. */
export async function endHolds(trx: Trx, userId: string | null, most = 200): Promise<number> {
  const { numAffectedRows } = await sql`
    update bookings set state = 'cancelled', reason = 'It was not paid in time.', hold_until = null, version = version + 1 where id in (
      select id from bookings where hold_until <= now() ${userId ? sql`and user_id = ${userId}` : sql``}
      order by hold_until limit ${most} for update skip locked)`.execute(trx)
  return Number(numAffectedRows)
}

/** Frees what is still held, which nobody but its guest has heard of. Returns whether it was. */
export async function releaseHold(trx: Trx, id: string, userId: string, reason: string): Promise<boolean> {
  await oneAtATime(trx, userId)
  const held = await trx
    .updateTable('bookings')
    .set({ state: 'cancelled', reason, hold_until: null, version: sql`version + 1` })
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .where('hold_until', 'is not', null)
    .returning('id')
    .executeTakeFirst()
  // Paid all the same, by a page that was left open, it is paid back.
  if (held) await trx.updateTable('booking_payments').set({ state: 'ended' }).where('id', '=', id).where('state', '=', 'open').execute()
  return held !== undefined
}

type Guard = { id: string; userId: string; states: readonly BookingState[]; version?: number | undefined; held?: boolean }

/** Changes a booking that is in one of these states; null where it is not, or is another person's. */
export async function changeBooking(
  trx: Trx,
  { id, userId, states, version, held }: Guard,
  set: Updateable<CrmDb['bookings']>,
): Promise<Booking | null> {
  await oneAtATime(trx, userId)
  let query = trx
    .updateTable('bookings')
    .set({ ...set, version: sql`version + 1` })
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .where('state', 'in', states)
  // A time that is held is not booked yet.
  if (!held) query = query.where('hold_until', 'is', null)
  if (version !== undefined) query = query.where('version', '=', version)
  const booking = await query.returningAll().executeTakeFirst().catch(asTaken)
  if (booking) await mirror(trx, booking)
  return booking ?? null
}

const asTaken = (error: { code?: string }) => {
  throw error.code === EXCLUSION_VIOLATION ? new DomainError('slot_taken') : error
}

/** The specified table, as the dashboard and the data API read it, and the calendars over there. */
async function mirror(trx: Trx, { id, user_id, title, state, starts_at, created_at }: Booking): Promise<void> {
  await copyLater(trx, user_id, id)
  await trx
    .insertInto('appointments')
    .values({ id, user_id, title, status: state, starts_at, created_at })
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ title, status: state, starts_at }))
    .execute()
}

export const told = ({ id, title, starts_at, guest_name, guest_email, guest_phone }: Booking, by: 'guest' | 'owner') => ({
  appointment_id: id,
  title,
  starts_at: starts_at.toISOString(),
  guest_name,
  guest_email,
  guest_phone,
  by,
})

/** Emails about a booking; one without a guest has none. */
export async function mailBoth(
  trx: Trx,
  booking: Booking,
  kind: Mail,
  sides: readonly ('guest' | 'host')[],
  by?: 'guest' | 'owner',
): Promise<void> {
  if (!booking.guest_email) return
  const mail = { booking_id: booking.id, kind, starts_at: booking.starts_at.toISOString(), by }
  for (const to of sides) await enqueue(trx, bookingMail, { ...mail, to }, { userId: booking.user_id })
}
