import type { Bank, Obj } from './bank.ts'
import { AUTHENTICATION, attach, behaviourOf, CardError, cardError, methodById } from './cards.ts'
import { wrong } from './errors.ts'
import { int, mergeMetadata, type Params, text, yes } from './form.ts'

const DISPUTE_AFTER_SECONDS = 60
const DISPUTE_FEE_CENTS = 1500
const feeOf = (amount: number) => Math.round(amount * 0.029) + 30

type IntentInput = {
  amount: number
  currency: string
  customer: string | null
  payment_method: string | null
  description?: string | null
  metadata?: Record<string, string>
  invoice?: string
  receipt_email?: string | null
  setup_future_usage?: string | null
  payment_method_types?: string[]
  clock?: string | null
}

export function createIntent(bank: Bank, input: IntentInput): Obj {
  const id = bank.id('payment_intents')
  const intent = bank.t.payment_intents.put({
    id,
    object: 'payment_intent',
    allowed_payment_method_types: null,
    amount: input.amount,
    amount_capturable: 0,
    amount_details: { tip: {} },
    amount_received: 0,
    application: null,
    application_fee_amount: null,
    automatic_payment_methods: null,
    canceled_at: null,
    cancellation_reason: null,
    capture_method: 'automatic',
    client_secret: `${id}_secret_${bank.state.id('s', 24).slice(2)}`,
    confirmation_method: 'automatic',
    created: bank.now(input.clock),
    currency: input.currency,
    customer: input.customer,
    customer_account: null,
    description: input.description ?? null,
    excluded_payment_method_types: null,
    last_payment_error: null,
    latest_charge: null,
    livemode: false,
    managed_payments: null,
    metadata: input.metadata ?? {},
    next_action: null,
    on_behalf_of: null,
    payment_method: input.payment_method,
    payment_method_configuration_details: null,
    payment_method_options: { card: { installments: null, mandate_options: null, network: null, request_three_d_secure: 'automatic' } },
    payment_method_types: input.payment_method_types ?? ['card'],
    payment_record: null,
    processing: null,
    receipt_email: input.receipt_email ?? null,
    review: null,
    setup_future_usage: input.setup_future_usage ?? null,
    shipping: null,
    source: null,
    statement_descriptor: null,
    statement_descriptor_suffix: null,
    status: input.payment_method ? 'requires_confirmation' : 'requires_payment_method',
    transfer_data: null,
    transfer_group: null,
    _invoice: input.invoice ?? null,
    _clock: input.clock ?? null,
  })
  bank.emit('payment_intent.created', intent)
  return intent
}

/** `authenticated`: the person has passed 3-D Secure just now, or the card was saved after it and is charged later. */
export function confirmIntent(bank: Bank, intent: Obj, options: { offSession?: boolean; authenticated?: boolean }): Obj {
  if (['succeeded', 'canceled'].includes(intent.status)) {
    throw wrong(
      `You cannot confirm this PaymentIntent because it has a status of ${intent.status}.`,
      undefined,
      'payment_intent_unexpected_state',
    )
  }
  const method = intent.payment_method ? bank.t.payment_methods.get(intent.payment_method) : undefined
  if (!method)
    throw wrong(
      "You cannot confirm this PaymentIntent because it's missing a payment method.",
      undefined,
      'payment_intent_unexpected_state',
    )
  const { charge: decline, action } = behaviourOf(method)
  const asks = action === 'always' || (action === 'first' && !options.offSession)
  if (asks && !options.authenticated) {
    if (options.offSession) return fail(bank, intent, method, AUTHENTICATION)
    const waiting = bank.t.payment_intents.put({
      ...intent,
      status: 'requires_action',
      next_action: {
        type: 'redirect_to_url',
        redirect_to_url: { return_url: null, url: `${bank.publicUrl}/sandbox/stripe/authenticate/${intent.id}` },
      },
    })
    bank.emit('payment_intent.requires_action', waiting)
    return waiting
  }
  return decline ? fail(bank, intent, method, decline) : succeed(bank, intent, method)
}

