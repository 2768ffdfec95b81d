import type { Bank, Obj } from './bank.ts'
import { attach, CardError, methodById } from './cards.ts'
import { mergeMetadata, type Params, text, yes } from './form.ts'

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
