import type { Payload } from '@operon/contracts/contract'
import type { TextState } from '@operon/contracts/crm/appointments'
import type { bookingText } from '@operon/contracts/crm/events'
import { unlinked } from '@operon/contracts/names'
import type { Ctx } from '@operon/kit/context'
import type { JobRun } from '@operon/kit/jobs/jobs'
import { STOPPED, type Texter, TextRefused } from '@operon/kit/mail/texts'
import { textPaces, waitForTurn } from '@operon/kit/mail/turns'
import type { Runtime } from '@operon/kit/service'
import { sql } from 'kysely'
import { hasAgreed } from '../calendar/texts.ts'
import type { Config } from '../config.ts'
import { keepConsent } from '../email/consents.ts'
import type { CrmDb } from '../schema.ts'
import { type HeldRow, readHeld } from './held.ts'
import { missing } from './mail.ts'

type Job = Payload<typeof bookingText>

/** A text goes out once at most: where it is not known whether it did, it is not sent again. */
export const sendBookingText =
  (rt: Runtime<CrmDb, Config>, texter: Texter) =>
  async ({ db, log }: Ctx<CrmDb>, { id, payload }: JobRun<Job>): Promise<void> => {
    const booking = await readHeld(db, payload.booking_id).catch(missing)
    if (!booking?.sms_to || booking.starts_at.toISOString() !== payload.starts_at) return
    if (booking.sms_state === 'sending') return note(db, booking, 'unknown')
    if (!(await hasAgreed(db, booking))) return note(db, booking, 'stopped')
    await waitForTurn(db, id, textPaces(rt.config, booking.sms_to), 'sms')
    if (!(await begin(db, booking))) return
    try {
      await texter.send(booking.sms_to, textOf(booking))
    } catch (error) {
      if (wasNotTaken(error)) {
        await note(db, booking, 'queued')
        throw error
      }
      const isStopped = error instanceof TextRefused && error.code === STOPPED
      if (isStopped)
        await keepConsent(
          db,
          { userId: booking.user_id, channel: 'sms', address: `+${booking.sms_to}` },
          { state: 'withdrawn', evidence: 'Answered STOP to a text message' },
        )
      log.warn({ err: error, booking: booking.id }, 'a text reminder was not sent; its owner sees that at the appointment')
      return note(db, booking, isStopped ? 'stopped' : error instanceof TextRefused && error.status < 500 ? 'refused' : 'unknown')
    }
    await note(db, booking, 'sent')
  }

/** Only for a booking that still stands, and is at this time. */
async function begin(db: Ctx<CrmDb>['db'], { id, user_id, starts_at }: HeldRow): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('bookings')
    .set({ sms_state: 'sending' })
    .where('id', '=', id)
    .where('user_id', '=', user_id)
    .where('sms_state', '=', 'queued')
    .where('state', '=', 'confirmed')
    .where('starts_at', '=', starts_at)
    .where('starts_at', '>', sql<Date>`now()`)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

async function note(db: Ctx<CrmDb>['db'], { id, user_id, starts_at }: HeldRow, sms_state: TextState): Promise<void> {
  await db
    .updateTable('bookings')
    .set({ sms_state })
    .where('id', '=', id)
    .where('user_id', '=', user_id)
    .where('starts_at', '=', starts_at)
    .where('sms_state', 'in', ['queued', 'sending'])
    .execute()
}

/** The provider had no time for it, or was never reached. */
function wasNotTaken(error: unknown): boolean {
  if (error instanceof TextRefused) return error.status === 429 || error.status === 503
  const { code } = ((error as Error).cause ?? {}) as { code?: string }
  return code === 'ECONNREFUSED' || code === 'ENOTFOUND' || code === 'EAI_AGAIN'
}

/** Short enough for one or two messages on a phone. It goes to a number that a stranger typed, so nothing that they typed is in it. */
export function textOf({ host, type_title, starts_at, guest_zone }: HeldRow): string {
  const when = new Intl.DateTimeFormat('en-US', {
    timeZone: guest_zone ?? 'UTC',
    weekday: 'short',
    month: 'short',
    day: 'numeric',
    hour: 'numeric',
    minute: '2-digit',
    timeZoneName: 'shortOffset',
  })
    .format(starts_at)
    .replaceAll('\u202F', ' ')
  return `Reminder: ${cut(type_title ?? 'your appointment', 40)} with ${cut(host, 32)}, ${when}. Reply STOP to end texts.`
}

const cut = (name: string, most: number) => {
  const plain = unlinked(name)
  return plain.length > most ? `${plain.slice(0, most - 3).trimEnd()}...` : plain
}
