import type { Output, Payload } from '@operon/contracts/contract'
import { copiesDeleted, copyBooking, copyPutBack, followCopy } from '@operon/contracts/crm/events'
import type { listCalendarChanges } from '@operon/contracts/integrations/calendars'
import { DAY_MS, now } from '@operon/kit/clock'
import type { Ctx } from '@operon/kit/context'
import { DomainError } from '@operon/kit/errors'
import { enqueue, inTransaction, publish } from '@operon/kit/tx'
import { sql } from 'kysely'
import { cancelOwn, moveOwn } from '../calendar/appointments.ts'
import type { Trx } from '../calendar/bookings.ts'
import type { CrmDb } from '../schema.ts'
import type { SyncedRow } from './calendars.ts'

type Change = Output<typeof listCalendarChanges>['events'][number]
type Followed = Payload<typeof followCopy>

/** More that are gone at once are a calendar that was cleared, and no decision about each of its guests. */
const DELETED_AT_ONCE = 3
const LONGEST_MS = 31 * DAY_MS

/** Changes over there of our appointments, newer than what we wrote: each is followed by itself. */
export async function followLater(trx: Trx, { id, user_id, app }: SyncedRow, changes: Change[]): Promise<void> {
  const { rows } = await sql<Omit<Followed, 'user_id' | 'calendar_id'>>`
    select c.booking_id, c.version, e.removed, e.starts_at, e.ends_at, e.updated_at
    from event_copies c join jsonb_to_recordset(${JSON.stringify(changes)}::jsonb)
      as e(id text, removed boolean, all_day boolean, starts_at text, ends_at text, updated_at text) on e.id = c.remote_id
    where c.calendar_id = ${id} and (e.removed or (not e.all_day and e.updated_at::timestamptz > c.updated_at))`.execute(trx)
  const gone = rows.filter(({ removed }) => removed)
  const isCleared = gone.length > DELETED_AT_ONCE
  if (isCleared) await publish(trx, copiesDeleted, user_id, { app, count: gone.length })
  for (const row of isCleared ? rows.filter(({ removed }) => !removed) : rows)
    await enqueue(trx, followCopy, { ...row, user_id, calendar_id: id }, { userId: user_id })
}

/** A change that was made here meanwhile counts, and is on its way over there. A time that is taken here is put back over there. */
export async function follow(db: Ctx<CrmDb>['db'], change: Followed): Promise<void> {
  const { booking_id: id, user_id, calendar_id, version, removed, starts_at, ends_at, updated_at } = change
  const booking = await db
    .selectFrom('bookings')
    .selectAll()
    .where('id', '=', id)
    .where('user_id', '=', user_id)
    .where('state', '=', 'confirmed')
    .where('version', '=', version)
    .where('ends_at', '>', new Date(now()))
    .executeTakeFirst()
  if (!booking) return
  if (removed) return inTransaction(db, async (trx) => void (await cancelOwn(trx, { id, userId: user_id, version })))
  if (!starts_at || !ends_at) return
  const [from, to] = [new Date(starts_at), new Date(ends_at)]
  if (from >= to || to.getTime() - from.getTime() > LONGEST_MS) return
  if (from.getTime() === booking.starts_at.getTime() && to.getTime() === booking.ends_at.getTime()) return
  try {
    await inTransaction(db, async (trx) => {
      const moved = await moveOwn(trx, { id, userId: user_id, version, starts_at: from, ends_at: to })
      if (moved)
        await sql`update event_copies set version = ${moved.version}, updated_at = ${updated_at}
          where calendar_id = ${calendar_id} and booking_id = ${id}`.execute(trx)
    })
  } catch (error) {
    if (!(error instanceof DomainError) || error.code !== 'slot_taken') throw error
    await inTransaction(db, async (trx) => {
      await sql`update event_copies set version = -1, updated_at = ${updated_at} where calendar_id = ${calendar_id} and booking_id = ${id}`.execute(
        trx,
      )
      await enqueue(trx, copyBooking, { booking_id: id }, { userId: user_id })
      await publish(trx, copyPutBack, user_id, { appointment_id: id, title: booking.title, starts_at: booking.starts_at.toISOString() })
    })
  }
}
