import type { Input, Output } from '@operon/contracts/contract'
import type * as api from '@operon/contracts/crm/appointments'
import { appointmentBooked, appointmentCancelled, appointmentConfirmed, appointmentMoved, guestMissing } from '@operon/contracts/crm/events'
import { now } from '@operon/kit/clock'
import { type Ctx, signedIn } from '@operon/kit/context'
import { DomainError } from '@operon/kit/errors'
import { newId } from '@operon/kit/ids'
import { inTransaction, publish } from '@operon/kit/tx'
import { sql } from 'kysely'
import { paymentOf } from '../booking/held.ts'
import { settleCancelled, settleMoved } from '../booking/payments.ts'
import type { CrmDb } from '../schema.ts'
import { type Booking, changeBooking, insertBooking, mailBoth, rangeOf, releaseHold, type Trx, told } from './bookings.ts'
import { remindersAt } from './reminders.ts'

type Call = Ctx<CrmDb>

const shown = ({ id, title, state, blocks, event_type_id, guest_name, guest_email, guest_phone, guest_zone, ...row }: Booking) => ({
  ...{ id, title, state, blocks, event_type_id, guest_name, guest_email, guest_phone, guest_zone },
  starts_at: row.starts_at.toISOString(),
  ends_at: row.ends_at.toISOString(),
  answers: row.answers,
  place: row.place,
  notes: row.notes,
  reason: row.reason,
  version: row.version,
  text_reminder: row.sms_state ? { state: row.sms_state, at: row.sms_at?.toISOString() ?? null } : null,
})

export async function listAppointments(
  ctx: Call,
  { from, to }: Input<typeof api.listAppointments>,
): Promise<Output<typeof api.listAppointments>> {
  const { id: userId } = signedIn(ctx)
  // The longest lasts 31 days, so nothing that began before that is still on.
  const rows = await ctx.db
    .selectFrom('bookings')
    .leftJoin('booking_payments as p', 'p.id', 'bookings.id')
    .selectAll('bookings')
    .select(['p.state as payment_state', 'p.amount_cents as payment_cents', 'p.currency as payment_currency', 'p.refund_until'])
    .where('bookings.user_id', '=', userId)
    .where((eb) => eb.or([eb('hold_until', 'is', null), eb('hold_until', '>', new Date(now()))]))
    .where('starts_at', '<', new Date(to))
    .where('starts_at', '>', sql<Date>`${from}::timestamptz - interval '32 days'`)
    .where('ends_at', '>', new Date(from))
    .where('bookings.state', 'in', ['pending', 'confirmed', 'no_show'])
    .orderBy('starts_at')
    .limit(500)
    .execute()
  const any =
    rows.length > 0 ||
    (await ctx.db.selectFrom('bookings').select('id').where('user_id', '=', userId).limit(1).executeTakeFirst()) !== undefined
  return {
    appointments: rows.map((row) => ({ ...shown(row), payment: paymentOf(row) })),
    any,
    external: await externalOf(ctx, userId, from, to),
  }
}

async function externalOf({ db }: Call, userId: string, from: string, to: string) {
  const { rows } = await sql<{
    id: string
    title: string | null
    starts_at: Date
    ends_at: Date
    all_day: boolean
    busy: boolean
    account: string
  }>`
    select e.id, e.title, e.starts_at, e.ends_at, e.all_day, e.busy, k.account from external_events e
    join synced_calendars k on k.id = e.calendar_id
    where e.user_id = ${userId} and tstzrange(e.starts_at, greatest(e.ends_at, e.starts_at)) && tstzrange(${new Date(from)}, ${new Date(to)})
    order by e.starts_at, e.id limit 500`.execute(db)
  return rows.map(({ title, starts_at, ends_at, ...event }) => ({
    ...event,
    title: title || 'Busy',
    starts_at: starts_at.toISOString(),
    ends_at: ends_at.toISOString(),
  }))
}