function succeed(bank: Bank, intent: Obj, method: Obj): Obj {
  const charge = makeCharge(bank, intent, method, null)
  const moved = bank.t.balance_transactions.put(
    balanceRow(bank, {
      amount: intent.amount,
      fee: feeOf(intent.amount),
      currency: intent.currency,
      source: charge.id,
      type: 'charge',
      clock: intent._clock,
      description: intent.description,
    }),
  )
  const paid = bank.t.charges.put({ ...charge, balance_transaction: moved.id })
  const done = bank.t.payment_intents.put({
    ...intent,
    status: 'succeeded',
    amount_received: intent.amount,
    latest_charge: paid.id,
    last_payment_error: null,
    next_action: null,
  })
  bank.fact('charge', {
    charge: paid.id,
    payment_intent: intent.id,
    amount: intent.amount,
    currency: intent.currency,
    fee: moved.fee,
    customer: intent.customer,
    invoice: intent._invoice,
    metadata: intent.metadata,
  })
  bank.emit('charge.succeeded', paid)
  bank.emit('payment_intent.succeeded', done)
  return done
}

function fail(bank: Bank, intent: Obj, method: Obj, decline: { code: string; decline_code?: string; message: string }): Obj {
  const charge = makeCharge(bank, intent, method, decline)
  const { code, decline_code, message } = decline
  const failed = bank.t.payment_intents.put({
    ...intent,
    status: 'requires_payment_method',
    payment_method: null,
    latest_charge: charge.id,
    next_action: null,
    last_payment_error: {
      type: 'card_error',
      code,
      ...(decline_code && { decline_code }),
      message,
      charge: charge.id,
      payment_method: method,
    },
  })
  bank.fact('charge_failed', {
    charge: charge.id,
    payment_intent: intent.id,
    amount: intent.amount,
    currency: intent.currency,
    code,
    invoice: intent._invoice,
    metadata: intent.metadata,
  })
  bank.emit('charge.failed', charge)
  bank.emit('payment_intent.payment_failed', failed)
  return failed
}

function makeCharge(bank: Bank, intent: Obj, method: Obj, decline: { code: string; message: string } | null): Obj {
  const id = bank.id('charges')
  return bank.t.charges.put({
    id,
    object: 'charge',
    amount: intent.amount,
    amount_captured: decline ? 0 : intent.amount,
    amount_refunded: 0,
    application: null,
    application_fee: null,
    application_fee_amount: null,
    balance_transaction: null,
    billing_details: method.billing_details,
    calculated_statement_descriptor: 'OPERON SANDBOX',
    captured: !decline,
    created: bank.now(intent._clock),
    currency: intent.currency,
    customer: intent.customer,
    description: intent.description,
    disputed: false,
    failure_balance_transaction: null,
    failure_code: decline?.code ?? null,
    failure_message: decline?.message ?? null,
    fraud_details: {},
    livemode: false,
    metadata: intent.metadata,
    on_behalf_of: null,
    outcome: {
      advice_code: null,
      network_advice_code: null,
      network_decline_code: null,
      network_status: decline ? 'declined_by_network' : 'approved_by_network',
      reason: decline?.code ?? null,
      risk_level: 'normal',
      risk_score: 20,
      seller_message: decline ? 'The bank did not return any further details with this decline.' : 'Payment complete.',
      type: decline ? 'issuer_declined' : 'authorized',
    },
    paid: !decline,
    payment_intent: intent.id,
    payment_method: method.id,
    payment_method_details: {
      card: {
        ...method.card,
        amount_authorized: intent.amount,
        authorization_code: null,
        extended_authorization: { status: 'disabled' },
        incremental_authorization: { status: 'unavailable' },
        installments: null,
        mandate: null,
        multicapture: { status: 'unavailable' },
        network: method.card.brand,
        network_token: { used: false },
        overcapture: { maximum_amount_capturable: intent.amount, status: 'unavailable' },
        three_d_secure: null,
      },
      type: 'card',
    },
    radar_options: {},
    receipt_email: intent.receipt_email,
    receipt_number: null,
    receipt_url: decline ? null : `${bank.publicUrl}/sandbox/stripe/receipt/${id}`,
    refunded: false,
    review: null,
    shipping: null,
    source: null,
    source_transfer: null,
    statement_descriptor: null,
    statement_descriptor_suffix: null,
    status: decline ? 'failed' : 'succeeded',
    transfer_data: null,
    transfer_group: null,
    _dispute_at: !decline && behaviourOf(method).disputed ? bank.now(intent._clock) + DISPUTE_AFTER_SECONDS : null,
    _clock: intent._clock,
  })
}

