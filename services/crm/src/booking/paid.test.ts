import { refundOrder } from '@operon/contracts/billing/sales'
import { openSaleCheckout, saleRefunded, saleSettled, settleSale } from '@operon/contracts/billing/selling-events'
import { bookingReminders } from '@operon/contracts/crm/events'
import { userCreated } from '@operon/contracts/identity/events'
import { claimSlug } from '@operon/contracts/marketplace/events'
import { userIdOf } from '@operon/kit/context'
import { serve } from '@operon/kit/http'
import { newId } from '@operon/kit/ids'
import { openBus } from '@operon/kit/open'
import type { ServiceDefinition } from '@operon/kit/service'
import { update } from '@operon/kit/testing/rows'
import { startTestPlatform, type TestUser } from '@operon/kit/testing/service'
import { sandboxService } from '@operon/sandbox/service'
import { afterAll, expect, test } from 'vitest'
import { z } from 'zod'
import { crmService } from '../service.ts'

// Billing's side is played: its own tests hold it to the same events. The whole way stands in the browser's walk.

let isReady = true
/** As billing was asked. */
const opened: any[] = []
const refunds: { sale_id: string; by: string | null; key: string | undefined }[] = []
const billing: ServiceDefinition = {
  name: 'billing',
  config: z.object({}),
  migrations: {},
  setup(rt) {
    rt.answer(openSaleCheckout, async (_ctx, wanted) => {
      opened.push(wanted)
      return isReady ? { state: 'open' as const, url: `https://pay.example/${wanted.reference}` } : { state: 'seller_not_ready' as const }
    })
    rt.answer(settleSale, async () => ({ state: 'open' as const }))
    serve(rt.app, refundOrder, async (ctx, { sale_id }) => {
      refunds.push({ sale_id, by: userIdOf(ctx.actor), key: ctx.idempotencyKey })
      return { refund: 're_1', amount_cents: 4000, currency: 'usd', sale_id }
    })
  },
}
const platform = await startTestPlatform([crmService, sandboxService, billing], { RATE_PUBLIC_SEND: '5000/60s', RATE_AUTH: '5000/60s' })
const db: any = platform.services.crm!.rt.db
const { infra } = platform
const bus = await openBus(infra, { service: 'marketplace', db, log: infra.log })
bus.reply(claimSlug.name, async (asked) => ({ slug: `ann-${(asked as { actor: { id: string } }).actor.id}`, name: 'Ann Host' }))
await bus.start()
afterAll(() => platform.close())

const call = (name: string, body: object, user?: TestUser) => platform.call(name, user ?? null, body)
const subjects = async (to: string): Promise<string[]> =>
  ((await (await fetch(`${platform.url('sandbox')}/sandbox/api/inbox?to=${encodeURIComponent(to)}`)).json()) as any).messages.map(
    ({ subject }: { subject: string }) => subject,
  )
const told = async (user: TestUser, name: string) =>
  (await db.selectFrom('outbox').select('payload').where('name', '=', name).where('user_id', '=', user.id).execute()).length
const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)
const tokenIn = (url: string) => url.slice(url.lastIndexOf('/') + 1)

async function aHost(more: object = {}) {
  const user = platform.user()
  const profile = { email: `h-${user.id}@example.com`, name: 'Ann Host', role: null, referral_code: null, version: 1, email_verified: true }
  await platform.emit(userCreated, user.id, profile as never)
  const hours = Array.from({ length: 7 }, () => [{ from: 540, to: 1020 }])
  await call('save-availability', { zone: 'UTC', hours, exceptions: [], version: 0 }, user)
  const type = { title: 'Consultation', slug: 'talk', minutes: 30, notice_minutes: 0, place_kind: 'address', place: 'Main Street 1' }
  const made = await call('create-event-type', { ...type, price_cents: 4000, refund_hours: 24, ...more }, user)
  expect(made.status).toBe(200)
  const at = { profile: `ann-${user.id}`, event_type: 'talk' }
  const slots = async (): Promise<string[]> => (await call('list-slots', { ...at, from: inDays(3), days: 1, zone: 'UTC' })).body.slots
  const book = (start: string, email = `g-${newId()}@example.com`) => call('book', { ...at, start, name: 'Ines', email, zone: 'UTC' })
  /** Billing's news of it, told as often as the provider tells it. */
  const sale = (reference: string, more: object = {}) => ({
    ...{ version: 1, sale_id: newId(), kind: 'booking', reference, seller_id: user.id, buyer_id: null, email: 'payer@example.com' },
    ...{ title: 'Consultation', amount_cents: 4000, currency: 'usd', refunded_cents: 0, tax_cents: 0, share_cents: 3600, lines: [] },
    ...more,
  })
  const settle = (reference: string, more: object = {}) => platform.emit(saleSettled, user.id, sale(reference, more) as never)
  const paymentIs = (id: string, state: string) =>
    expect
      .poll(() => db.selectFrom('booking_payments').select('state').where('id', '=', id).executeTakeFirst(), { timeout: 10_000 })
      .toEqual({ state })
  return { user, slots, book, sale, settle, paymentIs }
}
const bookingOf = (id: string) => db.selectFrom('bookings').selectAll().where('id', '=', id).executeTakeFirst()

