import type { Bank, Obj } from './bank.ts'
import { behaviourOf } from './cards.ts'
import { wonBack } from './disputes.ts'
import { wrong } from './errors.ts'
import { int, mergeMetadata, type Params, text } from './form.ts'
import { move } from './movements.ts'
import { type LineTax, taxFact } from './tax/lines.ts'
import type { Place } from './tax/rates.ts'

const FAILS_AFTER_SECONDS = 60

export function createRefund(bank: Bank, params: Params): Obj {
  const intent = params.payment_intent ? bank.find('payment_intents', params.payment_intent, 'payment_intent') : undefined
  const chargeId = params.charge ?? intent?.latest_charge
  if (!chargeId)
    throw wrong(
      'One of the following params should be provided for this request: payment_intent or charge.',
      undefined,
      'parameter_missing',
    )
  const charge = bank.find('charges', chargeId, 'charge')
  if (charge.status !== 'succeeded') throw wrong('This charge has not succeeded and cannot be refunded.', 'charge')
  if (charge.disputed && !wonBack(bank, charge))
    throw wrong(`Charge ${charge.id} has been charged back; cannot issue a refund.`, 'charge', 'charge_disputed')
  const left = charge.amount - charge.amount_refunded
  if (left <= 0) throw wrong(`Charge ${charge.id} has already been refunded.`, 'charge', 'charge_already_refunded')
  const amount = int(params.amount, left)
  if (amount <= 0) throw wrong('Invalid positive integer', 'amount', 'parameter_invalid_integer')
  if (amount > left)
    throw wrong(
      `Refund amount ($${(amount / 100).toFixed(2)}) is greater than unrefunded amount on charge ($${(left / 100).toFixed(2)})`,
      'amount',
    )
  const id = bank.id('refunds')
  const moved = move(bank, { amount: -amount, fee: 0, currency: charge.currency, source: id, type: 'refund', clock: charge._clock })
  const refund = bank.t.refunds.put({
    id,
    object: 'refund',
    amount,
    balance_transaction: moved.id,
    charge: charge.id,
    created: bank.now(charge._clock),
    currency: charge.currency,
    customer: charge.customer,
    customer_account: null,
    destination_details: {
      card: { reference_status: 'pending', reference_type: 'acquirer_reference_number', type: 'refund' },
      type: 'card',
    },
    metadata: mergeMetadata({}, params.metadata),
    payment_intent: charge.payment_intent,
    payment_method: charge.payment_method,
    reason: text(params.reason),
    receipt_number: null,
    source_transfer_reversal: null,
    status: 'succeeded',
    transfer_reversal: null,
    _fails_at: behaviourOf(bank.t.payment_methods.get(charge.payment_method)).refundFails
      ? bank.now(charge._clock) + FAILS_AFTER_SECONDS
      : null,
    _clock: charge._clock,
  })
  const amount_refunded = charge.amount_refunded + amount
  const changed = bank.t.charges.put({ ...charge, amount_refunded, refunded: amount_refunded === charge.amount })
  bank.fact('refund', {
    refund: id,
    charge: charge.id,
    payment_intent: charge.payment_intent,
    amount,
    currency: charge.currency,
    metadata: refund.metadata,
  })
  giveTaxBack(bank, changed, charge.amount_refunded, { refund: id })
  bank.emit('refund.created', refund)
  bank.emit('charge.refunded', changed, { amount_refunded: charge.amount_refunded })
  return refund
}

/** The bank sends it back: the money is with the merchant again, and the charge is less refunded than it said. */
export function failRefund(bank: Bank, refund: Obj): Obj {
  const charge = bank.find('charges', refund.charge)
  const back = move(bank, {
    amount: refund.amount,
    fee: 0,
    currency: refund.currency,
    source: refund.id,
    type: 'refund_failure',
    clock: refund._clock,
    description: `Failed refund of ${charge.id}`,
  })
  const failed = bank.t.refunds.put({
    ...refund,
    status: 'failed',
    failure_balance_transaction: back.id,
    failure_reason: 'expired_or_canceled_card',
    _fails_at: null,
  })
  const again = bank.t.charges.put({ ...charge, amount_refunded: charge.amount_refunded - refund.amount, refunded: false })
  giveTaxBack(bank, again, charge.amount_refunded, { refund: refund.id })
  bank.fact('refund_failed', { refund: refund.id, charge: charge.id, amount: refund.amount, currency: refund.currency })
  bank.emit('refund.failed', failed)
  bank.emit('charge.refund.updated', failed, { status: 'succeeded' })
  return failed
}

/** Where Stripe worked out the tax of a checkout, a refund takes its share of it off what is reported, and one that fails puts it back. */
function giveTaxBack(bank: Bank, charge: Obj, refundedBefore: number, about: Record<string, string>) {
  if (!charge._tax) return
  const { place, taxes, total } = charge._tax as { place: Place; taxes: LineTax[]; total: number }
  const upTo = (amount: number, refunded: number) => Math.round((amount * refunded) / total)
  const part = (amount: number) => upTo(amount, refundedBefore) - upTo(amount, charge.amount_refunded)
  const given = taxes.map((each) => ({ ...each, amount: part(each.amount), taxable_amount: part(each.taxable_amount) }))
  taxFact(bank, { ...about, charge: charge.id, customer: charge.customer }, place, charge.currency, given)
}
