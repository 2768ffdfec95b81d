import { paymentFailed } from '@operon/contracts/billing'
import { publish } from '@operon/kit/tx'
import type { Db, Deps, Trx } from '../deps.ts'
import { bookCharge, bookInvoice } from '../ledger/book.ts'
import { endCheckout } from '../provider-calls.ts'
import type { ProviderCharge, ProviderEvent } from '../stripe-shapes.ts'
import type { SubscriptionRow } from '../subscriptions/entitlement.ts'
import { keep, look } from '../subscriptions/project.ts'

export type Effect = (trx: Trx) => Promise<SubscriptionRow | null>

/** Asks the provider about whatever an event names, and answers what is to be kept of it. Nothing is written yet. */
export async function gather(deps: Deps, db: Db, event: ProviderEvent): Promise<Effect[]> {
  const { type } = event
  const effects: Effect[] = []
  if (/^(customer\.subscription|customer\.deleted|checkout\.session|invoice)/.test(type) && event.customer) {
    const seen = await look(deps, db, event.customer)
    if (seen) effects.push((trx) => keep(trx, seen))
  }
  if (type === 'checkout.session.completed' || type === 'checkout.session.expired') {
    const { id } = (event.raw as { data: { object: { id: string } } }).data.object
    effects.push((trx) => endCheckout(trx, id, type === 'checkout.session.completed' ? 'done' : 'refused').then(() => null))
  }
  if (/^(charge|refund)\./.test(type) && event.charge) {
    const charge = await deps.provider.getCharge(event.charge)
    effects.push((trx) => bookCharge(trx, charge).then(() => null))
    if (type === 'charge.failed') effects.push((trx) => tellFailed(trx, charge).then(() => null))
  }
  if (type === 'invoice.paid' && event.invoice) {
    const invoice = await deps.provider.getInvoice(event.invoice)
    effects.push((trx) => bookInvoice(trx, invoice).then(() => null))
  }
  return effects
}

async function tellFailed(trx: Trx, charge: ProviderCharge) {
  if (!charge.customer) return
  const account = await trx.selectFrom('accounts').select('user_id').where('stripe_customer_id', '=', charge.customer).executeTakeFirst()
  if (account)
    await publish(trx, paymentFailed, account.user_id, {
      payment: charge.id,
      amount_cents: charge.amountAskedCents,
      currency: charge.currency,
    })
}
