import { bookingText } from '@operon/contracts/crm/events'
import { DAY_MS, now } from '@operon/kit/clock'
import type { Ctx } from '@operon/kit/context'
import { enqueue, inTransaction } from '@operon/kit/tx'
import { sql } from 'kysely'
import type { CrmDb } from '../schema.ts'
import { type Booking, mailBoth } from './bookings.ts'
import { whyNotText } from './texts.ts'

const MINUTE_MS = 60_000
const PIECE = 200

/** None where that is within so many minutes, or over. */
function remindAt(startsAt: Date, minutesBefore: number, notWithin: number): Date | null {
  const at = startsAt.getTime() - minutesBefore * MINUTE_MS
  return minutesBefore > 0 && at > now() + notWithin * MINUTE_MS ? new Date(at) : null
}

type Before = { remind_minutes: number | null; sms_minutes: number | null }
/** When both sides are reminded by email, and the guest by text message where they agreed to that. */
export function remindersAt(startsAt: Date, of: Before | undefined, smsTo: string | null) {
  const sms_at = smsTo ? remindAt(startsAt, of?.sms_minutes ?? 0, 0) : null
  // Booked so late that its confirmation is the reminder: no second email. A text was asked for.
  return { remind_at: remindAt(startsAt, of?.remind_minutes ?? 0, 30), sms_at, sms_state: sms_at ? ('planned' as const) : null }
}

export const NO_REMINDERS = { remind_at: null, sms_at: null, sms_state: null }

const isComing = ({ state, starts_at }: Booking) =>
  state === 'confirmed' && starts_at.getTime() > now() && starts_at.getTime() < now() + 8 * DAY_MS

/** The mark goes in the transaction that asks for the emails, so each booking is reminded of once. */
export async function sendReminders(ctx: Ctx<CrmDb>): Promise<void> {
  for (let count = PIECE; count === PIECE && !ctx.signal.aborted; )
    count = await inTransaction(ctx.db, async (trx) => {
      const { rows } = await sql<Booking>`
        update bookings set remind_at = null where id in (
          select id from bookings where remind_at <= now() order by remind_at limit ${PIECE} for update skip locked)
        returning *`.execute(trx)
      for (const booking of rows) if (isComing(booking)) await mailBoth(trx, booking, 'reminder', ['guest', 'host'])
      return rows.length
    })
}

/** The same for text messages, as far as the day's limits go. */
export async function sendTextReminders(ctx: Ctx<CrmDb>): Promise<void> {
  for (let count = PIECE; count === PIECE && !ctx.signal.aborted; )
    count = await inTransaction(ctx.db, async (trx) => {
      // One at a time: two that count at once would both find the last place free.
      await sql`select pg_advisory_xact_lock(hashtextextended('text reminders', 0))`.execute(trx)
      const { rows } = await sql<Booking>`
        update bookings set sms_at = null where id in (
          select id from bookings where sms_at <= now() order by sms_at limit ${PIECE} for update skip locked)
        returning *`.execute(trx)
      for (const booking of rows) {
        if (!isComing(booking)) continue
        const { id, user_id, starts_at } = booking
        const refused = await whyNotText(trx, booking)
        const set = refused ? { sms_state: refused } : { sms_state: 'queued' as const, texted_at: sql<Date>`now()` }
        await trx.updateTable('bookings').set(set).where('id', '=', id).where('user_id', '=', user_id).execute()
        if (!refused) await enqueue(trx, bookingText, { booking_id: id, starts_at: starts_at.toISOString() }, { userId: user_id })
      }
      return rows.length
    })
}
