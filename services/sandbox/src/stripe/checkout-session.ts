import { type Bank, list, type Obj } from './bank.ts'
import { createPrice } from './catalog.ts'
import { demandTaxParameters, totalsOf } from './checkout-totals.ts'
import { type Cart, cartOf, redeemable } from './discounts.ts'
import { required, wrong } from './errors.ts'
import { int, mergeMetadata, type Params, text, yes } from './form.ts'
import { addressOf } from './tax/calculations.ts'
import { type Place, placeOf } from './tax/rates.ts'

// A payment page as it is asked for. What happens on it: checkout.ts.

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

export const details = (email: string | null, name: string | null, place: Place | null = null, address: Params | null = null) => ({
  address: addressOf(address),
  business_name: null,
  email,
  individual_name: null,
  name,
  phone: null,
  tax_exempt: place?.exempt ?? 'none',
  tax_ids: place?.ids ?? [],
})

export function checkedDiscount(bank: Bank, given: Params, customer: string | null, cart: Cart, at: number) {
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
