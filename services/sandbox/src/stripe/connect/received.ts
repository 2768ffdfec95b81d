import type { Bank, Obj } from '../bank.ts'
import { move } from '../movements.ts'

// A transfer as the seller's own account shows it: a payment received, and its refunds.

type Received = { destination: Obj; amount: number; currency: string }

export function makePayment(bank: Bank, received: Received & { transfer: string; availableOn: number }): Obj {
  const { destination, amount, currency, transfer, availableOn } = received
  const id = bank.id('payments')
  const created = bank.now(destination._clock)
  const own = { account: destination.id, clock: destination._clock }
  const row = move(bank, { amount, currency, source: id, type: 'payment', availableOn, ...own })
  return bank.t.payments.put({
    id,
    object: 'charge',
    amount,
    amount_captured: amount,
    amount_refunded: 0,
    application: null,
    application_fee: null,
    application_fee_amount: null,
    balance_transaction: row.id,
    billing_details: { address: null, email: null, name: null, phone: null, tax_id: null },
    calculated_statement_descriptor: null,
    captured: true,
    created,
    currency,
    customer: null,
    description: null,
    disputed: false,
    failure_balance_transaction: null,
    failure_code: null,
    failure_message: null,
    fraud_details: null,
    livemode: false,
    metadata: {},
    on_behalf_of: null,
    outcome: null,
    paid: true,
    payment_intent: null,
    payment_method: null,
    payment_method_details: { stripe_account: {}, type: 'stripe_account' },
    receipt_email: null,
    receipt_number: null,
    receipt_url: null,
    refunded: false,
    review: null,
    shipping: null,
    source: null,
    source_transfer: transfer,
    statement_descriptor: null,
    statement_descriptor_suffix: null,
    status: 'succeeded',
    transfer_data: null,
    transfer_group: null,
    _account: destination.id,
    _clock: destination._clock,
  })
}

export function refundPayment(bank: Bank, { destination, amount, currency, payment: id }: Received & { payment: string }): Obj {
  const payment = bank.t.payments.get(id)
  const refund = bank.id('payment_refunds')
  const own = { account: destination.id, clock: destination._clock }
  const row = move(bank, { amount: -amount, currency, source: refund, type: 'payment_refund', ...own })
  if (payment) {
    const amount_refunded = payment.amount_refunded + amount
    bank.t.payments.put({ ...payment, amount_refunded, refunded: amount_refunded === payment.amount })
  }
  return bank.t.payment_refunds.put({
    id: refund,
    object: 'refund',
    amount,
    balance_transaction: row.id,
    charge: id,
    created: row.created,
    currency,
    customer: null,
    customer_account: null,
    metadata: {},
    payment_intent: null,
    payment_method: null,
    reason: null,
    receipt_number: null,
    source_transfer_reversal: null,
    status: 'succeeded',
    transfer_reversal: null,
    _account: destination.id,
    _clock: destination._clock,
  })
}
