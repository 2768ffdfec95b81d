import { type Bank, list, type Obj } from '../bank.ts'
import { wrong } from '../errors.ts'
import { int, mergeMetadata, type Params, text } from '../form.ts'
import { availableOf, balanceRow } from '../movements.ts'

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
  const { currency } = params
  if (amount < 1) throw wrong('Invalid positive integer', 'amount', 'parameter_invalid_integer')
  if (charge) demandWithin(bank, charge, amount, currency)
  else if (amount > availableOf(bank, null, currency)) throw insufficient('account')
  const id = bank.id('transfers')
  const row = { fee: 0, currency, description: text(params.description), availableOn: charge ? availableOn(bank, charge) : bank.now() }
  const out = bank.t.balance_transactions.put(balanceRow(bank, { ...row, amount: -amount, source: id, type: 'transfer' }))
  const payment = bank.state.id('py', 24)
  bank.t.balance_transactions.put(balanceRow(bank, { ...row, amount, source: payment, type: 'payment', account: destination.id }))
  const transfer = bank.t.transfers.put({
    id,
    object: 'transfer',
    amount,
    amount_reversed: 0,
    balance_transaction: out.id,
    created: bank.now(),
    currency,
    description: text(params.description),
    destination: destination.id,
    destination_payment: payment,
    livemode: false,
    metadata: mergeMetadata({}, params.metadata),
    reversals: list(`/v1/transfers/${id}/reversals`, []),
    reversed: false,
    source_transaction: charge?.id ?? null,
    source_type: 'card',
    transfer_group: text(params.transfer_group) ?? charge?.transfer_group ?? null,
  })
  bank.fact('transfer', { transfer: id, destination: destination.id, amount, currency, metadata: transfer.metadata })
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

const availableOn = (bank: Bank, charge: Obj): number =>
  bank.t.balance_transactions.get(charge.balance_transaction)?.available_on ?? bank.now()

/** It comes back out of the seller's balance, and not out of nothing. */
export function reverseTransfer(bank: Bank, transfer: Obj, params: Params): Obj {
  const left = transfer.amount - transfer.amount_reversed
  const amount = int(params.amount, left)
  if (amount < 1) throw wrong('Invalid positive integer', 'amount', 'parameter_invalid_integer')
  if (amount > left) throw wrong(`Reversal amount is greater than the unreversed amount of the transfer (${left}).`, 'amount')
  const { currency, destination } = transfer
  if (amount > wholeOf(bank, destination, currency)) throw insufficient('connected account')
  const id = bank.id('transfer_reversals')
  const row = { fee: 0, currency, availableOn: bank.now() }
  const back = bank.t.balance_transactions.put(balanceRow(bank, { ...row, amount, source: id, type: 'transfer_refund' }))
  const refund = bank.state.id('pyr', 24)
  bank.t.balance_transactions.put(
    balanceRow(bank, { ...row, amount: -amount, source: refund, type: 'payment_refund', account: destination }),
  )
  const reversal = bank.t.transfer_reversals.put({
    id,
    object: 'transfer_reversal',
    amount,
    balance_transaction: back.id,
    created: bank.now(),
    currency,
    destination_payment_refund: refund,
    metadata: mergeMetadata({}, params.metadata),
    source_refund: null,
    transfer: transfer.id,
  })
  const amount_reversed = transfer.amount_reversed + amount
  const changed = bank.t.transfers.put({
    ...transfer,
    amount_reversed,
    reversed: amount_reversed === transfer.amount,
    reversals: { ...transfer.reversals, data: [reversal, ...transfer.reversals.data] },
  })
  bank.fact('transfer_reversal', { reversal: id, transfer: transfer.id, amount, currency })
  bank.emit('transfer.reversed', changed, { amount_reversed: transfer.amount_reversed })
  return reversal
}

const wholeOf = (bank: Bank, account: string, currency: string): number =>
  bank.t.balance_transactions
    .all()
    .filter((row) => row._account === account && row.currency === currency)
    .reduce((sum, { net }) => sum + net, 0)

export const insufficient = (whose: string) =>
  wrong(
    `You have insufficient available funds in your Stripe ${whose}. Wait until pending funds are available.`,
    undefined,
    'balance_insufficient',
  )