export async function createAppointment(
  ctx: Call,
  input: Input<typeof api.createAppointment>,
): Promise<Output<typeof api.createAppointment>> {
  const { id: user_id } = signedIn(ctx)
  const { title, place, notes, blocks } = input
  const [starts_at, ends_at] = [new Date(input.starts_at), new Date(input.ends_at)]
  return inTransaction(ctx.db, async (trx) => {
    const during = rangeOf(starts_at, ends_at)
    const booking = await insertBooking(trx, {
      id: newId(),
      user_id,
      title,
      place,
      notes,
      blocks,
      starts_at,
      ends_at,
      during,
      state: 'confirmed',
    })
    await publish(trx, appointmentBooked, user_id, told(booking, 'owner'))
    return { appointment_id: booking.id, starts_at: starts_at.toISOString() }
  })
}

export async function deleteAppointment(
  ctx: Call,
  { appointment_id }: Input<typeof api.deleteAppointment>,
): Promise<Output<typeof api.deleteAppointment>> {
  const { id: userId } = signedIn(ctx)
  return inTransaction(ctx.db, async (trx) => {
    const gone = await trx
      .deleteFrom('bookings')
      .where('id', '=', appointment_id)
      .where('user_id', '=', userId)
      .where('guest_email', 'is', null)
      .returningAll()
      .executeTakeFirst()
    if (!gone) throw new DomainError('not_found')
    await trx.deleteFrom('appointments').where('id', '=', appointment_id).where('user_id', '=', userId).execute()
    await publish(trx, appointmentCancelled, userId, told(gone, 'owner'))
    return { deleted: true }
  })
}

type Own = { id: string; userId: string; version?: number }

/** By its owner, here or in a calendar over there. Null where it is not to be moved, or changed meanwhile. */
export async function moveOwn(trx: Trx, own: Own & { starts_at: Date; ends_at: Date }): Promise<Booking | null> {
  const { id, userId, version, starts_at, ends_at } = own
  const type = await typeOf(trx, id, userId)
  const during = rangeOf(starts_at, ends_at, type?.before_minutes, type?.after_minutes)
  const booking = await changeBooking(
    trx,
    { id, userId, states: ['pending', 'confirmed'], version },
    { starts_at, ends_at, during, ...remindersAt(starts_at, type, type?.sms_to ?? null) },
  )
  if (!booking) return null
  await settleMoved(trx, booking, 'owner')
  await publish(trx, appointmentMoved, userId, told(booking, 'owner'))
  if (booking.state === 'confirmed') await mailBoth(trx, booking, 'moved', ['guest', 'host'])
  return booking
}

export async function moveAppointment(ctx: Call, input: Input<typeof api.moveAppointment>): Promise<Output<typeof api.moveAppointment>> {
  const { id: userId } = signedIn(ctx)
  const { appointment_id: id, version } = input
  return inTransaction(ctx.db, async (trx) => {
    const booking = await moveOwn(trx, { id, userId, version, starts_at: new Date(input.starts_at), ends_at: new Date(input.ends_at) })
    if (!booking) throw await whyNot(trx, id, userId, version)
    return { appointment_id: id, version: booking.version }
  })
}

export async function editAppointment(ctx: Call, input: Input<typeof api.editAppointment>): Promise<Output<typeof api.editAppointment>> {
  const { id: userId } = signedIn(ctx)
  const { appointment_id: id, version, title, place, notes } = input
  return inTransaction(ctx.db, async (trx) => {
    const booking = await changeBooking(trx, { id, userId, states: ['pending', 'confirmed', 'no_show'], version }, { title, place, notes })
    if (!booking) throw await whyNot(trx, id, userId, version)
    return { appointment_id: id, version: booking.version }
  })
}

