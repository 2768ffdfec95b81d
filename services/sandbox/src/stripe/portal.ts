import type { Bank, Obj } from './bank.ts'
import { attach, createPaymentMethod } from './cards.ts'
import { updateCustomer } from './customers.ts'
import { required, wrong } from './errors.ts'
import { mergeMetadata, type Params, text, yes } from './form.ts'
import { change, settleInvoice } from './renewals.ts'
import { releaseSchedule } from './schedules.ts'
import { LIVE, updateSubscription } from './subscriptions.ts'

export function createConfiguration(bank: Bank, params: Params): Obj {
  const now = bank.now()
  return bank.t.portal_configurations.put({
    id: bank.id('portal_configurations'),
    object: 'billing_portal.configuration',
    active: true,
    application: null,
    business_profile: { headline: null, privacy_policy_url: null, terms_of_service_url: null, ...params.business_profile },
    created: now,
    default_return_url: text(params.default_return_url),
    features: featuresOf(params.features ?? {}),
    is_default: bank.t.portal_configurations.all().length === 0,
    livemode: false,
    login_page: { enabled: false, url: null },
    metadata: mergeMetadata({}, params.metadata),
    name: text(params.name),
    updated: now,
  })
}

/** All of them with what was not said filled in. */
function featuresOf(given: Params) {
  const { customer_update: details, subscription_cancel: cancel, subscription_update: update } = given
  const isOn = (name: string) => yes(given[name]?.enabled)
  return {
    customer_update: { allowed_updates: details?.allowed_updates || [], enabled: isOn('customer_update') },
    invoice_history: { enabled: isOn('invoice_history') },
    payment_method_update: { enabled: isOn('payment_method_update'), payment_method_configuration: null },
    subscription_cancel: {
      cancellation_reason: {
        enabled: yes(cancel?.cancellation_reason?.enabled),
        feedback_options: null,
        options: cancel?.cancellation_reason?.options || [],
      },
      enabled: isOn('subscription_cancel'),
      mode: cancel?.mode ?? 'at_period_end',
      proration_behavior: cancel?.proration_behavior ?? 'none',
    },
    subscription_pause: { duration: { interval_options: [], type: 'indefinite' }, enabled: false },
    subscription_update: {
      billing_cycle_anchor: null,
      default_allowed_updates: update?.default_allowed_updates || [],
      enabled: isOn('subscription_update'),
      products: update?.products || null,
      proration_behavior: update?.proration_behavior ?? 'none',
      schedule_at_period_end: { conditions: [] },
      trial_update_behavior: 'continue_trial',
    },
  }
}

export function createPortalSession(bank: Bank, params: Params): Obj {
  if (!params.customer) throw required('customer')
  const customer = bank.find('customers', params.customer, 'customer')
  const configuration = params.configuration ?? bank.t.portal_configurations.all()[0]?.id ?? createConfiguration(bank, {}).id
  const id = bank.id('portal_sessions')
  return bank.t.portal_sessions.put({
    id,
    object: 'billing_portal.session',
    configuration,
    created: bank.now(),
    customer: customer.id,
    customer_account: null,
    flow: params.flow_data ?? null,
    livemode: false,
    locale: text(params.locale),
    on_behalf_of: null,
    return_url: text(params.return_url),
    url: `${bank.publicUrl}/sandbox/stripe/portal/${id}`,
  })
}

export const liveSubscription = (bank: Bank, customer: string) =>
  bank.t.subscriptions.newest().find((each) => each.customer === customer && LIVE.includes(each.status))

/** As in Stripe's, plans are switched only where the configuration says so. */
export const maySwitch = (bank: Bank, session: Obj) =>
  yes(bank.t.portal_configurations.get(session.configuration)?.features?.subscription_update?.enabled)

/** Plans that the portal offers: recurring prices on sale, cheapest first. */
export const offers = (bank: Bank) =>
  bank.t.prices
    .all()
    .filter((price) => price.active && price.recurring && bank.t.products.get(price.product)?.active)
    .sort((a, b) => a.unit_amount - b.unit_amount)

/** One press of a button on the portal's page. */
export function portalAction(bank: Bank, session: Obj, action: string, fields: URLSearchParams): string {
  const customer = bank.find('customers', session.customer)
  const subscription = liveSubscription(bank, customer.id)
  if (action === 'card') {
    const method = attach(
      bank,
      createPaymentMethod(bank, { card: { number: fields.get('number') }, billing_details: { email: customer.email } }),
      customer,
    )
    updateCustomer(bank, customer, { invoice_settings: { default_payment_method: method.id } })
    if (subscription) change(bank, subscription, { default_payment_method: method.id })
    return 'The card was changed.'
  }
  if (action === 'pay') {
    const invoice = bank.find('invoices', fields.get('invoice'))
    if (invoice.customer !== customer.id) throw wrong('This invoice belongs to another customer.')
    const paid = settleInvoice(bank, invoice.id, { offSession: false, authenticated: true })
    if (paid.status !== 'paid') throw wrong('The payment did not go through. Change the card and try again.')
    return 'The invoice is paid.'
  }
  if (!subscription) throw wrong('There is no subscription to change.')
  if (action === 'cancel') {
    if (subscription.schedule) releaseSchedule(bank, bank.find('subscription_schedules', subscription.schedule))
    updateSubscription(bank, bank.find('subscriptions', subscription.id), {
      cancel_at_period_end: 'true',
      cancellation_details: { feedback: fields.get('feedback') ?? null },
    })
    return 'The subscription will end with this period.'
  }
  if (action === 'resume') {
    updateSubscription(bank, subscription, { cancel_at_period_end: 'false' })
    return 'The subscription goes on.'
  }
  if (action !== 'switch' || !maySwitch(bank, session)) throw wrong('There is no such action.')
  const price = bank.find('prices', fields.get('price'))
  updateSubscription(bank, subscription, {
    items: [{ id: subscription.items.data[0].id, price: price.id }],
    proration_behavior: 'always_invoice',
    cancel_at_period_end: 'false',
  })
  return `The plan is now ${bank.t.products.get(price.product)?.name}.`
}
