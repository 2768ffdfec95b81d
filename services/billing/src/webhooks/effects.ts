import { paymentFailed } from '@operon/contracts/billing/payment-events'
import { publish } from '@operon/kit/tx'
import { sql } from 'kysely'
import type { Db, Deps, Trx } from '../deps.ts'
import { bookCharge, refundedCents } from '../ledger/book.ts'
import { bookCredits, userOf } from '../ledger/credits.ts'
import { bookInvoiceTax } from '../ledger/tax.ts'
import { keepPayout, lookAtPayout } from '../payouts/send.ts'
import { endCheckout } from '../provider-calls.ts'
import { moveClock, movedClock } from '../provider-time.ts'
import { keepCheckout, lookAtCheckout } from '../sales/settle.ts'
import { keepSeller, lookAtSeller } from '../sellers/accounts.ts'
import type { ProviderCharge, ProviderEvent, ProviderInvoice } from '../stripe-shapes.ts'
import type { SubscriptionRow } from '../subscriptions/entitlement.ts'
import { keep, look } from '../subscriptions/project.ts'

/** Effects of some events, written in the transaction that marks them done. */
export type Effect = { of: ProviderEvent[]; write: (trx: Trx) => Promise<SubscriptionRow | null> }

const isCheckoutEnd = ({ type }: ProviderEvent) => type === 'checkout.session.completed' || type === 'checkout.session.expired'
const customerOf = (event: ProviderEvent) =>
  /^(customer\.subscription|customer\.deleted|checkout\.session|invoice\.)/.test(event.type) || isNewCard(event) ? event.customer : null
const isNewCard = ({ type, previous }: ProviderEvent) =>
  (type === 'customer.updated' && 'invoice_settings' in previous) ||
  (type === 'customer.subscription.updated' && 'default_payment_method' in previous)
/** The payment page of a seller's sale. */
const saleCheckoutOf = ({ type, object }: ProviderEvent) =>
  type.startsWith('checkout.session.') && (object.metadata as Record<string, string> | null)?.kind === 'sale' ? String(object.id) : null
const sellerOf = ({ type, account }: ProviderEvent) => (type === 'account.updated' ? account : null)
const payoutOf = ({ type, account, object }: ProviderEvent) =>
  account && /^payout\.(paid|failed|canceled)$/.test(type) ? String(object.id) : null
const chargeOf = ({ type, charge }: ProviderEvent) => (/^(charge|refund)\./.test(type) ? charge : null)
const invoiceOf = ({ type, invoice }: ProviderEvent) => (type === 'invoice.payment_failed' ? invoice : null)
/** One that credit has paid has no charge that would lead to its tax. */
const taxedOf = ({ type, invoice, object }: ProviderEvent) =>
  type === 'invoice.paid' && (object.automatic_tax as { enabled?: boolean } | undefined)?.enabled && Number(object.total) > 0
    ? invoice
    : null
/** Finds the customer whose balance has moved: the customer says so, or an invoice that used it or added to it. */
const creditedOf = ({ type, customer, object, previous }: ProviderEvent) =>
  (type === 'customer.updated' && 'balance' in previous) || (type.startsWith('invoice.') && movedBalance(object)) ? customer : null
const movedBalance = ({ starting_balance: from, ending_balance: to }: Record<string, unknown>) =>
  to !== null && to !== undefined && from !== to

/** Whether anything can come of it here; what else the provider tells is only noted. */
export const isOfInterest = (event: ProviderEvent): boolean =>
  isCheckoutEnd(event) ||
  movedClock(event) !== null ||
  [customerOf, saleCheckoutOf, chargeOf, sellerOf, payoutOf, invoiceOf, taxedOf, creditedOf].some((name) => name(event) !== null)

/**
 * Asks the provider once about each customer, charge and invoice that the events name, as they are now, and answers what is to be kept.
 * Nothing is written yet.
 */
