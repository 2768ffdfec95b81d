import type { Payload } from '@operon/contracts/contract'
import type { BookingState } from '@operon/contracts/crm/appointments'
import type { bookingMail } from '@operon/contracts/crm/events'
import type { Ctx } from '@operon/kit/context'
import { DomainError } from '@operon/kit/errors'
import type { JobRun } from '@operon/kit/jobs/jobs'
import type { Mailer } from '@operon/kit/mail/mailer'
import { ownersPaces, strangersPaces, waitForTurn } from '@operon/kit/mail/turns'
import type { Runtime } from '@operon/kit/service'
import type { Config } from '../config.ts'
import type { CrmDb } from '../schema.ts'
import { type HeldRow, readHeld } from './held.ts'
import { invitationOf } from './invitation.ts'
import { guestLetter, hostLetter } from './letters.ts'
import { manageUrl } from './links.ts'

type Rt = Runtime<CrmDb, Config>
type Mail = Payload<typeof bookingMail>

/** The state that has to hold for an email to be true; of money, whatever became of the booking. */
const says: Record<Mail['kind'], BookingState | null> = {
  booked: 'confirmed',
  requested: 'pending',
  confirmed: 'confirmed',
  declined: 'declined',
  moved: 'confirmed',
  cancelled: 'cancelled',
  reminder: 'confirmed',
  too_late: null,
  refunded: null,
}

export const sendBookingMail =
  (rt: Rt, mailer: Mailer) =>
  async (ctx: Ctx<CrmDb>, { id, payload }: JobRun<Mail>): Promise<void> => {
    const { kind, to, by } = payload
    const booking = await readHeld(ctx.db, payload.booking_id).catch(missing)
    const state = says[kind]
    if (!booking || (state && (booking.state !== state || booking.starts_at.toISOString() !== payload.starts_at))) return
    const { email, zone } = await hostOf(ctx, booking)
    const address = to === 'guest' ? booking.guest_email : email
    if (!address) return
    await waitForTurn(ctx.db, id, to === 'guest' ? strangersPaces(rt.config, address) : ownersPaces(rt.config))
    const home = rt.kit.PUBLIC_URL
    const manage = manageUrl(home, rt.vault, booking.id)
    const calendar = `${home}/dashboard/calendar?day=${booking.starts_at.toISOString().slice(0, 10)}&open=${booking.id}`
    const write = to === 'guest' ? guestLetter : hostLetter
    const invitation = invitationOf(booking, {
      product: rt.kit.PRODUCT_NAME,
      sender: mailer.sender(),
      url: to === 'guest' ? manage : calendar,
      guest: to === 'guest' ? '' : (booking.guest_name ?? ''),
    })
    await mailer.send({
      id,
      to: address,
      letter: write({ booking, kind, by, manage, calendar, hostZone: zone }),
      ...(withFile.has(kind) && { invitation }),
    })
  }

const withFile = new Set<Mail['kind']>(['booked', 'confirmed', 'moved', 'cancelled'])

/** It was deleted since. */
export const missing = (error: unknown): null => {
  if (error instanceof DomainError) return null
  throw error
}

async function hostOf({ db }: Ctx<CrmDb>, { user_id }: HeldRow) {
  const row = await db
    .selectFrom('hosts')
    .leftJoin('people', 'people.user_id', 'hosts.user_id')
    .leftJoin('schedules', 'schedules.user_id', 'hosts.user_id')
    .select(['people.email', 'schedules.zone'])
    .where('hosts.user_id', '=', user_id)
    .executeTakeFirst()
  return { email: row?.email ?? null, zone: row?.zone ?? 'UTC' }
}