export async function cancelOwn(trx: Trx, { id, userId, version, reason = '' }: Own & { reason?: string }): Promise<Booking | null> {
  const guard = { id, userId, states: ['pending', 'confirmed'] as const, version }
  const booking = await changeBooking(trx, guard, { state: 'cancelled', reason, remind_at: null })
  if (!booking) return null
  await settleCancelled(trx, booking, 'owner')
  await publish(trx, appointmentCancelled, userId, told(booking, 'owner'))
  await mailBoth(trx, booking, 'cancelled', ['guest'], 'owner')
  return booking
}

export async function cancelAppointment(
  ctx: Call,
  { appointment_id: id, reason }: Input<typeof api.cancelAppointment>,
): Promise<Output<typeof api.cancelAppointment>> {
  const { id: userId } = signedIn(ctx)
  return inTransaction(ctx.db, async (trx) => {
    if (await releaseHold(trx, id, userId, reason)) return { appointment_id: id, state: 'cancelled' as const }
    const booking = await cancelOwn(trx, { id, userId, reason })
    if (!booking) throw await whyNot(trx, id, userId)
    return { appointment_id: id, state: booking.state }
  })
}

export async function answerBooking(
  ctx: Call,
  { appointment_id: id, confirm, reason }: Input<typeof api.answerBooking>,
): Promise<Output<typeof api.answerBooking>> {
  const { id: userId } = signedIn(ctx)
  return inTransaction(ctx.db, async (trx) => {
    const type = await typeOf(trx, id, userId)
    const set = confirm
      ? { state: 'confirmed' as const, ...(type && remindersAt(type.starts_at, type, type.sms_to)) }
      : { state: 'declined' as const, reason }
    const booking = await changeBooking(trx, { id, userId, states: ['pending'] }, set)
    if (!booking) throw await whyNot(trx, id, userId)
    if (!confirm) await settleCancelled(trx, booking, 'owner')
    await publish(trx, confirm ? appointmentConfirmed : appointmentCancelled, userId, told(booking, 'owner'))
    await mailBoth(trx, booking, confirm ? 'confirmed' : 'declined', confirm ? ['guest', 'host'] : ['guest'], 'owner')
    return { appointment_id: id, state: booking.state }
  })
}

export async function markNoShow(
  ctx: Call,
  { appointment_id: id, no_show }: Input<typeof api.markNoShow>,
): Promise<Output<typeof api.markNoShow>> {
  const { id: userId } = signedIn(ctx)
  return inTransaction(ctx.db, async (trx) => {
    const known = await trx
      .selectFrom('bookings')
      .select('id')
      .where('id', '=', id)
      .where('user_id', '=', userId)
      .where('guest_email', 'is not', null)
      .where('starts_at', '<=', sql<Date>`now()`)
      .executeTakeFirst()
    const guard = { id, userId, states: [no_show ? 'confirmed' : 'no_show'] as const }
    const booking = known && (await changeBooking(trx, guard, { state: no_show ? 'no_show' : 'confirmed' }))
    if (!booking) throw await whyNot(trx, id, userId)
    if (no_show) await publish(trx, guestMissing, userId, told(booking, 'owner'))
    return { appointment_id: id, state: booking.state }
  })
}

const typeOf = (trx: Trx, id: string, userId: string) =>
  trx
    .selectFrom('bookings')
    .leftJoin('event_types', 'event_types.id', 'bookings.event_type_id')
    .select(['bookings.starts_at', 'bookings.sms_to', 'before_minutes', 'after_minutes', 'remind_minutes', 'sms_minutes'])
    .where('bookings.id', '=', id)
    .where('bookings.user_id', '=', userId)
    .executeTakeFirst()
    .then((row) => row && { ...row, before_minutes: row.before_minutes ?? 0, after_minutes: row.after_minutes ?? 0 })

async function whyNot(trx: Trx, id: string, userId: string, version?: number): Promise<DomainError> {
  const row = await trx.selectFrom('bookings').select('version').where('id', '=', id).where('user_id', '=', userId).executeTakeFirst()
  if (!row) return new DomainError('not_found')
  return new DomainError(version !== undefined && row.version !== version ? 'conflict' : 'booking_over')
}
