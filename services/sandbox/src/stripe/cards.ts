import { createHash } from 'node:crypto'
import type { Bank, Obj } from './bank.ts'
import { StripeError, wrong } from './errors.ts'
import { type Params, text } from './form.ts'
import { addressOf } from './tax/calculations.ts'

/** How a test card behaves. `setup` is when it is saved, `charge` when it is charged. */
type Behaviour = { setup?: Decline; charge?: Decline; action?: 'first' | 'always'; disputed?: true; refundFails?: true }
type Decline = { code: string; decline_code?: string; message: string }

const declined = (decline_code: string, code = 'card_declined', message = 'Your card was declined.'): Decline => ({
  code,
  decline_code,
  message,
})
const refuses = (decline: Decline): Behaviour => ({ setup: decline, charge: decline })

type Card = { number: string; token: string; behaviour: Behaviour; label?: string }
export const cards: Card[] = [
  { number: '4242424242424242', token: 'visa', behaviour: {}, label: 'Succeeds' },
  { number: '4000000000000002', token: 'chargeDeclined', behaviour: refuses(declined('generic_decline')), label: 'Is declined' },
  { number: '4000000000003220', token: 'threeDSecure2Required', behaviour: { action: 'first' }, label: 'Asks for 3-D Secure' },
  {
    number: '4000002500003155',
    token: 'authenticationRequiredOnSetup',
    behaviour: { action: 'first' },
    label: 'Asks for 3-D Secure, once',
  },
  { number: '4000002760003184', token: 'authenticationRequired', behaviour: { action: 'always' }, label: 'Asks for 3-D Secure every time' },
  {
    number: '4000000000000341',
    token: 'chargeCustomerFail',
    behaviour: { charge: declined('generic_decline') },
    label: 'Saves, then fails when charged',
  },
  { number: '4000000000000259', token: 'createDispute', behaviour: { disputed: true }, label: 'Succeeds, disputed a minute later' },
  {
    number: '4000000000005126',
    token: 'refundFail',
    behaviour: { refundFails: true },
    label: 'Succeeds, a refund comes back a minute later',
  },
  {
    number: '4000000000009995',
    token: 'chargeDeclinedInsufficientFunds',
    behaviour: refuses(declined('insufficient_funds', 'card_declined', 'Your card has insufficient funds.')),
    label: 'Has insufficient funds',
  },
  {
    number: '4000000000000069',
    token: 'chargeDeclinedExpiredCard',
    behaviour: refuses({ code: 'expired_card', message: 'Your card has expired.' }),
  },
  {
    number: '4000000000000127',
    token: 'chargeDeclinedIncorrectCvc',
    behaviour: refuses({ code: 'incorrect_cvc', message: "Your card's security code is incorrect." }),
  },
  {
    number: '4000000000000119',
    token: 'chargeDeclinedProcessingError',
    behaviour: refuses({ code: 'processing_error', message: 'An error occurred while processing your card. Try again in a little bit.' }),
  },
  { number: '5555555555554444', token: 'mastercard', behaviour: {} },
  { number: '378282246310005', token: 'amex', behaviour: {} },
]

export const AUTHENTICATION: Decline = {
  code: 'authentication_required',
  decline_code: 'authentication_required',
  message: 'Your card was declined. This transaction requires authentication.',
}

export const behaviourOf = (method: Obj | undefined): Behaviour => cards.find((card) => card.number === method?._number)?.behaviour ?? {}

/** Only test numbers are taken: a real one must never be kept here. */
function cardNumber(typed: string): string {
  const number = typed.replace(/[\s-]/g, '')
  if (cards.some((card) => card.number === number)) return number
  throw wrong(
    'Your card was declined. Your request was in test mode, but used a non test card. Use one of the test cards listed on this page.',
    'number',
    'card_declined',
  )
}

/** `pm_card_visa`, `tok_chargeDeclined`, or a whole number. */
function numberOfToken(token: string): string | undefined {
  const name = token.replace(/^(pm_card_|tok_)/, '').replace(/^visa_/, '')
  return cards.find((card) => card.token === name)?.number
}

export function createPaymentMethod(bank: Bank, params: Params): Obj {
  const token = text(params.card?.token)
  const number = token ? numberOfToken(token) : params.card?.number ? cardNumber(params.card.number) : undefined
  if (!number) throw wrong('Missing required param: card.', 'card', 'parameter_missing')
  return makeMethod(bank, number, params)
}

/** Test methods such as `pm_card_visa` are made when they are first used. */
export function methodById(bank: Bank, id: string): Obj {
  const number = id.startsWith('pm_card_') ? numberOfToken(id) : undefined
  return number ? makeMethod(bank, number, {}) : bank.find('payment_methods', id, 'payment_method')
}

function makeMethod(bank: Bank, number: string, params: Params): Obj {
  const brand = number.startsWith('5') ? 'mastercard' : number.startsWith('3') ? 'amex' : 'visa'
  const { address = null, email = null, name = null, phone = null } = (params.billing_details ?? {}) as Params
  return bank.t.payment_methods.put({
    id: bank.id('payment_methods'),
    object: 'payment_method',
    allow_redisplay: 'unspecified',
    billing_details: {
      address: addressOf(address ?? {}),
      email,
      name,
      phone,
      tax_id: null,
    },
    card: {
      brand,
      checks: { address_line1_check: null, address_postal_code_check: null, cvc_check: 'pass' },
      country: 'US',
      display_brand: brand,
      exp_month: Number(params.card?.exp_month ?? 12),
      exp_year: Number(params.card?.exp_year ?? 2034),
      fingerprint: createHash('sha256').update(`${bank.state.secret}:${number}`).digest('base64url').slice(0, 16),
      funding: 'credit',
      generated_from: null,
      last4: number.slice(-4),
      networks: { available: [brand], preferred: null },
      regulated_status: 'unregulated',
      three_d_secure_usage: { supported: true },
      wallet: null,
    },
    created: bank.now(),
    customer: null,
    customer_account: null,
    livemode: false,
    metadata: params.metadata ?? {},
    type: 'card',
    _number: number,
  })
}

export function attach(bank: Bank, method: Obj, customer: Obj): Obj {
  const { setup } = behaviourOf(method)
  if (setup) throw cardError(setup, { payment_method: method.id })
  if (method.customer === customer.id) return method
  const attached = bank.t.payment_methods.put({ ...method, customer: customer.id })
  bank.emit('payment_method.attached', attached)
  return attached
}

export function detach(bank: Bank, method: Obj): Obj {
  const customer = method.customer ? bank.t.customers.get(method.customer) : undefined
  if (customer?.invoice_settings.default_payment_method === method.id) {
    bank.t.customers.put({ ...customer, invoice_settings: { ...customer.invoice_settings, default_payment_method: null } })
  }
  const detached = bank.t.payment_methods.put({ ...method, customer: null })
  bank.emit('payment_method.detached', detached, { customer: method.customer })
  return detached
}

export function cardError(decline: Decline, more: Record<string, unknown> = {}) {
  const { code, decline_code, message } = decline
  return new CardError(message, { code, ...(decline_code && { decline_code }), ...more })
}

export class CardError extends StripeError {
  constructor(message: string, details: ConstructorParameters<typeof StripeError>[2]) {
    super(402, message, { ...details, type: 'card_error' })
  }
}
