import { type Bank, list, type Obj } from './bank.ts'
import { methodById } from './cards.ts'
import { cartOf, redeem } from './discounts.ts'
import { required, wrong } from './errors.ts'
import { int, mergeMetadata, type Params, text, yes } from './form.ts'
import { issueInvoice, voidInvoice } from './invoices.ts'
import { makeItem, netItems, periodLine, withNet } from './items.ts'
import { trialEndOf } from './periods.ts'
import { demandPayable } from './preview.ts'
import { pending, plannedItems, prorate, queueLines } from './prorations.ts'
import { change, endSubscription, invoicePending, remindOfTrialEnd, renew, settleInvoice } from './renewals.ts'
import { demandLocated } from './tax/lines.ts'

export const LIVE = ['trialing', 'active', 'past_due', 'incomplete', 'unpaid', 'paused']

type CreateOptions = { checkoutSession?: string; offSession?: boolean; authenticated?: boolean }

export function createSubscription(bank: Bank, params: Params, options: CreateOptions = {}): Obj {
  if (!params.customer) throw required('customer')
  if (!params.items?.length) throw required('items')
  const customer = bank.find('customers', params.customer, 'customer')
  const clock = customer.test_clock
  const at = bank.now(clock)
  const trialEnd = trialEndOf(params, at)
  const method = params.default_payment_method ? methodById(bank, params.default_payment_method) : undefined
  if (method && method.customer !== customer.id)
    throw wrong(`The customer does not have a payment method with the ID ${method.id}.`, 'default_payment_method', 'resource_missing')
  if (!trialEnd && !method && !customer.invoice_settings.default_payment_method && params.payment_behavior !== 'default_incomplete') {
    throw wrong(
      'This customer has no attached payment source or default payment method. Please consider adding a default payment method.',
      undefined,
      'resource_missing',
    )
  }
  const id = bank.id('subscriptions')
  const items = (params.items as Params[]).map((item) => makeItem(bank, id, item, at, trialEnd))
  const first = items[0]!
  const discounts = ((params.discounts as Params[] | undefined) ?? []).map(
    (each) =>
      redeem(
        bank,
        each,
        { customer: customer.id, subscription: id, ...(options.checkoutSession && { checkout_session: options.checkoutSession }) },
        cartOf(items),
        at,
      ).id,
  )
  const subscription: Obj = {
    id,
    object: 'subscription',
    application: null,
    application_fee_percent: null,
    automatic_tax: automaticTax(bank, customer, params.automatic_tax),
    billing_cycle_anchor: trialEnd ?? at,
    billing_cycle_anchor_config: null,
    billing_mode: { flexible: null, type: 'classic' },
    billing_schedules: [],
    billing_thresholds: null,
    cancel_at: params.cancel_at ? int(params.cancel_at) : null,
    cancel_at_period_end: yes(params.cancel_at_period_end),
    canceled_at: null,
    cancellation_details: { comment: null, feedback: null, feedback_option: null, reason: null },
    collection_method: 'charge_automatically',
    created: at,
    currency: first.price.currency,
    customer: customer.id,
    customer_account: null,
    days_until_due: null,
    default_payment_method: method?.id ?? null,
    default_source: null,
    default_tax_rates: [],
    description: text(params.description),
    discounts,
    ended_at: null,
    invoice_settings: { account_tax_ids: null, custom_fields: null, description: null, footer: null, issuer: { type: 'self' } },
    items: { ...list(`/v1/subscription_items?subscription=${id}`, items), total_count: items.length },
    latest_invoice: null,
    livemode: false,
    managed_payments: null,
    metadata: mergeMetadata({}, params.metadata),
    next_pending_invoice_item_invoice: null,
    on_behalf_of: null,
    pause_collection: null,
    payment_settings: { payment_method_options: null, payment_method_types: null, save_default_payment_method: 'off' },
    pending_invoice_item_interval: null,
    pending_setup_intent: null,
    pending_update: null,
    schedule: null,
    start_date: at,
    status: trialEnd ? 'trialing' : 'incomplete',
    test_clock: clock,
    transfer_data: null,
    trial_end: trialEnd,
    trial_settings: {
      end_behavior: {
        billing_cycle_anchor: null,
        missing_payment_method: params.trial_settings?.end_behavior?.missing_payment_method ?? 'create_invoice',
      },
    },
    trial_start: trialEnd ? at : null,
    _clock: clock,
    _will_end_sent: false,
  }
  bank.t.subscriptions.put(subscription)
  bank.fact('subscription', {
    subscription: id,
    customer: customer.id,
    status: subscription.status,
    price: first.price.id,
    metadata: subscription.metadata,
  })
  const invoice = issueInvoice(bank, {
    customer,
    subscription,
    lines: items.map((item) => periodLine(bank, item, Boolean(trialEnd))),
    reason: 'subscription_create',
    discounts: trialEnd ? [] : discounts,
    at,
  })
  const invoiced = bank.t.subscriptions.put({
    ...subscription,
    latest_invoice: invoice.id,
    items: { ...subscription.items, data: netItems(items, invoice) },
    discounts: trialEnd ? discounts : discounts.filter((each) => !bank.t.discounts.get(each)?._once),
  })
  if (trialEnd || invoice.status === 'paid') {
    const ready = bank.t.subscriptions.put({ ...invoiced, status: trialEnd ? 'trialing' : 'active' })
    bank.emit('customer.subscription.created', ready)
    return remindOfTrialEnd(bank, ready, at)
  }
  bank.emit('customer.subscription.created', invoiced)
  if (params.payment_behavior === 'default_incomplete') return invoiced
  settleInvoice(bank, invoice.id, { offSession: options.offSession ?? false, ...(options.authenticated && { authenticated: true }) })
  return bank.find('subscriptions', id)
}

