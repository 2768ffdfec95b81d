import { paymentRefunded, paymentSucceeded, refundReturned } from '@operon/contracts/billing/payment-events'
import { money } from '@operon/contracts/words'
import { publish } from '@operon/kit/tx'
import type { Trx } from '../deps.ts'
import { taxOfRefund, wantDocument } from '../documents/documents.ts'
import { keepPeriod } from '../months/close.ts'
import { referralPaid, referralVoided } from '../referrals/referrals.ts'
import { settle } from '../sales/settle.ts'
import { openMatter, openRefundFailed } from '../staff/matters.ts'
import type { ProviderCharge } from '../stripe-shapes.ts'
import { keepTopUp, topUpOfCharge } from '../top-ups/settle.ts'
import { userOf } from './credits.ts'
import { keepDispute, nameOf } from './disputes.ts'
import { charged, disputeLost, disputeOpened, feeTaken, type Line, refunded, refundFailed } from './entries.ts'
import { post } from './post.ts'
import { bookPlanTax, bookTaxBack } from './tax.ts'

/** Books all that is known of a charge: itself, its fees, refunds and disputes. Each once, so it may be called for any event about it, in any order. */
export async function bookCharge(trx: Trx, charge: ProviderCharge): Promise<void> {
  if (charge.paidFor === 'sale' && (await settle(trx, charge))) return
  if (!charge.succeeded) return
  const { currency, id: payment } = charge
  const topUp = charge.paidFor === 'top_up' ? await topUpOfCharge(trx, charge) : null
  // Paid as a sale or a top-up, and nothing here was sold for it.
  const paidFor = charge.paidFor === 'sale' || (charge.paidFor === 'top_up' && !topUp) ? 'unknown' : charge.paidFor
  const userId = await userOf(trx, charge.customer)
  const book = (reference: string, kind: string, description: string, occurredAt: Date, lines: Line[]) =>
    lines.length === 0 ? false : post(trx, { reference, kind, userId, description, occurredAt, lines })
  const event = (amountCents: number) => ({ payment, amount_cents: amountCents, currency })

  const isPlan = paidFor === 'subscription'
  const isKnown = isPlan || topUp !== null
  // The refund of a top-up is no part of the money paid for a plan.
  const of = (kind: string) => (topUp ? `top_up_${kind}` : kind)
  const kind = isPlan ? 'charge' : topUp ? 'top_up' : 'unknown_charge'
  const isPaid = await book(`charge:${payment}`, kind, charge.description, charge.createdAt, charged(currency, charge.amountCents, paidFor))
  if (isPaid && !isKnown)
    await openMatter(trx, {
      ...{
        matter: 'suspense',
        subject: payment,
        title: `A payment of ${money({ amount_cents: charge.amountCents, currency })} is of unknown purpose`,
      },
      body: `No plan, top-up or sale asked for ${payment}. It waits in the books as suspense.`,
    })
  if (isPaid && isKnown) {
    await publish(trx, paymentSucceeded, userId, { ...event(charge.amountCents), ...(topUp && { top_up: true }) })
    if (userId && isPlan) await referralPaid(trx, userId, charge)
  }
  if (isPaid && topUp)
    await wantDocument(trx, {
      ...{ kind: 'invoice', reference: `charge:${payment}`, userId, charge: payment, title: charge.description, currency },
      ...{ grossCents: charge.amountCents, taxCents: charge.tax?.cents ?? 0, place: charge.tax, at: charge.createdAt },
    })
  if (isKnown && charge.tax) await bookPlanTax(trx, { userId, currency, tax: charge.tax, at: charge.createdAt, paidFor })
  for (const { reference, feeCents, createdAt } of charge.fees)
    await book(`fee:${reference}`, 'fee', 'Provider fee', createdAt, feeTaken(currency, feeCents))

  let returned = 0
  for (const { id, amountCents, state, createdAt } of charge.refunds) {
    const isNew = await book(`refund:${id}`, of('refund'), `Refund of ${payment}`, createdAt, refunded(currency, amountCents, paidFor))
    if (isNew && state === 'sent') await publish(trx, paymentRefunded, userId, event(amountCents))
    if (isNew && isKnown)
      await wantDocument(trx, {
        ...{ kind: 'credit_note', reference: `refund:${id}`, userId, charge: payment, title: charge.description, currency },
        ...{ grossCents: amountCents, taxCents: taxOfRefund(charge, returned, amountCents), place: charge.tax, at: createdAt },
      })
    returned += amountCents
    if (state !== 'failed') continue
    const hasFailed = await book(
      `refund_failed:${id}`,
      of('refund_failed'),
      `Refund of ${payment} was not accepted`,
      createdAt,
      refundFailed(currency, amountCents),
    )
    if (!hasFailed) continue
    await openRefundFailed(trx, id, payment, { amount_cents: amountCents, currency })
    await publish(trx, refundReturned, userId, event(amountCents))
  }
  for (const dispute of charge.disputes) {
    const { id, status, createdAt, movements } = dispute
    for (const [index, moved] of movements.entries()) {
      const { name, kind } = nameOf(dispute, index)
      await book(name, of(kind), `Dispute of ${payment}`, moved.createdAt, disputeOpened(currency, -moved.amountCents))
      const fee = index === 0 ? `dispute_fee:${id}` : `dispute_fee:${moved.id}`
      await book(fee, 'dispute_fee', 'Dispute fee', moved.createdAt, feeTaken(currency, moved.feeCents))
    }
    const heldCents = -movements.reduce((sum, moved) => sum + moved.amountCents, 0)
    if (status === 'lost')
      await book(`dispute_lost:${id}`, 'dispute_lost', `Dispute of ${payment} lost`, createdAt, disputeLost(currency, heldCents, paidFor))
    await keepDispute(trx, userId, charge, dispute)
  }
  if (isPlan) await keepPeriod(trx, charge)
  if (topUp) await keepTopUp(trx, topUp, charge)
  if (isKnown) await bookTaxBack(trx, charge, userId)
  if (returnedCents(charge) >= charge.amountCents) await referralVoided(trx, payment)
}

export const refundedCents = ({ refunds }: ProviderCharge): number => sumOf(refunds.filter(({ state }) => state === 'sent'))

/** Refunds to the customer, and amounts held for them. */
const returnedCents = (charge: ProviderCharge): number =>
  refundedCents(charge) + sumOf(charge.disputes.filter(({ status }) => status === 'open' || status === 'lost'))
const sumOf = (parts: { amountCents: number }[]) => parts.reduce((sum, { amountCents }) => sum + amountCents, 0)
