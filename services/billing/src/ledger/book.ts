import { paymentDisputed, paymentRefunded, paymentSucceeded } from '@operon/contracts/billing/events'
import { publish } from '@operon/kit/tx'
import type { Trx } from '../deps.ts'
import { referralPaid, referralVoided } from '../referrals/referrals.ts'
import type { ProviderCharge, ProviderInvoice } from '../stripe-shapes.ts'
import { charged, creditUsed, disputeLost, disputeOpened, disputeWon, feeTaken, refunded } from './entries.ts'
import { post } from './post.ts'

/** Books all that is known of a charge: itself, its fees, refunds and disputes. Each once, so it may be called for any event about it, in any order. */
export async function bookCharge(trx: Trx, charge: ProviderCharge): Promise<void> {
  if (!charge.succeeded) return
  const { currency, id: payment } = charge
  const userId = await userOf(trx, charge.customer)
  const entry = (kind: string, id: string, description: string, occurredAt: Date) => ({
    reference: `${kind}:${id}`,
    kind,
    userId,
    description,
    occurredAt,
  })
  const event = (amountCents: number) => ({ payment, amount_cents: amountCents, currency })

  if (
    await post(trx, { ...entry('charge', payment, charge.description, charge.createdAt), lines: charged(currency, charge.amountCents) })
  ) {
    await publish(trx, paymentSucceeded, userId, event(charge.amountCents))
    if (userId) await referralPaid(trx, userId, charge)
  }
  for (const fee of charge.fees) {
    await post(trx, { ...entry('fee', fee.reference, 'Provider fee', fee.createdAt), lines: feeTaken(currency, fee.feeCents) })
  }
  for (const refund of charge.refunds) {
    const isNew = await post(trx, {
      ...entry('refund', refund.id, `Refund of ${payment}`, refund.createdAt),
      lines: refunded(currency, refund.amountCents),
    })
    if (isNew) await publish(trx, paymentRefunded, userId, event(refund.amountCents))
  }
  for (const dispute of charge.disputes) {
    const { id, amountCents, feeCents, status, createdAt } = dispute
    const isNew = await post(trx, {
      ...entry('dispute', id, `Dispute of ${payment}`, createdAt),
      lines: disputeOpened(currency, amountCents),
    })
    if (isNew) await publish(trx, paymentDisputed, userId, event(amountCents))
    if (feeCents > 0) await post(trx, { ...entry('dispute_fee', id, 'Dispute fee', createdAt), lines: feeTaken(currency, feeCents) })
    if (status === 'won')
      await post(trx, { ...entry('dispute_won', id, `Dispute of ${payment} won`, createdAt), lines: disputeWon(currency, amountCents) })
    if (status === 'lost')
      await post(trx, { ...entry('dispute_lost', id, `Dispute of ${payment} lost`, createdAt), lines: disputeLost(currency, amountCents) })
  }
  const returnedCents = [...charge.refunds, ...charge.disputes].reduce((sum, { amountCents }) => sum + amountCents, 0)
  if (returnedCents >= charge.amountCents) await referralVoided(trx, payment)
}

/** Credit that an invoice used up has been earned. */
export async function bookInvoice(trx: Trx, invoice: ProviderInvoice): Promise<void> {
  if (!invoice.paid || invoice.creditUsedCents === 0) return
  await post(trx, {
    reference: `credit_used:${invoice.id}`,
    kind: 'credit_used',
    userId: await userOf(trx, invoice.customer),
    description: 'Credit used on an invoice',
    occurredAt: invoice.createdAt,
    lines: creditUsed(invoice.currency, invoice.creditUsedCents),
  })
}

export async function userOf(trx: Trx, customer: string | null): Promise<string | null> {
  if (!customer) return null
  const account = await trx.selectFrom('accounts').select('user_id').where('stripe_customer_id', '=', customer).executeTakeFirst()
  return account?.user_id ?? null
}