function automaticTax(bank: Bank, customer: Obj, given: Params | undefined) {
  const enabled = yes(given?.enabled)
  if (enabled) demandLocated(bank, customer)
  return { disabled_reason: null, enabled, liability: enabled ? { type: 'self' } : null }
}

export function cancelNow(bank: Bank, subscription: Obj, params: Params): Obj {
  if (!LIVE.includes(subscription.status)) throw wrong(`No such subscription: '${subscription.id}'`, 'id', 'resource_missing')
  const open = bank.t.invoices.get(subscription.latest_invoice)
  if (open?.status === 'open' && subscription.status === 'incomplete') voidInvoice(bank, open, 'void')
  const { comment = null, feedback = null } = (params.cancellation_details ?? {}) as Params
  const lines = yes(params.prorate) ? prorate(bank, subscription, [], bank.now(subscription._clock)) : []
  if (lines.length > 0) queueLines(bank, subscription, lines)
  const ended = endSubscription(
    bank,
    { ...subscription, cancellation_details: { ...subscription.cancellation_details, comment, feedback } },
    'cancellation_requested',
  )
  if (yes(params.invoice_now) && pending(bank, subscription).length > 0) invoicePending(bank, ended)
  return bank.find('subscriptions', ended.id)
}

export function updateSubscription(bank: Bank, subscription: Obj, params: Params): Obj {
  if (!LIVE.includes(subscription.status))
    throw wrong(`A canceled subscription can only update its cancellation_details and metadata.`, undefined, 'resource_missing')
  const at = bank.now(subscription._clock)
  const behaviour = params.proration_behavior ?? 'create_prorations'
  if (subscription.schedule && (params.cancel_at_period_end !== undefined || params.cancel_at !== undefined))
    throw wrong(
      `The subscription is managed by the subscription schedule \`${subscription.schedule}\`, and updating any cancelation behavior directly is not allowed. Please update the schedule instead.`,
    )
  const { items, lines } = plannedItems(bank, subscription, params.items, int(params.proration_date, at))
  const interval = (item: Obj | undefined) => `${item?.price.recurring.interval}${item?.price.recurring.interval_count}`
  const restart = params.billing_cycle_anchor === 'now' || interval(items[0]) !== interval(subscription.items.data[0])
  const isBilledNow = (behaviour === 'always_invoice' || restart) && subscription.status !== 'trialing'
  if (params.payment_behavior === 'error_if_incomplete' && isBilledNow) demandPayable(bank, subscription, params)
  const fields: Params = {
    metadata: mergeMetadata(subscription.metadata, params.metadata),
    items: { ...subscription.items, data: items.map((item) => withNet(item, subscription)), total_count: items.length },
  }
  if (params.default_payment_method !== undefined)
    fields.default_payment_method =
      params.default_payment_method === '' ? null : ownMethod(bank, subscription, params.default_payment_method)
  if (params.cancel_at_period_end !== undefined)
    Object.assign(fields, endAtPeriodsEnd(subscription, yes(params.cancel_at_period_end), at, params))
  if (params.cancel_at !== undefined)
    Object.assign(fields, {
      cancel_at: params.cancel_at === '' ? null : int(params.cancel_at),
      canceled_at: params.cancel_at === '' ? null : at,
    })
  if (params.automatic_tax !== undefined)
    fields.automatic_tax = automaticTax(bank, bank.find('customers', subscription.customer), params.automatic_tax)
  if (params.pause_collection !== undefined) fields.pause_collection = pauseOf(params.pause_collection)
  if (params.description !== undefined) fields.description = text(params.description)
  if (params.discounts !== undefined) fields.discounts = newDiscounts(bank, subscription, params.discounts, at)
  if (params.trial_end !== undefined && params.trial_end !== 'now')
    Object.assign(fields, extendTrial(items, int(params.trial_end), at, subscription))
  // A new period is billed whole, so that only the credit for the old one is due beside it.
  const owed = restart ? lines.filter((line) => line.amount < 0) : lines
  if (behaviour !== 'none' && owed.length > 0) queueLines(bank, subscription, owed)
  const after = change(bank, subscription, fields)
  if (params.trial_end === 'now' && subscription.status === 'trialing')
    return renew(bank, change(bank, after, { trial_end: at }), at, 'subscription_update')
  if (restart && subscription.status !== 'trialing') return renew(bank, after, at, 'subscription_update')
  if (behaviour === 'always_invoice' && pending(bank, after).length > 0) invoicePending(bank, after)
  return bank.find('subscriptions', after.id)
}

