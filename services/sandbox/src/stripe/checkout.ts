import type { Bank, Obj } from './bank.ts'
import { attach, behaviourOf, cardError, createPaymentMethod } from './cards.ts'
import { checkedDiscount, details } from './checkout-session.ts'
import { totalsOf } from './checkout-totals.ts'
import { createCustomer, updateCustomer } from './customers.ts'
import { cartOf, count, redeemable } from './discounts.ts'
import { wrong } from './errors.ts'
import { mergeMetadata, type Params, text } from './form.ts'
import { confirmIntent, createIntent } from './payments.ts'
import { createSetupIntent } from './setup.ts'
import { createSubscription } from './subscriptions.ts'
import { createTaxId, taxIdForm } from './tax/ids.ts'
import { taxFact } from './tax/lines.ts'
import { isLocated, placeOf } from './tax/rates.ts'

export type Filled = {
  email?: string | null
  name?: string | null
  number?: string | null
  promotion?: string | null
  address?: { country: string | null; postal_code?: string | null; state?: string | null } | null
  tax_id?: { type: string; value: string } | null
  authenticated?: boolean
}
export type Outcome = { session: Obj; state: 'complete' | 'authenticate' }

/** Presses the button of the checkout: the card is saved or charged, and what was bought comes to be. Throws what the person should read. */
export function completeSession(bank: Bank, session: Obj, filled: Filled): Outcome {
  if (session.status !== 'open')
    throw wrong(
      session.status === 'complete' ? 'This checkout is already complete.' : 'This checkout has expired.',
      undefined,
      'checkout_session_closed',
    )
  const priced = placed(bank, filled.promotion ? applyPromotion(bank, session, filled.promotion) : session, filled)
  const email = filled.email || priced.customer_details?.email
  if (!priced.customer && !email) throw wrong('Enter your email address.', 'email')
  const free = priced.amount_total === 0 && priced.mode !== 'setup'
  const needsCard = !free || priced.payment_method_collection === 'always'
  if (needsCard && !filled.number) throw wrong('Your card number is incomplete.', 'number', 'incomplete_number')
  const method = needsCard
    ? createPaymentMethod(bank, {
        card: { number: filled.number },
        billing_details: { email, name: filled.name, ...(filled.address && { address: filled.address }) },
      })
    : undefined
  const { setup, charge, action } = behaviourOf(method)
  const refusal = free || priced.mode === 'setup' ? setup : (setup ?? charge)
  if (method && refusal) {
    bank.fact('checkout_declined', { session: priced.id, code: refusal.code, amount: priced.amount_total })
    // A payment that fails leaves its failed charge behind, as at Stripe.
    if (priced.mode === 'payment') failedAttempt(bank, priced, method.id)
    throw cardError(refusal)
  }
  if (action && !filled.authenticated)
    return { session: bank.t.checkout_sessions.put({ ...priced, _filled: filled }), state: 'authenticate' }
  const known = priced.customer ? bank.find('customers', priced.customer) : undefined
  const wantsCustomer = known || priced.mode !== 'payment' || priced.customer_creation === 'always'
  const customer = buyerOf(bank, priced, known, wantsCustomer ? { email, name: filled.name ?? '' } : null, filled)
  if (customer && method) attach(bank, method, customer)
  const finish = { subscription: subscribe, payment: pay, setup: save }[priced.mode as 'subscription' | 'payment' | 'setup']
  const bought = finish(bank, priced, customer, method?.id ?? null)
  const done = bank.t.checkout_sessions.put({
    ...priced,
    ...bought,
    status: 'complete',
    url: null,
    customer: customer?.id ?? null,
    customer_details: details(
      email ?? customer?.email ?? null,
      filled.name ?? customer?.name ?? null,
      priced._place,
      filled.address ?? customer?.address ?? null,
    ),
    collected_information: { business_name: null, individual_name: null, shipping_details: null },
    _filled: undefined,
  })
  bank.fact('checkout', {
    session: done.id,
    mode: done.mode,
    amount: done.amount_total,
    currency: done.currency,
    customer: done.customer,
    client_reference_id: done.client_reference_id,
    metadata: done.metadata,
  })
  bank.emit('checkout.session.completed', done)
  return { session: done, state: 'complete' }
}

/** The checkout with what the tax is at the address that was filled in. */
function placed(bank: Bank, session: Obj, { address, tax_id }: Filled): Obj {
  if (tax_id && !session.tax_id_collection?.enabled) throw wrong('This checkout takes no tax numbers.', 'tax_id')
  if (!session.automatic_tax.enabled) return session
  const customer = session.customer ? bank.find('customers', session.customer) : null
  const before = placeOf(bank, customer, address ? { address } : {})
  const place = tax_id ? { ...before, ids: [...before.ids, taxIdForm(tax_id)] } : before
  if (!isLocated(place))
    throw wrong('Enter your country, and in the United States your postal code.', 'address', 'customer_tax_location_invalid')
  const { _line_items: items, discounts, _trial: trial } = session
  return bank.t.checkout_sessions.put({ ...session, ...totalsOf(bank, { items, discounts, trial, automatic: true, place }) })
}

