import { settleSale } from '@operon/contracts/billing/selling-events'
import type { Input, Output } from '@operon/contracts/contract'
import type * as api from '@operon/contracts/crm/booking'
import { appointmentCancelled, appointmentMoved } from '@operon/contracts/crm/events'
import { now } from '@operon/kit/clock'
import type { Ctx } from '@operon/kit/context'
import { DomainError } from '@operon/kit/errors'
import type { Runtime } from '@operon/kit/service'
import { inTransaction, publish } from '@operon/kit/tx'
import type { Kysely } from 'kysely'
import { changeBooking, mailBoth, rangeOf, releaseHold, told } from '../calendar/bookings.ts'
import { NO_REMINDERS, remindersAt } from '../calendar/reminders.ts'
import type { CrmDb } from '../schema.ts'
import { bounded } from './bounds.ts'
import { bookingIdIn } from './links.ts'
import { offerAt } from './offers.ts'
import { settleCancelled, settleMoved } from './payments.ts'

type Call = Ctx<CrmDb>
type Rt = Pick<Runtime<CrmDb>, 'ask' | 'cache' | 'vault'>
type Held = Output<typeof api.showBooking>

/** A booking of a guest, with its host and its page. */
export async function readHeld(db: Kysely<any>, id: string) {
  const row = await (db as Kysely<CrmDb>)
    .selectFrom('bookings')
    .innerJoin('hosts', 'hosts.user_id', 'bookings.user_id')
    .leftJoin('event_types', 'event_types.id', 'bookings.event_type_id')
    .leftJoin('booking_payments as p', 'p.id', 'bookings.id')
    .selectAll('bookings')
    .select(['hosts.name as host', 'hosts.slug as profile', 'event_types.title as type_title', 'event_types.slug as type_slug'])
    .select(['event_types.active', 'event_types.place_kind'])
    .select(['p.state as payment_state', 'p.amount_cents as payment_cents', 'p.currency as payment_currency'])
    .select(['p.refund_until', 'p.paid_cents', 'p.refunded_cents'])
    .where('bookings.id', '=', id)
    .where('guest_email', 'is not', null)
    .executeTakeFirst()
  if (!row) throw new DomainError('booking_link')
  return row
}
export type HeldRow = Awaited<ReturnType<typeof readHeld>>

const isOpen = ({ state, starts_at }: HeldRow) => (state === 'pending' || state === 'confirmed') && starts_at.getTime() > now()

type Paid = { [K in 'payment_state' | 'payment_cents' | 'payment_currency' | 'refund_until' | 'hold_until']: HeldRow[K] }
export const paymentOf = ({ payment_state: state, payment_cents, payment_currency, refund_until, hold_until }: Paid) =>
  state === null
    ? null
    : {
        ...{ state, amount_cents: payment_cents!, currency: payment_currency! },
        hold_until: hold_until?.toISOString() ?? null,
        refund_until: refund_until!.toISOString(),
      }

const shown = (row: HeldRow): Held => ({
  title: row.type_title ?? row.title,
  host: row.host,
  profile: row.profile,
  event_type: row.active ? row.type_slug : null,
  minutes: Math.round((row.ends_at.getTime() - row.starts_at.getTime()) / 60_000),
  starts_at: row.starts_at.toISOString(),
  ends_at: row.ends_at.toISOString(),
  state: row.state,
  place: row.state === 'confirmed' ? row.place : '',
  place_kind: row.place_kind ?? 'address',
  guest_name: row.guest_name ?? '',
  guest_zone: row.guest_zone ?? 'UTC',
  reason: row.reason,
  open: isOpen(row),
  payment: paymentOf(row),
})

/** While it is held, billing looks at the payment itself: the guest may be back before the news of it. */
export async function showBooking({ db, log }: Call, { token }: Input<typeof api.showBooking>, { ask, vault }: Rt): Promise<Held> {
  const id = bookingIdIn(vault, token)
  const held = await readHeld(db, id)
  if (held.hold_until)
    await ask(settleSale, { kind: 'booking', reference: id }).catch((err) =>
      log.warn({ err }, 'the payment of a held booking could not be checked; the page shows its last state'),
    )
  return shown(held)
}

export async function cancelBooking(ctx: Call, { token, reason }: Input<typeof api.cancelBooking>, { vault }: Rt): Promise<Held> {
  const held = await readHeld(ctx.db, bookingIdIn(vault, token))
  // Pressed twice, it is cancelled all the same.
  if (held.state === 'cancelled') return shown(held)
  if (!isOpen(held)) throw new DomainError('booking_over')
  return inTransaction(ctx.db, async (trx) => {
    if (await releaseHold(trx, held.id, held.user_id, reason)) return shown(await readHeld(trx, held.id))
    const guard = { id: held.id, userId: held.user_id, states: ['pending', 'confirmed'] as const }
    const booking = await changeBooking(trx, guard, { state: 'cancelled', reason, remind_at: null })
    if (!booking) throw new DomainError('booking_over')
    await publish(trx, appointmentCancelled, booking.user_id, told(booking, 'guest'))
    await settleCancelled(trx, booking, 'guest')
    await mailBoth(trx, booking, 'cancelled', ['guest', 'host'], 'guest')
    return shown(await readHeld(trx, held.id))
  })
}

export async function rescheduleBooking(ctx: Call, { token, start }: Input<typeof api.rescheduleBooking>, rt: Rt): Promise<Held> {
  const held = await readHeld(ctx.db, bookingIdIn(rt.vault, token))
  if (!isOpen(held) || held.hold_until || !held.event_type_id || !held.active) throw new DomainError('booking_over')
  if (Date.parse(start) === held.starts_at.getTime()) return shown(held)
  const offer = await offerAt(ctx.db, { id: held.event_type_id, except: held.id }, start)
  await bounded(ctx, rt, held.user_id, held.guest_email!)
  return inTransaction(ctx.db, async (trx) => {
    const starts_at = new Date(start)
    const ends_at = new Date(starts_at.getTime() + offer.minutes * 60_000)
    const booking = await changeBooking(
      trx,
      { id: held.id, userId: held.user_id, states: ['pending', 'confirmed'], version: held.version },
      {
        starts_at,
        ends_at,
        during: rangeOf(starts_at, ends_at, offer.before_minutes, offer.after_minutes),
        // The host approves each time, also a new one.
        state: offer.needs_approval ? 'pending' : 'confirmed',
        ...(offer.needs_approval ? NO_REMINDERS : remindersAt(starts_at, offer, held.sms_to)),
      },
    )
    if (!booking) throw new DomainError('booking_over')
    await settleMoved(trx, booking, 'guest')
    await publish(trx, appointmentMoved, booking.user_id, told(booking, 'guest'))
    await mailBoth(trx, booking, booking.state === 'pending' ? 'requested' : 'moved', ['guest', 'host'])
    return shown({ ...held, ...booking })
  })
}
