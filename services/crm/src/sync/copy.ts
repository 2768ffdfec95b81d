import { writeCalendarEvent } from '@operon/contracts/integrations/calendars'
import { DomainError } from '@operon/kit/errors'
import { newId } from '@operon/kit/ids'
import { type Kysely, sql } from 'kysely'
import type { Booking } from '../calendar/bookings.ts'
import { actingFor, type CarriersRt } from '../email/transports.ts'
import type { CrmDb } from '../schema.ts'
import type { SyncedRow } from './calendars.ts'

type Rt = Pick<CarriersRt, 'call'>
const TRIES = 5

/** Brings what stands in each calendar of the owner level with a booking: there while it is confirmed, gone otherwise. */
export async function copyBooking(db: Kysely<CrmDb>, rt: Rt, bookingId: string): Promise<void> {
  const owner = await db.selectFrom('bookings').select('user_id').where('id', '=', bookingId).executeTakeFirst()
  if (!owner) return
  const calendars = await db
    .selectFrom('synced_calendars')
    .selectAll()
    .where('user_id', '=', owner.user_id)
    .where('copies', '=', true)
    .limit(10)
    .execute()
  for (const calendar of calendars) await copyInto(db, rt, calendar, bookingId)
}

/** Looks again after each write: a change that came meanwhile may have been written before it. */
async function copyInto(db: Kysely<CrmDb>, rt: Rt, calendar: SyncedRow, bookingId: string): Promise<void> {
  for (let written = -1, tries = 0; tries < TRIES; tries++) {
    const booking = await db.selectFrom('bookings').selectAll().where('id', '=', bookingId).executeTakeFirst()
    if (!booking || booking.version === written) return
    const copy = await db
      .selectFrom('event_copies')
      .selectAll()
      .where('calendar_id', '=', calendar.id)
      .where('booking_id', '=', bookingId)
      .executeTakeFirst()
    if (copy && copy.version >= booking.version && written === -1) return
    const event = booking.state === 'confirmed' || booking.state === 'no_show' ? eventOf(booking) : null
    if (!event && !copy?.remote_id) return
    written = booking.version
    const input = { connection_id: calendar.connection_id, key: bookingId, ...(copy?.remote_id && { event_id: copy.remote_id }), event }
    const asked = {
      ...actingFor(calendar.user_id, 'write-calendar-event'),
      idempotencyKey: `${calendar.id} ${bookingId} ${written}`,
      deadlineMs: 30_000,
    }
    let remoteId: string | null
    let updatedAt: string | null = null
    try {
      const answer = await rt.call(writeCalendarEvent, input, asked)
      // Its owner took it out over there: that is followed by the reading of the calendar, if it is to be.
      remoteId = answer.outcome === 'written' ? (answer.event?.id ?? null) : null
      updatedAt = answer.event?.updated_at ?? null
    } catch (error) {
      if (error instanceof DomainError && ['connection_broken', 'app_not_connected', 'app_refused'].includes(error.code)) return
      throw error
    }
    await sql`
      insert into event_copies as c (id, user_id, calendar_id, booking_id, remote_id, version, updated_at)
      values (${newId()}, ${calendar.user_id}, ${calendar.id}, ${bookingId}, ${remoteId}, ${written}, ${updatedAt})
      on conflict (calendar_id, booking_id) do update set remote_id = excluded.remote_id, version = greatest(c.version, excluded.version),
        updated_at = greatest(c.updated_at, excluded.updated_at)`.execute(db)
    // Read before it was known as ours.
    if (remoteId) await sql`delete from external_events where calendar_id = ${calendar.id} and remote_id = ${remoteId}`.execute(db)
  }
}

const eventOf = ({ title, starts_at, ends_at, place, notes, guest_name, guest_email, guest_phone, blocks }: Booking) => ({
  title: title.slice(0, 300) || 'Appointment',
  starts_at: starts_at.toISOString(),
  ends_at: ends_at.toISOString(),
  busy: blocks,
  ...(place && { place: place.slice(0, 500) }),
  notes: [[guest_name, guest_email, guest_phone].filter(Boolean).join(', '), notes].filter(Boolean).join('\n\n').slice(0, 8000),
})