export async function gather(deps: Deps, db: Db, events: ProviderEvent[]): Promise<Effect[]> {
  const effects = await Promise.all([
    ...by(events, customerOf).map(async ([customer, of]): Promise<Effect[]> => {
      const seen = await look(deps, db, customer, of.some(isNewCard))
      return seen ? [{ of, write: (trx) => keep(trx, seen) }] : []
    }),
    ...by(events, chargeOf).map(async ([id, of]): Promise<Effect[]> => {
      const charge = await deps.provider.getCharge(id)
      const seen = charge.customer && (await endRefunded(deps, charge)) ? await look(deps, db, charge.customer) : null
      return [{ of, write: (trx) => bookCharge(trx, charge).then(nobody) }, ...(seen ? [{ of, write: (trx: Trx) => keep(trx, seen) }] : [])]
    }),
    ...by(events, saleCheckoutOf).map(async ([session, of]): Promise<Effect[]> => {
      const seen = await lookAtCheckout(deps, session)
      return seen ? [{ of, write: (trx) => keepCheckout(trx, seen).then(nobody) }] : []
    }),
    ...by(events, sellerOf).map(async ([account, of]): Promise<Effect[]> => {
      const seen = await lookAtSeller(deps, db, account)
      return seen ? [{ of, write: (trx) => keepSeller(trx, seen, true).then(nobody) }] : []
    }),
    ...by(events, payoutOf).map(async ([payout, of]): Promise<Effect[]> => {
      const seen = await lookAtPayout(deps, db, payout)
      return seen ? [{ of, write: (trx) => keepPayout(trx, seen).then(nobody) }] : []
    }),
    ...by(events, creditedOf).map(async ([customer, of]): Promise<Effect[]> => {
      const credits = await deps.provider.listCredits(customer)
      return [{ of, write: (trx) => bookCredits(trx, customer, credits).then(nobody) }]
    }),
    ...by(events, taxedOf).map(async ([id, of]): Promise<Effect[]> => {
      const invoice = await deps.provider.getInvoice(id)
      return [{ of, write: (trx) => bookInvoiceTax(trx, invoice).then(nobody) }]
    }),
    ...by(events, invoiceOf).map(async ([id, of]): Promise<Effect[]> => {
      const invoice = await deps.provider.getInvoice(id)
      return [{ of, write: (trx) => tellFailed(trx, invoice).then(nobody) }]
    }),
  ])
  const moved = deps.provider.mode === 'sandbox' ? events.filter((event) => movedClock(event)) : []
  return [...effects.flat(), ...events.filter(isCheckoutEnd).map(checkoutEnded), ...moved.map(clockMoved)]
}

/** A period whose payment went back whole is over. */
async function endRefunded({ provider }: Deps, charge: ProviderCharge): Promise<boolean> {
  const { succeeded, subscription, periodEnd, amountCents } = charge
  const isRefunded = succeeded && refundedCents(charge) >= amountCents
  return isRefunded && subscription && periodEnd ? provider.endPeriod(subscription, periodEnd) : false
}

const clockMoved = (event: ProviderEvent): Effect => ({ of: [event], write: (trx) => moveClock(trx, movedClock(event)!).then(nobody) })

const nobody = () => null

function by(events: ProviderEvent[], name: (event: ProviderEvent) => string | null): [string, ProviderEvent[]][] {
  return [...Map.groupBy(events, name)].filter((group): group is [string, ProviderEvent[]] => group[0] !== null)
}

function checkoutEnded(event: ProviderEvent): Effect {
  const { id } = (event.raw as { data: { object: { id: string } } }).data.object
  const state = event.type === 'checkout.session.completed' ? 'done' : 'refused'
  return { of: [event], write: (trx) => endCheckout(trx, id, state).then(nobody) }
}

/** A renewal that the card did not pay. Who is at a checkout or switches plans reads it there. */
async function tellFailed(trx: Trx, { id, customer, reason, dueCents, currency, retryAt, paidAt }: ProviderInvoice) {
  // News that comes late is of an invoice that has been paid since.
  if (reason !== 'subscription_cycle' || paidAt) return
  const userId = await userOf(trx, customer)
  if (!userId) return
  const open = await trx
    .selectFrom('subscriptions')
    .select('grace_until')
    .where('user_id', '=', userId)
    .where('status', '=', 'past_due')
    .where('lapsed', '=', false)
    .where('grace_until', '>', sql<Date>`provider_now(user_id)`)
    .executeTakeFirst()
  await publish(trx, paymentFailed, userId, {
    payment: id,
    amount_cents: dueCents,
    currency,
    retry_at: retryAt?.toISOString() ?? null,
    open_until: open?.grace_until?.toISOString() ?? null,
  })
}
