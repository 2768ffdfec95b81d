import { refundOrder } from '@operon/contracts/billing/sales'
import { openSaleCheckout } from '@operon/contracts/billing/selling-events'
import type { Input, Output } from '@operon/contracts/contract'
import type * as api from '@operon/contracts/crm/booking'
import { now } from '@operon/kit/clock'
import type { Ctx } from '@operon/kit/context'
import { DomainError } from '@operon/kit/errors'
import type { Runtime } from '@operon/kit/service'
import type { Kysely } from 'kysely'
import { actingFor } from '../email/transports.ts'
import type { CrmDb } from '../schema.ts'
import { readHeld } from './held.ts'
import { bookingIdIn, tokenOf } from './links.ts'

type Rt = Pick<Runtime<CrmDb>, 'ask' | 'vault'>

/** The payment page of a time that is held; the same one each time. */
export async function checkoutOf(db: Kysely<CrmDb>, { ask, vault }: Rt, id: string): Promise<string> {
  const held = await readHeld(db, id)
  if (!held.hold_until || held.hold_until.getTime() <= now() || held.payment_state !== 'open') throw new DomainError('booking_unheld')
  const at = `/booking/${tokenOf(vault, id)}`
  const opened = await ask(
    openSaleCheckout,
    {
      ...{
        kind: 'booking',
        reference: id,
        seller_id: held.user_id,
        buyer_id: null,
        email: held.guest_email,
        currency: held.payment_currency!,
      },
      lines: [{ item_id: null, title: (held.type_title ?? held.title).slice(0, 250), amount_cents: held.payment_cents! }],
      success_path: `${at}?new=1&paid=1`,
      cancel_path: at,
    },
    { deadlineMs: 15_000 },
  )
  if (opened.state === 'open') return opened.url
  throw new DomainError(opened.state === 'seller_not_ready' ? 'seller_not_ready' : 'booking_unheld')
}

export async function payBooking(
  { db }: Ctx<CrmDb>,
  { token }: Input<typeof api.payBooking>,
  rt: Rt,
): Promise<Output<typeof api.payBooking>> {
  return { pay_url: await checkoutOf(db, rt, bookingIdIn(rt.vault, token)) }
}

/** Through billing's capability, in the seller's name. The key makes it one refund, however often this runs. */
export async function payBack(
  { db }: Pick<Ctx<CrmDb>, 'db'>,
  { call }: Pick<Runtime<CrmDb>, 'call'>,
  { booking_id: id, reason }: { booking_id: string; reason: string },
): Promise<void> {
  const payment = await db.selectFrom('booking_payments').selectAll().where('id', '=', id).executeTakeFirst()
  if (payment?.state !== 'refunding' || !payment.sale_id) return
  try {
    const asked = { ...actingFor(payment.user_id, 'refund-order'), idempotencyKey: `booking ${id}`, deadlineMs: 30_000 }
    await call(refundOrder, { sale_id: payment.sale_id, reason }, asked)
  } catch (error) {
    if (!(error instanceof DomainError)) throw error
    // The seller was faster, or billing has asked its staff, who send it.
    if (error.code === 'refund_too_large' || error.code === 'refund_needs_staff') return
    if (error.code !== 'refund_disputed') throw error
    // The bank decides about it now, and gives it back itself if it finds so.
    await db.updateTable('booking_payments').set({ state: 'kept' }).where('id', '=', id).where('state', '=', 'refunding').execute()
  }
}