/** The customer who buys: made now where there was none, with the address and tax number that were filled in. */
function buyerOf(
  bank: Bank,
  session: Obj,
  known: Obj | undefined,
  made: Params | null,
  { address, tax_id, name }: Filled,
): Obj | undefined {
  const update = session._customer_update as Params
  const customer = known
    ? address && update.address === 'auto'
      ? updateCustomer(bank, known, { address, ...(update.name === 'auto' && name && { name }) })
      : known
    : made
      ? createCustomer(bank, { ...made, ...(address && { address }) })
      : undefined
  if (customer && tax_id) createTaxId(bank, customer, tax_id)
  return customer
}

function subscribe(bank: Bank, session: Obj, customer: Obj | undefined, method: string | null) {
  const data = session._subscription_data as Params
  const subscription = createSubscription(
    bank,
    {
      ...data,
      ...(session.automatic_tax.enabled && { automatic_tax: { enabled: 'true' } }),
      customer: customer!.id,
      items: session._line_items.map((item: Obj) => ({ price: item.price.id, quantity: item.quantity })),
      ...(method && { default_payment_method: method }),
      ...(session.discounts.length > 0 && {
        discounts: session.discounts.map(({ coupon, promotion_code }: Params) => (promotion_code ? { promotion_code } : { coupon })),
      }),
    },
    { checkoutSession: session.id, offSession: false, authenticated: true },
  )
  const trial = subscription.status === 'trialing'
  return {
    subscription: subscription.id,
    invoice: subscription.latest_invoice,
    payment_status: trial || session.amount_total === 0 ? (trial ? 'no_payment_required' : 'paid') : 'paid',
  }
}

const intentFor = (bank: Bank, session: Obj, customer: string | null, method: string) => {
  const data = session._payment_intent_data as Params
  return createIntent(bank, {
    amount: session.amount_total,
    currency: session.currency,
    customer,
    payment_method: method,
    description: text(data.description),
    metadata: mergeMetadata({}, data.metadata),
    receipt_email: text(data.receipt_email),
    setup_future_usage: text(data.setup_future_usage),
    transfer_group: text(data.transfer_group),
    clock: customer ? (bank.t.customers.get(customer)?.test_clock ?? null) : null,
  })
}

function pay(bank: Bank, session: Obj, customer: Obj | undefined, method: string | null) {
  for (const each of session.discounts as Params[]) {
    const given = each.promotion_code ? { promotion_code: each.promotion_code } : { coupon: each.coupon }
    const { coupon, promotion } = redeemable(bank, given, customer?.id ?? null, cartOf(session._line_items), bank.now(customer?.test_clock))
    count(bank, coupon, promotion)
  }
  if (!method) return { payment_status: 'no_payment_required' }
  const intent = session.payment_intent
    ? bank.t.payment_intents.put({
        ...bank.find('payment_intents', session.payment_intent),
        payment_method: method,
        customer: customer?.id ?? null,
      })
    : intentFor(bank, session, customer?.id ?? null, method)
  const done = confirmIntent(bank, intent, { authenticated: true })
  if (session._place) {
    const { id, currency, _place: place, _taxes: taxes, amount_total: total } = session
    bank.t.charges.put({ ...bank.find('charges', done.latest_charge), _tax: { place, taxes, total } })
    taxFact(bank, { session: id, charge: done.latest_charge, customer: customer?.id ?? null }, place, currency, taxes)
  }
  return { payment_intent: done.id, payment_status: 'paid' }
}

function failedAttempt(bank: Bank, session: Obj, method: string) {
  const intent = session.payment_intent
    ? bank.t.payment_intents.put({ ...bank.find('payment_intents', session.payment_intent), payment_method: method })
    : intentFor(bank, session, session.customer, method)
  bank.t.checkout_sessions.put({ ...session, payment_intent: intent.id })
  confirmIntent(bank, intent, { authenticated: true })
}

function save(bank: Bank, _session: Obj, customer: Obj | undefined, method: string | null) {
  const intent = createSetupIntent(bank, { customer: customer!.id, payment_method: method, confirm: 'true' })
  updateCustomer(bank, customer!, { invoice_settings: { default_payment_method: method } })
  return { setup_intent: intent.id, payment_status: 'no_payment_required' }
}

/** A code typed into the page, where the session allows it. */
function applyPromotion(bank: Bank, session: Obj, code: string): Obj {
  if (!session.allow_promotion_codes) throw wrong('This checkout takes no promotion codes.', 'promotion')
  const found = bank.t.promotion_codes.all().find((each) => each.active && each.code.toLowerCase() === code.trim().toLowerCase())
  if (!found) throw wrong('This code is invalid.', 'promotion')
  const checked = checkedDiscount(bank, { promotion_code: found.id }, session.customer, cartOf(session._line_items), bank.now())
  const { _line_items: items, _trial: trial, automatic_tax, _place: place } = session
  const totals = totalsOf(bank, { items, discounts: [checked], trial, automatic: automatic_tax.enabled, place })
  return bank.t.checkout_sessions.put({ ...session, discounts: [checked], ...totals })
}

export function expireSession(bank: Bank, session: Obj): Obj {
  if (session.status !== 'open')
    throw wrong('Only Checkout Sessions with a status in ["open"] can be expired.', undefined, 'checkout_session_not_open')
  const over = bank.t.checkout_sessions.put({ ...session, status: 'expired', url: null })
  bank.emit('checkout.session.expired', over)
  return over
}

export const successUrl = (session: Obj) => String(session.success_url).replaceAll('{CHECKOUT_SESSION_ID}', session.id)