function pauseOf(given: unknown): Obj['pause_collection'] {
  if (given === '') return null
  const { behavior, resumes_at } = given as Params
  if (!['keep_as_draft', 'mark_uncollectible', 'void'].includes(behavior))
    throw wrong('Invalid pause_collection[behavior].', 'pause_collection[behavior]')
  return { behavior, resumes_at: resumes_at ? int(resumes_at) : null }
}

function ownMethod(bank: Bank, subscription: Obj, id: string): string {
  const method = methodById(bank, id)
  if (method.customer !== subscription.customer)
    throw wrong(`The customer does not have a payment method with the ID ${method.id}.`, 'default_payment_method', 'resource_missing')
  return method.id
}

function endAtPeriodsEnd(subscription: Obj, atEnd: boolean, at: number, params: Params) {
  const { comment = null, feedback = null } = (params.cancellation_details ?? {}) as Params
  return {
    cancel_at_period_end: atEnd,
    cancel_at: atEnd ? subscription.items.data[0].current_period_end : null,
    canceled_at: atEnd ? at : null,
    cancellation_details: { comment, feedback, feedback_option: null, reason: atEnd ? 'cancellation_requested' : null },
  }
}

function newDiscounts(bank: Bank, subscription: Obj, given: unknown, at: number): string[] {
  if (given === '') return []
  return (given as Params[]).map(
    (each) =>
      each.discount ??
      redeem(bank, each, { customer: subscription.customer, subscription: subscription.id }, cartOf(subscription.items.data), at).id,
  )
}

function extendTrial(items: Obj[], end: number, at: number, subscription: Obj) {
  if (end <= at) throw wrong('Timestamps for trial_end must be in the future.', 'trial_end')
  const data = items.map((item) => ({ ...item, current_period_start: at, current_period_end: end }))
  return {
    status: 'trialing',
    trial_end: end,
    trial_start: subscription.trial_start ?? at,
    billing_cycle_anchor: end,
    _will_end_sent: false,
    items: { ...subscription.items, data },
  }
}
