import { type Bank, list, type Obj } from './bank.ts'
import { attach, behaviourOf, cardError, createPaymentMethod } from './cards.ts'
import { createPrice } from './catalog.ts'
import { demandTaxParameters, totalsOf } from './checkout-totals.ts'
import { createCustomer, updateCustomer } from './customers.ts'
import { type Cart, cartOf, count, redeemable } from './discounts.ts'
import { required, wrong } from './errors.ts'
import { int, mergeMetadata, type Params, text, yes } from './form.ts'
import { confirmIntent, createIntent } from './payments.ts'
import { createSetupIntent } from './setup.ts'
import { createSubscription } from './subscriptions.ts'
import { addressOf } from './tax/calculations.ts'
import { createTaxId, taxIdForm } from './tax/ids.ts'
import { taxFact } from './tax/lines.ts'
import { isLocated, type Place, placeOf } from './tax/rates.ts'

const DAY = 86_400

export function createSession(bank: Bank, params: Params): Obj {
  const mode: string = params.mode ?? 'payment'
  if (params.ui_mode && !['hosted', 'hosted_page'].includes(params.ui_mode))
    throw wrong('The sandbox has hosted checkout pages only.', 'ui_mode')
  if (!params.success_url) throw required('success_url')
  if (mode !== 'setup' && !params.line_items?.length) throw required('line_items')
  const customer = params.customer ? bank.find('customers', params.customer, 'customer') : null
  const at = bank.now(customer?.test_clock)
  const items = ((params.line_items ?? []) as Params[]).map((item, index) => lineItem(bank, item, mode, index))
  const discounts = ((params.discounts || []) as Params[]).map((each) =>
    checkedDiscount(bank, each, customer?.id ?? null, cartOf(items), at),
  )
  const trial = int(params.subscription_data?.trial_period_days) > 0 || Boolean(params.subscription_data?.trial_end)
  const automatic = yes(params.automatic_tax?.enabled)
  const place = customer ? placeOf(bank, customer) : null
  demandTaxParameters(params, customer, place)
  const id = bank.id('checkout_sessions', '_test')
  const session = bank.t.checkout_sessions.put({
    id,
    object: 'checkout.session',
    adaptive_pricing: { enabled: false },
    after_expiration: null,
    allow_promotion_codes: params.allow_promotion_codes === undefined ? null : yes(params.allow_promotion_codes),
    allowed_payment_method_types: null,
    billing_address_collection: text(params.billing_address_collection),
    cancel_url: text(params.cancel_url),
    client_reference_id: text(params.client_reference_id),
    client_secret: null,
    collected_information: null,
    consent: null,
    consent_collection: null,
    created: at,
    currency: items[0]?.currency ?? text(params.currency) ?? 'usd',
    currency_conversion: null,
    custom_fields: [],
    custom_text: { after_submit: null, shipping_address: null, submit: null, terms_of_service_acceptance: null },
    customer: customer?.id ?? null,
    customer_account: null,
    customer_creation: customer ? null : mode === 'payment' ? (params.customer_creation ?? 'if_required') : 'always',
    customer_details: customer
      ? details(customer.email, customer.name, place)
      : params.customer_email
        ? details(params.customer_email, null)
        : null,
    customer_email: text(params.customer_email),
    discounts,
    excluded_payment_method_types: [],
    expires_at: int(params.expires_at, at + DAY),
    integration_identifier: null,
    invoice: null,
    invoice_creation:
      mode === 'payment'
        ? {
            enabled: false,
            invoice_data: {
              account_tax_ids: null,
              custom_fields: null,
              description: null,
              footer: null,
              issuer: null,
              metadata: {},
              rendering_options: null,
            },
          }
        : null,
    livemode: false,
    locale: text(params.locale),
    managed_payments: null,
    metadata: mergeMetadata({}, params.metadata),
    mode,
    origin_context: null,
    payment_intent: null,
    payment_link: null,
    payment_method_collection: mode === 'subscription' ? (params.payment_method_collection ?? 'always') : 'if_required',
    payment_method_configuration_details: null,
    payment_method_options: { card: { request_three_d_secure: 'automatic' } },
    payment_method_types: params.payment_method_types ?? ['card'],
    payment_status: (mode === 'subscription' && trial) || mode === 'setup' ? 'no_payment_required' : 'unpaid',
    permissions: null,
    phone_number_collection: { enabled: false },
    recovered_from: null,
    saved_payment_method_options: null,
    setup_intent: null,
    shipping_address_collection: null,
    shipping_cost: null,
    shipping_options: [],
    status: 'open',
    submit_type: null,
    subscription: null,
    success_url: params.success_url,
    ui_mode: 'hosted_page',
    url: `${bank.publicUrl}/sandbox/stripe/checkout/${id}`,
    wallet_options: null,
    ...(params.tax_id_collection && {
      tax_id_collection: { enabled: yes(params.tax_id_collection.enabled), required: params.tax_id_collection.required ?? 'never' },
    }),
    ...totalsOf(bank, { items, discounts, trial, automatic, place }),
    _customer_update: params.customer_update ?? {},
    _subscription_data: params.subscription_data ?? {},
    _payment_intent_data: params.payment_intent_data ?? {},
    _trial: trial,
  })
  return session
}

const details = (email: string | null, name: string | null, place: Place | null = null, address: Params | null = null) => ({
  address: addressOf(address),
  business_name: null,
  email,
  individual_name: null,
  name,
  phone: null,
  tax_exempt: place?.exempt ?? 'none',
  tax_ids: place?.ids ?? [],
})

function checkedDiscount(bank: Bank, given: Params, customer: string | null, cart: Cart, at: number) {
  const { coupon, promotion } = redeemable(bank, given, customer, cart, at)
  return { coupon: coupon.id, promotion_code: promotion?.id ?? null }
}

function lineItem(bank: Bank, given: Params, mode: string, index: number) {
  const price = given.price ? bank.find('prices', given.price, `line_items[${index}][price]`) : createPrice(bank, given.price_data ?? {})
  if (mode === 'payment' && price.recurring)
    throw wrong(
      'You specified `payment` mode but passed a recurring price. Either switch to `subscription` mode or use only one-time prices.',
      'mode',
    )
  const quantity = int(given.quantity, 1)
  const amount = price.unit_amount * quantity
  return {
    id: `li_${bank.state.id('x', 24).slice(2)}`,
    object: 'item',
    adjustable_quantity: null,
    amount_discount: 0,
    amount_subtotal: amount,
    amount_tax: 0,
    amount_total: amount,
    currency: price.currency as string,
    description: bank.t.products.get(price.product)?.name ?? null,
    metadata: {},
    price,
    quantity,
  }
}

export const lineItemsOf = (session: Obj) => list(`/v1/checkout/sessions/${session.id}/line_items`, session._line_items)

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
  if (!priced.customer && !email) throw wrong('Enter your e-mail address.', 'email')
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
export function applyPromotion(bank: Bank, session: Obj, code: string): Obj {
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