type Movement = {
  amount: number
  fee: number
  currency: string
  source: string
  type: string
  clock?: string | null
  description?: string | null
}
function balanceRow(bank: Bank, { amount, fee, currency, source, type, clock, description }: Movement): Obj {
  const created = bank.now(clock)
  return {
    id: bank.id('balance_transactions'),
    object: 'balance_transaction',
    amount,
    available_on: created + 2 * 86400,
    balance_type: 'payments',
    created,
    currency,
    description: description ?? null,
    exchange_rate: null,
    fee,
    fee_details: fee === 0 ? [] : [{ amount: fee, application: null, currency, description: 'Stripe processing fees', type: 'stripe_fee' }],
    net: amount - fee,
    reporting_category: type === 'adjustment' ? 'dispute' : type,
    source,
    status: 'pending',
    type,
  }
}

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
  const moved = bank.t.balance_transactions.put(
    balanceRow(bank, { amount: -amount, fee: 0, currency: charge.currency, source: id, type: 'refund', clock: charge._clock }),
  )
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
  bank.emit('refund.created', refund)
  bank.emit('charge.refunded', changed, { amount_refunded: charge.amount_refunded })
  return refund
}

const wonBack = (bank: Bank, charge: Obj) => bank.t.disputes.all().every((each) => each.charge !== charge.id || each.status === 'won')

export function createDispute(bank: Bank, charge: Obj, reason = 'fraudulent'): Obj {
  if (charge.disputed || charge.status !== 'succeeded') throw wrong('This charge cannot be disputed.', 'charge')
  const id = bank.id('disputes')
  const amount = charge.amount - charge.amount_refunded
  const moved = bank.t.balance_transactions.put(
    balanceRow(bank, {
      amount: -amount,
      fee: DISPUTE_FEE_CENTS,
      currency: charge.currency,
      source: id,
      type: 'adjustment',
      clock: charge._clock,
      description: `Chargeback withdrawal for ${charge.id}`,
    }),
  )
  const created = bank.now(charge._clock)
  const dispute = bank.t.disputes.put({
    id,
    object: 'dispute',
    amount,
    balance_transactions: [moved],
    charge: charge.id,
    created,
    currency: charge.currency,
    enhanced_eligibility_types: [],
    evidence: {},
    evidence_details: { due_by: created + 7 * 86400, enhanced_eligibility: {}, has_evidence: false, past_due: false, submission_count: 0 },
    intended_submission_method: null,
    is_charge_refundable: false,
    livemode: false,
    metadata: {},
    payment_intent: charge.payment_intent,
    payment_method_details: {
      card: { brand: charge.payment_method_details.card.brand, case_type: 'chargeback', network_reason_code: '10.4' },
      type: 'card',
    },
    reason,
    status: 'needs_response',
  })
  bank.t.charges.put({ ...charge, disputed: true, _dispute_at: null })
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
  if (['won', 'lost'].includes(dispute.status)) throw wrong('This dispute is already closed.', 'dispute')
  const charge = bank.find('charges', dispute.charge)
  const back = won
    ? [
        bank.t.balance_transactions.put(
          balanceRow(bank, {
            amount: dispute.amount,
            fee: -DISPUTE_FEE_CENTS,
            currency: dispute.currency,
            source: dispute.id,
            type: 'adjustment',
            clock: charge._clock,
            description: `Chargeback reversal for ${charge.id}`,
          }),
        ),
      ]
    : []
  const closed = bank.t.disputes.put({
    ...dispute,
    status: won ? 'won' : 'lost',
    balance_transactions: [...dispute.balance_transactions, ...back],
  })
  bank.fact('dispute_closed', { dispute: dispute.id, charge: charge.id, amount: dispute.amount, won })
  if (won) bank.emit('charge.dispute.funds_reinstated', closed)
  bank.emit('charge.dispute.closed', closed)
  return closed
}

