import type { Bank, Obj } from './bank.ts'
import { differences } from './customers.ts'
import type { Params } from './form.ts'
import { issueInvoice, payInvoice, voidInvoice } from './invoices.ts'
import { netItems, periodLine } from './items.ts'
import { DAY, periodEnd } from './periods.ts'
import { takePending } from './prorations.ts'
import { cancelSchedule, enterPhase } from './schedules.ts'

/** Pays an invoice and lets its subscription follow: active, past due, or over. */
export function settleInvoice(
  bank: Bank,
  invoiceId: string,
  options: { method?: string | null; offSession: boolean; authenticated?: boolean },
): Obj {
  const invoice = payInvoice(bank, bank.find('invoices', invoiceId), options)
  const subscription = bank.t.subscriptions.get(invoice.parent?.subscription_details?.subscription)
  if (!subscription) return invoice
  if (invoice.status === 'paid') {
    if (['past_due', 'incomplete', 'unpaid'].includes(subscription.status)) change(bank, subscription, { status: 'active' })
  } else if (subscription.status === 'active') change(bank, subscription, { status: 'past_due' })
  else if (
    subscription.status === 'past_due' &&
    invoice.next_payment_attempt === null &&
    invoice.billing_reason !== 'subscription_update'
  ) {
    endSubscription(bank, subscription, 'payment_failed')
  }
  return invoice
}

/** Writes a change and says what it was before. */
export function change(bank: Bank, before: Obj, fields: Params): Obj {
  const after = bank.t.subscriptions.put({ ...before, ...fields })
  const previous = differences(before, after)
  if (Object.keys(previous).length > 0) bank.emit('customer.subscription.updated', after, previous)
  if (before.status !== after.status)
    bank.fact('subscription', {
      subscription: after.id,
      customer: after.customer,
      status: after.status,
      price: after.items.data[0].price.id,
    })
  return after
}

export function endSubscription(bank: Bank, subscription: Obj, reason: string): Obj {
  const at = bank.now(subscription._clock)
  const status = reason === 'incomplete' ? 'incomplete_expired' : 'canceled'
  const over = bank.t.subscriptions.put({
    ...subscription,
    status,
    ended_at: at,
    canceled_at: subscription.canceled_at ?? at,
    cancellation_details: {
      ...subscription.cancellation_details,
      reason: subscription.cancellation_details.reason ?? (reason === 'incomplete' ? null : reason),
    },
  })
  if (over.schedule) cancelSchedule(bank, over.schedule)
  bank.fact('subscription', { subscription: over.id, customer: over.customer, status, price: over.items.data[0].price.id })
  bank.emit('customer.subscription.deleted', over)
  return over
}

export function invoicePending(bank: Bank, subscription: Obj) {
  const customer = bank.find('customers', subscription.customer)
  const lines = takePending(bank, subscription)
  const invoice = issueInvoice(bank, {
    customer,
    subscription,
    lines,
    reason: 'subscription_update',
    discounts: [],
    at: bank.now(subscription._clock),
  })
  bank.t.subscriptions.put({ ...bank.find('subscriptions', subscription.id), latest_invoice: invoice.id })
  if (invoice.status === 'open') settleInvoice(bank, invoice.id, { offSession: true })
}

/** Begins the next period: an invoice with what is due, then the card. */
export function renew(bank: Bank, before: Obj, at: number, reason = 'subscription_cycle'): Obj {
  const subscription = reason === 'subscription_cycle' ? enterPhase(bank, before, at) : before
  const restart = reason === 'subscription_update' || subscription.status === 'trialing'
  const anchor = restart ? at : subscription.billing_cycle_anchor
  const discounts = activeDiscounts(bank, subscription, at)
  const moved: Obj[] = subscription.items.data.map((item: Obj) => ({
    ...item,
    current_period_start: at,
    current_period_end: periodEnd(at, item.price.recurring, anchor),
    _net: undefined,
  }))
  const customer = bank.find('customers', subscription.customer)
  const lines = [...takePending(bank, subscription), ...moved.map((item) => periodLine(bank, item, false))]
  const trialOver = subscription.status === 'trialing'
  const next = { ...bank.find('subscriptions', subscription.id), discounts }
  const invoice = issueInvoice(bank, { customer, subscription: next, lines, reason, discounts, at })
  const begun = change(bank, bank.find('subscriptions', subscription.id), {
    items: { ...subscription.items, data: netItems(moved, invoice) },
    billing_cycle_anchor: anchor,
    latest_invoice: invoice.id,
    discounts: discounts.filter((id) => !bank.t.discounts.get(id)?._once),
    ...(invoice.automatic_tax.disabled_reason && {
      automatic_tax: { disabled_reason: 'requires_location_inputs', enabled: false, liability: null },
    }),
    ...(trialOver && { status: 'active', trial_end: Math.min(subscription.trial_end, at) }),
    ...(subscription.status === 'incomplete' && { status: 'active' }),
  })
  const paused = subscription.pause_collection?.behavior
  if (invoice.status === 'open' && paused && paused !== 'keep_as_draft')
    voidInvoice(bank, invoice, paused === 'void' ? 'void' : 'uncollectible')
  else if (invoice.status === 'open' && !paused) settleInvoice(bank, invoice.id, { offSession: true })
  return bank.find('subscriptions', begun.id)
}

export const activeDiscounts = (bank: Bank, subscription: Obj, at: number): string[] =>
  subscription.discounts.filter((id: string) => {
    const discount = bank.t.discounts.get(id)
    return discount && !(discount._once && discount._used) && (discount.end === null || discount.end > at)
  })

/** Three days before a trial ends; at once when it is no longer than that. */
export function remindOfTrialEnd(bank: Bank, subscription: Obj, at: number): Obj {
  if (subscription.status !== 'trialing' || subscription._will_end_sent || subscription.trial_end - at > 3 * DAY) return subscription
  const told = bank.t.subscriptions.put({ ...subscription, _will_end_sent: true })
  bank.emit('customer.subscription.trial_will_end', told)
  return told
}

/** The trial is over: without any card it ends as it was told to. */
export function endTrial(bank: Bank, subscription: Obj, at: number): Obj {
  const customer = bank.find('customers', subscription.customer)
  const card = subscription.default_payment_method ?? customer.invoice_settings.default_payment_method
  const without = subscription.trial_settings.end_behavior.missing_payment_method
  if (!card && without === 'cancel') return endSubscription(bank, subscription, 'payment_failed')
  if (!card && without === 'pause') return change(bank, subscription, { status: 'paused' })
  return renew(bank, subscription, at)
}
