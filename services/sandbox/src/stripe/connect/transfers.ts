import { type Bank, list, type Obj } from '../bank.ts'
import { wrong } from '../errors.ts'
import { int, mergeMetadata, type Params, text } from '../form.ts'
import { availableOf, move, wholeOf } from '../movements.ts'
import { makePayment, refundPayment } from './received.ts'

/** Money of the platform's becomes a seller's: out of what is available, or out of one charge as soon as that is. */
export function createTransfer(bank: Bank, params: Params): Obj {
  const destination = bank.find('accounts', params.destination, 'destination')
  if (destination.capabilities.transfers !== 'active')
    throw wrong(
      'Your destination account needs to have at least one of the following capabilities enabled: transfers, crypto_transfers, legacy_payments',
      'destination',
      'insufficient_capabilities_for_transfer',
    )
  const charge = params.source_transaction ? bank.find('charges', params.source_transaction, 'source_transaction') : null
  const amount = int(params.amount, charge?.amount)
  const currency = String(params.currency).toLowerCase()
  const clock: string | null = destination._clock ?? null
  const created = bank.now(clock)
  if (amount < 1) throw wrong('Invalid positive integer', 'amount', 'parameter_invalid_integer')
  // A seller who is ahead of the others meets the platform's balance as it will stand at that moment.
  if (charge) demandWithin(bank, charge, amount, currency)
  else if (amount > availableOf(bank, null, currency, created)) throw insufficient('account')
  const id = bank.id('transfers')
  const description = text(params.description)
  const waits = charge ? secondsUntilAvailable(bank, charge) : 0
  const out = move(bank, { amount: -amount, currency, source: id, type: 'transfer', description, created, availableOn: created + waits })
  const payment = makePayment(bank, { destination, amount, currency, transfer: id, availableOn: created + waits })
  const transfer = bank.t.transfers.put({
    id,
    object: 'transfer',
    amount,
    amount_reversed: 0,
    balance_transaction: out.id,
    created,
    currency,
    description,
    destination: destination.id,
    destination_payment: payment.id,
    livemode: false,
    metadata: mergeMetadata({}, params.metadata),
    reversals: { ...list(`/v1/transfers/${id}/reversals`, []), total_count: 0 },
    reversed: false,
    source_transaction: charge?.id ?? null,
    source_type: 'card',
    transfer_group: text(params.transfer_group) ?? charge?.transfer_group ?? null,
  })
  const { metadata, transfer_group, source_transaction } = transfer
  bank.fact('transfer', { transfer: id, destination: destination.id, amount, currency, source_transaction, transfer_group, metadata })
  bank.emit('transfer.created', transfer)
  return transfer
}

function demandWithin(bank: Bank, charge: Obj, amount: number, currency: string) {
  if (charge.status !== 'succeeded') throw wrong('The source_transaction has not succeeded.', 'source_transaction')
  if (charge.currency !== currency) throw wrong('The currency of source_transaction must be the same as that of the transfer.', 'currency')
  const before = bank.t.transfers.all().filter((each) => each.source_transaction === charge.id)
  const left = charge.amount - charge.amount_refunded - before.reduce((sum, each) => sum + each.amount - each.amount_reversed, 0)
  if (amount > left) throw wrong(`Transfers using this transaction as a source must not exceed the source amount of ${left}.`, 'amount')
}

// By the buyer's clock, which may be another than the seller's.
const secondsUntilAvailable = (bank: Bank, charge: Obj): number => {
  const row = bank.t.balance_transactions.get(charge.balance_transaction)
  return row ? Math.max(0, row.available_on - bank.now(row._clock)) : 0
}

/** It comes back out of the seller's balance, and not out of nothing. */
export function reverseTransfer(bank: Bank, transfer: Obj, params: Params): Obj {
  const left = transfer.amount - transfer.amount_reversed
  const amount = int(params.amount, left)
  if (left === 0) throw wrong(`Transfer ${transfer.id} is already fully reversed.`, undefined, 'transfer_already_reversed')
  if (amount < 1) throw wrong('Invalid positive integer', 'amount', 'parameter_invalid_integer')
  if (amount > left) throw wrong(`Reversal amount is greater than the unreversed amount of the transfer (${left}).`, 'amount')
  const { currency } = transfer
  const destination = bank.find('accounts', transfer.destination)
  if (amount > wholeOf(bank, destination.id, currency)) throw insufficient('connected account')
  const id = bank.id('transfer_reversals')
  const created = bank.now(destination._clock)
  const out = bank.t.balance_transactions.get(transfer.balance_transaction)
  // A transfer that left in a seller's future comes back there.
  const availableOn = Math.max(out?.available_on ?? 0, bank.now())
  const back = move(bank, { amount, currency, source: id, type: 'transfer_refund', created, availableOn })
  const refund = refundPayment(bank, { destination, amount, currency, payment: transfer.destination_payment })
  const reversal = bank.t.transfer_reversals.put({
    id,
    object: 'transfer_reversal',
    amount,
    balance_transaction: back.id,
    created,
    currency,
    destination_payment_refund: refund.id,
    metadata: mergeMetadata({}, params.metadata),
    source_refund: null,
    transfer: transfer.id,
  })
  const amount_reversed = transfer.amount_reversed + amount
  const data = [reversal, ...transfer.reversals.data]
  const changed = bank.t.transfers.put({
    ...transfer,
    amount_reversed,
    reversed: amount_reversed === transfer.amount,
    reversals: { ...transfer.reversals, data, total_count: data.length },
  })
  const { metadata } = reversal
  bank.fact('transfer_reversal', { reversal: id, transfer: transfer.id, destination: destination.id, amount, currency, metadata })
  bank.emit('transfer.reversed', changed, { amount_reversed: transfer.amount_reversed })
  return reversal
}

export const insufficient = (whose: string) =>
  wrong(
    `You have insufficient available funds in your Stripe ${whose}. Wait until pending funds are available.`,
    undefined,
    'balance_insufficient',
  )
