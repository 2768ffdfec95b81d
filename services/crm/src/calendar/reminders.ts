import { DAY_MS, now } from '@operon/kit/clock'
import type { Ctx } from '@operon/kit/context'
import { inTransaction } from '@operon/kit/tx'
import { sql } from 'kysely'
import type { CrmDb } from '../schema.ts'
import { type Booking, mailBoth } from './bookings.ts'

const MINUTE_MS = 60_000
const PIECE = 200

/** None for what is booked so late that its confirmation is the reminder. */
export function remindAt(startsAt: Date, minutesBefore: number): Date | null {
  const at = startsAt.getTime() - minutesBefore * MINUTE_MS
  return minutesBefore > 0 && at > now() + 30 * MINUTE_MS ? new Date(at) : null
}

/** The mark goes in the transaction that asks for the emails, so each booking is reminded of once. */
export async function sendReminders(ctx: Ctx<CrmDb>): Promise<void> {
  for (let count = PIECE; count === PIECE && !ctx.signal.aborted; )
    count = await inTransaction(ctx.db, async (trx) => {
      const { rows } = await sql<Booking>`
        update bookings set remind_at = null where id in (
          select id from bookings where remind_at <= now() order by remind_at limit ${PIECE} for update skip locked)
        returning *`.execute(trx)
      for (const booking of rows)
        if (booking.state === 'confirmed' && booking.starts_at.getTime() > now() && booking.starts_at.getTime() < now() + 8 * DAY_MS)
          await mailBoth(trx, booking, 'reminder', ['guest', 'host'])
      return rows.length
    })
}
