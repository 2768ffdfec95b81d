import type { Bank, Obj } from './bank.ts'
import { AUTHENTICATION, behaviourOf, cardError, methodById } from './cards.ts'
import { makeCharge } from './charges.ts'
import { wrong } from './errors.ts'
import { int, mergeMetadata, type Params, text, yes } from './form.ts'
import { feeOf, move } from './movements.ts'

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
  transfer_group?: string | null
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
    transfer_group: input.transfer_group ?? null,
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
  const moved = move(bank, {
    amount: intent.amount,
    fee: feeOf(intent.amount),
    currency: intent.currency,
    source: charge.id,
    type: 'charge',
    clock: intent._clock,
    description: intent.description,
  })
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
    transfer_group: intent.transfer_group,
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
    transfer_group: text(params.transfer_group),
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