test('a time with a price is held, paid at the checkout and booked once, however often the payment is told of [spec-131]', async () => {
  const { user, slots, book, settle, paymentIs } = await aHost()
  const [start] = await slots()
  const guest = `g-${newId()}@example.com`
  const { body } = await book(start!, guest)
  expect(body).toMatchObject({ state: 'pending', pay_url: `https://pay.example/${body.booking_id}` })
  expect(opened.at(-1)).toMatchObject({
    ...{ kind: 'booking', reference: body.booking_id, seller_id: user.id, buyer_id: null, email: guest, currency: 'usd' },
    lines: [{ title: 'Consultation', amount_cents: 4000 }],
  })
  // Two visitors, one time: the other one is told before any payment.
  expect(await slots()).not.toContain(start)
  expect((await book(start!)).body.code).toBe('slot_taken')
  const token = tokenIn(body.manage_url)
  expect((await call('show-booking', { token })).body.payment).toMatchObject({ state: 'open', amount_cents: 4000 })
  expect((await call('pay-booking', { token })).body.pay_url).toBe(body.pay_url)
  // Not an appointment yet: nobody answers it, moves it or is told of it.
  const { booking_id: appointment_id } = body
  expect((await call('answer-booking', { appointment_id, confirm: true }, user)).body.code).toBe('booking_over')
  expect((await call('reschedule-booking', { token, start: (await slots())[2] })).body.code).toBe('booking_over')
  expect(await db.selectFrom('appointments').select('id').where('user_id', '=', user.id).execute()).toEqual([])
  expect(await subjects(guest)).toEqual([])

  const sale_id = newId()
  for (let n = 0; n < 3; n++) await settle(appointment_id, { sale_id })
  await paymentIs(appointment_id, 'paid')
  await expect.poll(() => subjects(guest)).toEqual(['Your booking with Ann Host'])
  await expect.poll(() => subjects(`h-${user.id}@example.com`)).toEqual(['New booking: Consultation with Ines'])
  expect(await told(user, 'crm.appointment_booked')).toBe(1)
  expect((await call('show-booking', { token })).body).toMatchObject({ state: 'confirmed', payment: { state: 'paid', hold_until: null } })
  expect((await call('pay-booking', { token })).body.code).toBe('booking_unheld')
  expect(refunds.filter((refund) => refund.sale_id === sale_id)).toEqual([])
})

test('a hold has an end: the time is free again, and a payment that comes after it is booked where it is still free, else paid back [spec-131]', async () => {
  const { user, slots, book, settle, paymentIs } = await aHost()
  const [start, next] = await slots()
  const ends = (id: string) => update(db, 'bookings', { id }, { hold_until: new Date(Date.now() - 1000) })
  const [late, lucky] = [(await book(start!)).body, (await book(next!)).body]
  for (const { booking_id } of [late, lucky]) await ends(booking_id)
  expect(await slots()).toEqual(expect.arrayContaining([start, next]))
  const guest = `g-${newId()}@example.com`
  const other = (await book(start!, guest)).body
  await settle(other.booking_id)
  await paymentIs(other.booking_id, 'paid')
  const sale_id = newId()
  for (let n = 0; n < 2; n++) await settle(late.booking_id, { sale_id })
  await settle(lucky.booking_id)
  await paymentIs(lucky.booking_id, 'paid')
  expect(await bookingOf(lucky.booking_id)).toMatchObject({ state: 'confirmed', hold_until: null, reason: '' })
  await expect
    .poll(() => refunds.filter((refund) => refund.sale_id === sale_id))
    .toEqual([{ sale_id, by: user.id, key: `booking ${late.booking_id}` }])
  const { guest_email } = await bookingOf(late.booking_id)
  await expect.poll(() => subjects(guest_email)).toEqual(['Your booking with Ann Host could not be made'])
  expect((await call('show-booking', { token: tokenIn(late.manage_url) })).body).toMatchObject({
    state: 'cancelled',
    payment: { state: 'refunding' },
  })
})

