import type { Bank, Obj } from './bank.ts'
import { wrong } from './errors.ts'
import { move } from './movements.ts'

const DISPUTE_FEE_CENTS = 1500
const noEvidence = {
  access_activity_log: null,
  billing_address: null,
  cancellation_policy: null,
  cancellation_policy_disclosure: null,
  cancellation_rebuttal: null,
  customer_communication: null,
  customer_email_address: null,
  customer_name: null,
  customer_purchase_ip: null,
  customer_signature: null,
  duplicate_charge_documentation: null,
  duplicate_charge_explanation: null,
  duplicate_charge_id: null,
  enhanced_evidence: {},
  product_description: null,
  receipt: null,
  refund_policy: null,
  refund_policy_disclosure: null,
  refund_refusal_explanation: null,
  service_date: null,
  service_documentation: null,
  shipping_address: null,
  shipping_carrier: null,
  shipping_date: null,
  shipping_documentation: null,
  shipping_tracking_number: null,
  uncategorized_file: null,
  uncategorized_text: null,
}

export const wonBack = (bank: Bank, charge: Obj) =>
  bank.t.disputes.all().every((each) => each.charge !== charge.id || each.status === 'won' || isInquiry(each))

export const isInquiry = ({ status }: Obj) => status.startsWith('warning')

/** A bank that exchanges currencies may take more or less than was paid; one that only inquires takes nothing. */
export function createDispute(bank: Bank, charge: Obj, reason = 'fraudulent', taken?: number, inquires = false): Obj {
  if (charge.disputed || charge.status !== 'succeeded') throw wrong('This charge cannot be disputed.', 'charge')
  const id = bank.id('disputes')
  const amount = taken ?? charge.amount - charge.amount_refunded
  const moved = () =>
    move(bank, {
      amount: -amount,
      fee: DISPUTE_FEE_CENTS,
      currency: charge.currency,
      source: id,
      type: 'adjustment',
      clock: charge._clock,
      description: `Chargeback withdrawal for ${charge.id}`,
    })
  const created = bank.now(charge._clock)
  const dispute = bank.t.disputes.put({
    id,
    object: 'dispute',
    amount,
    balance_transactions: inquires ? [] : [moved()],
    charge: charge.id,
    created,
    currency: charge.currency,
    enhanced_eligibility_types: [],
    evidence: noEvidence,
    evidence_details: {
      due_by: created + 7 * 86400,
      enhanced_eligibility: {},
      has_evidence: false,
      past_due: false,
      submission_count: 0,
      submission_method: 'not_submitted',
    },
    intended_submission_method: null,
    is_charge_refundable: inquires,
    livemode: false,
    metadata: {},
    payment_intent: charge.payment_intent,
    payment_method_details: {
      card: {
        brand: charge.payment_method_details.card.brand,
        case_type: inquires ? 'inquiry' : 'chargeback',
        network: charge.payment_method_details.card.network,
        network_reason_code: '10.4',
      },
      type: 'card',
    },
    reason,
    status: inquires ? 'warning_needs_response' : 'needs_response',
  })
  bank.t.charges.put({ ...charge, disputed: true, _dispute_at: null })
  if (inquires) {
    bank.emit('charge.dispute.created', dispute)
    return dispute
  }
  bank.fact('dispute', {
    dispute: id,
    charge: charge.id,
    payment_intent: charge.payment_intent,
    amount,
    currency: charge.currency,
    fee: DISPUTE_FEE_CENTS,
  })
  bank.emit('charge.dispute.created', dispute)
  bank.emit('charge.dispute.funds_withdrawn', dispute)
  return dispute
}

/** Evidence that says `winning_evidence` or `losing_evidence` decides it, as in Stripe's test mode; closing loses it. */
export function closeDispute(bank: Bank, dispute: Obj, won: boolean): Obj {
  if (['won', 'lost', 'warning_closed'].includes(dispute.status)) throw wrong('This dispute is already closed.', 'dispute')
  if (isInquiry(dispute)) {
    const letGo = bank.t.disputes.put({ ...dispute, status: 'warning_closed' })
    bank.emit('charge.dispute.closed', letGo)
    return letGo
  }
  const charge = bank.find('charges', dispute.charge)
  const back = won
    ? [
        move(bank, {
          amount: dispute.amount,
          fee: -DISPUTE_FEE_CENTS,
          currency: dispute.currency,
          source: dispute.id,
          type: 'adjustment',
          clock: charge._clock,
          description: `Chargeback reversal for ${charge.id}`,
        }),
      ]
    : []
  const closed = bank.t.disputes.put({
    ...dispute,
    status: won ? 'won' : 'lost',
    balance_transactions: [...dispute.balance_transactions, ...back],
  })
  const { amount, currency } = dispute
  bank.fact('dispute_closed', { dispute: dispute.id, charge: charge.id, amount, currency, won, fee_returned: won ? DISPUTE_FEE_CENTS : 0 })
  if (won) bank.emit('charge.dispute.funds_reinstated', closed)
  bank.emit('charge.dispute.closed', closed)
  return closed
}