/** `POST /v1/payment_intents`, with `confirm` in one call. */
export function postIntent(bank: Bank, params: Params): Obj {
  const amount = int(params.amount)
  if (params.amount === undefined) throw wrong('Missing required param: amount.', 'amount', 'parameter_missing')
  if (!params.currency) throw wrong('Missing required param: currency.', 'currency', 'parameter_missing')
  if (amount < 50) throw wrong('Amount must be at least $0.50 usd', 'amount', 'amount_too_small')
  const customer = params.customer ? bank.find('customers', params.customer, 'customer') : undefined
  const method = params.payment_method ? methodById(bank, params.payment_method) : undefined
  const intent = createIntent(bank, {
    amount,
    currency: String(params.currency).toLowerCase(),
    customer: customer?.id ?? null,
    payment_method: method?.id ?? null,
    description: text(params.description),
    metadata: mergeMetadata({}, params.metadata),
    receipt_email: text(params.receipt_email),
    setup_future_usage: text(params.setup_future_usage),
    clock: customer?.test_clock ?? null,
  })
  return yes(params.confirm) ? confirmOrThrow(bank, intent, params) : intent
}

/** On the API a decline is an error that carries the intent. */
export function confirmOrThrow(bank: Bank, intent: Obj, params: Params): Obj {
  const method = params.payment_method ? methodById(bank, params.payment_method) : undefined
  const ready = method ? bank.t.payment_intents.put({ ...intent, payment_method: method.id }) : intent
  const done = confirmIntent(bank, ready, { offSession: yes(params.off_session) })
  if (done.last_payment_error && done.status === 'requires_payment_method') {
    const { code, decline_code, message } = done.last_payment_error
    throw cardError({ code, decline_code, message }, { payment_intent: done, charge: done.latest_charge })
  }
  return done
}

export function createSetupIntent(bank: Bank, params: Params): Obj {
  const customer = params.customer ? bank.find('customers', params.customer, 'customer') : undefined
  const method = params.payment_method ? methodById(bank, params.payment_method) : undefined
  const id = bank.id('setup_intents')
  const intent = bank.t.setup_intents.put({
    id,
    object: 'setup_intent',
    allowed_payment_method_types: null,
    application: null,
    automatic_payment_methods: null,
    cancellation_reason: null,
    client_secret: `${id}_secret_${bank.state.id('s', 24).slice(2)}`,
    created: bank.now(customer?.test_clock),
    customer: customer?.id ?? null,
    description: text(params.description),
    excluded_payment_method_types: null,
    flow_directions: null,
    last_setup_error: null,
    latest_attempt: null,
    livemode: false,
    mandate: null,
    metadata: mergeMetadata({}, params.metadata),
    next_action: null,
    on_behalf_of: null,
    payment_method: method?.id ?? null,
    payment_method_configuration_details: null,
    payment_method_options: { card: { mandate_options: null, network: null, request_three_d_secure: 'automatic' } },
    payment_method_types: ['card'],
    single_use_mandate: null,
    status: method ? 'requires_confirmation' : 'requires_payment_method',
    usage: params.usage ?? 'off_session',
  })
  bank.emit('setup_intent.created', intent)
  return yes(params.confirm) ? confirmSetup(bank, intent, params) : intent
}

export function confirmSetup(bank: Bank, intent: Obj, params: Params): Obj {
  const method = params.payment_method
    ? methodById(bank, params.payment_method)
    : bank.find('payment_methods', intent.payment_method, 'payment_method')
  const customer = intent.customer ? bank.find('customers', intent.customer) : undefined
  try {
    if (customer) attach(bank, method, customer)
  } catch (error) {
    if (!(error instanceof CardError)) throw error
    const { code, decline_code } = error.details
    const failed = bank.t.setup_intents.put({
      ...intent,
      last_setup_error: { type: 'card_error', code, decline_code, message: error.message },
    })
    bank.emit('setup_intent.setup_failed', failed)
    throw error
  }
  const done = bank.t.setup_intents.put({ ...intent, payment_method: method.id, status: 'succeeded' })
  bank.emit('setup_intent.succeeded', done)
  return done
}