test('a host whose payouts are not set up is refused as a seller is, and the time stays free [spec-131] [spec-15]', async () => {
  const { user, slots, book, settle } = await aHost()
  const [start] = await slots()
  isReady = false
  const refused = await book(start!)
  isReady = true
  expect([refused.status, refused.body.code]).toEqual([409, 'seller_not_ready'])
  expect(await slots()).toContain(start)
  // Another seller's sale that names a booking of this one changes nothing.
  const { body } = await book(start!)
  await settle(body.booking_id, { seller_id: newId(), version: 9 })
  await settle(newId())
  expect((await call('cancel-booking', { token: tokenIn(body.manage_url) })).body).toMatchObject({
    state: 'cancelled',
    payment: { state: 'ended' },
  })
  expect(await told(user, 'crm.appointment_cancelled')).toBe(0)
  expect((await call('create-event-type', { title: 'x', slug: 'x', minutes: 30, price_cents: 150 }, user)).status).toBe(400)
})

test('a guest who cancels in time, or whose host cancels, is paid back once; too late the seller keeps it, and shares wait from the end on [spec-131]', async () => {
  const { user, slots, book, sale, settle, paymentIs } = await aHost()
  const free = await slots()
  const paid = async (n: number) => {
    const { body } = await book(free[n]!)
    await settle(body.booking_id)
    await paymentIs(body.booking_id, 'paid')
    return { id: body.booking_id as string, token: tokenIn(body.manage_url) }
  }
  const [early, late, theirs, over] = [await paid(0), await paid(2), await paid(4), await paid(6)]
  const before = refunds.length
  for (let n = 0; n < 2; n++) await call('cancel-booking', { token: early.token })
  await db
    .updateTable('booking_payments')
    .set({ refund_until: new Date(Date.now() - 1000) })
    .where('id', 'in', [late.id, theirs.id])
    .execute()
  expect((await call('cancel-booking', { token: late.token })).body.payment.state).toBe('kept')
  await call('cancel-appointment', { appointment_id: theirs.id }, user)
  await expect
    .poll(() =>
      refunds
        .slice(before)
        .map(({ key }) => key)
        .sort(),
    )
    .toEqual([`booking ${early.id}`, `booking ${theirs.id}`].sort())
  await expect.poll(() => subjects(`h-${user.id}@example.com`)).toContain('Cancelled: Consultation with Ines')

  // Billing tells of the refund, also before the sale itself where the news are shuffled.
  const { sale_id } = await db.selectFrom('booking_payments').select('sale_id').where('id', '=', early.id).executeTakeFirst()
  const back = { ...sale(early.id), sale_id, version: 2, refunded_cents: 4000, returned_cents: 4000 }
  for (let n = 0; n < 2; n++) await platform.emit(saleRefunded, user.id, back as never)
  await paymentIs(early.id, 'refunded')
  const { guest_email } = await bookingOf(early.id)
  await expect.poll(() => subjects(guest_email)).toContain('Your payment for a booking with Ann Host was refunded')
  // Given back by the seller from the payments page, it is not booked any more.
  await platform.emit(saleRefunded, user.id, { ...sale(over.id), version: 2, refunded_cents: 4000, returned_cents: 4000 } as never)
  await paymentIs(over.id, 'refunded')
  expect(await bookingOf(over.id)).toMatchObject({ state: 'cancelled' })
  const fresh = (await book(free[8]!)).body
  await platform.emit(saleRefunded, user.id, { ...sale(fresh.booking_id), version: 2, refunded_cents: 4000, returned_cents: 4000 } as never)
  await settle(fresh.booking_id)
  await paymentIs(fresh.booking_id, 'refunded')

  const last = await paid(10)
  await update(db, 'booking_payments', { id: last.id }, { kept_at: new Date(Date.now() - 1000) })
  const { jobs } = platform.services.crm!.rt
  await jobs.add([{ id: newId(), name: bookingReminders.name, user_id: null, payload: {}, trace: null }])
  await expect
    .poll(async () =>
      (await db.selectFrom('outbox').select('payload').where('name', '=', 'crm.booking_kept').where('user_id', '=', user.id).execute()).map(
        ({ payload }: any) => payload.reference,
      ),
    )
    .toEqual(expect.arrayContaining([late.id, last.id]))
})
