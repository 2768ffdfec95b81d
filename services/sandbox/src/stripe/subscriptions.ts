import { type Bank, list, type Obj } from './bank.ts'
import { AUTHENTICATION, behaviourOf, cardError, methodById } from './cards.ts'
import { checkRedeemable, redeem } from './catalog.ts'
import { differences } from './customers.ts'
import { required, wrong } from './errors.ts'
import { int, mergeMetadata, type Params, text, yes } from './form.ts'
import { draftInvoice, issueInvoice, type Line, methodFor, payInvoice, voidInvoice } from './invoices.ts'
import { periodEnd } from './periods.ts'

const DAY = 86_400
export const LIVE = ['trialing', 'active', 'past_due', 'incomplete', 'unpaid', 'paused']

export type CreateOptions = { checkoutSession?: string; offSession?: boolean; authenticated?: boolean }

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
        at,
      ).id,
  )
  const subscription: Obj = {
    id,
    object: 'subscription',
    application: null,
    application_fee_percent: null,
    automatic_tax: { disabled_reason: null, enabled: false, liability: null },
    billing_cycle_anchor: trialEnd ?? at,
    billing_cycle_anchor_config: null,
    billing_mode: { flexible: null, type: 'classic' },
    billing_schedules: [],
    billing_thresholds: null,
    cancel_at: params.cancel_at ? int(params.cancel_at) : null,
    cancel_at_period_end: yes(params.cancel_at_period_end),
    canceled_at: null,
    cancellation_details: { comment: null, feedback: null, reason: null },
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
    invoice_settings: { account_tax_ids: null, issuer: { type: 'self' } },
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
      end_behavior: { missing_payment_method: params.trial_settings?.end_behavior?.missing_payment_method ?? 'create_invoice' },
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

function trialEndOf(params: Params, at: number): number | null {
  if (params.trial_end === 'now') return null
  const end = params.trial_end ? int(params.trial_end) : params.trial_period_days ? at + int(params.trial_period_days) * DAY : null
  if (end !== null && end <= at) throw wrong('Timestamps for trial_end must be in the future.', 'trial_end')
  return end
}

function makeItem(bank: Bank, subscription: string, given: Params, at: number, trialEnd: number | null): Obj {
  const price = bank.find('prices', given.price, 'items[0][price]')
  if (!price.recurring)
    throw wrong(
      'The price specified is set to `type=one_time` but this field only accepts prices with `type=recurring`.',
      'items[0][price]',
    )
  return {
    id: `si_${bank.state.id('x', 14).slice(2)}`,
    object: 'subscription_item',
    billing_thresholds: null,
    created: at,
    current_period_end: trialEnd ?? periodEnd(at, price.recurring),
    current_period_start: at,
    current_trial: null,
    discounts: [],
    metadata: mergeMetadata({}, given.metadata),
    plan: planOf(price),
    price,
    quantity: int(given.quantity, 1),
    subscription,
    tax_rates: [],
  }
}

/** The older form of a price, which items still carry. */
const planOf = (price: Obj) => ({
  id: price.id,
  object: 'plan',
  active: price.active,
  amount: price.unit_amount,
  amount_decimal: String(price.unit_amount),
  billing_scheme: 'per_unit',
  created: price.created,
  currency: price.currency,
  interval: price.recurring.interval,
  interval_count: price.recurring.interval_count,
  livemode: false,
  metadata: price.metadata,
  meter: null,
  nickname: price.nickname,
  product: price.product,
  tiers_mode: null,
  transform_usage: null,
  trial_period_days: null,
  usage_type: 'licensed',
})

const nameOf = (bank: Bank, price: Obj) => bank.t.products.get(price.product)?.name ?? 'Subscription'

function periodLine(bank: Bank, item: Obj, trial: boolean): Line {
  const name = nameOf(bank, item.price)
  const amount = item.price.unit_amount * item.quantity
  return {
    amount: trial ? 0 : amount,
    description: trial
      ? `Trial period for ${name}`
      : `${item.quantity} × ${name} (at $${(item.price.unit_amount / 100).toFixed(2)} / ${item.price.recurring.interval})`,
    price: item.price,
    quantity: item.quantity,
    period: { start: item.current_period_start, end: item.current_period_end },
    proration: false,
    item: item.id,
  }
}

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
  bank.fact('subscription', { subscription: over.id, customer: over.customer, status, price: over.items.data[0].price.id })
  bank.emit('customer.subscription.deleted', over)
  return over
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

/** The subscription with the items that an update asks for, and the lines that settle the difference. */
function plannedItems(bank: Bank, subscription: Obj, given: Params[] | undefined, at: number): { items: Obj[]; lines: Line[] } {
  const current: Obj[] = subscription.items.data
  if (!given) return { items: current, lines: [] }
  let items = [...current]
  const changed: { from: Obj | null; to: Obj | null }[] = []
  for (const each of given) {
    const from = each.id ? items.find((item) => item.id === each.id) : undefined
    if (each.id && !from) throw wrong(`No such subscription item: '${each.id}'`, 'items[0][id]', 'resource_missing')
    if (from && yes(each.deleted)) {
      items = items.filter((item) => item !== from)
      changed.push({ from, to: null })
      continue
    }
    const base = from ?? makeItem(bank, subscription.id, each, at, current[0]?.current_period_end ?? null)
    const price = each.price ? bank.find('prices', each.price, 'items[0][price]') : base.price
    const to = { ...base, price, plan: planOf(price), quantity: int(each.quantity, base.quantity) }
    items = from ? items.map((item) => (item === from ? to : item)) : [...items, to]
    if (!from || from.price.id !== to.price.id || from.quantity !== to.quantity) changed.push({ from: from ?? null, to })
  }
  return { items, lines: subscription.status === 'trialing' ? [] : prorate(bank, subscription, changed, at) }
}

/** Credit for the unused time of the old price, at what was really paid for it, and the rest of the period at the new one. */
function prorate(bank: Bank, subscription: Obj, changed: { from: Obj | null; to: Obj | null }[], at: number): Line[] {
  const all = changed.length > 0 ? changed : (subscription.items.data as Obj[]).map((from) => ({ from, to: null }))
  const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' }).format(at * 1000)
  return all.flatMap(({ from, to }) => {
    const { current_period_start: start, current_period_end: end } = (from ?? to)!
    const share = Math.max(0, Math.min(1, (end - at) / (end - start)))
    const line = (item: Obj, amount: number, description: string): Line => ({
      amount,
      description,
      price: item.price,
      quantity: item.quantity,
      period: { start: at, end },
      proration: true,
      item: item.id,
    })
    const paid = from ? (from._net ?? from.price.unit_amount * from.quantity) : 0
    return [
      ...(from ? [line(from, -Math.round(paid * share), `Unused time on ${nameOf(bank, from.price)} after ${day}`)] : []),
      ...(to
        ? [line(to, Math.round(to.price.unit_amount * to.quantity * share), `Remaining time on ${nameOf(bank, to.price)} after ${day}`)]
        : []),
    ]
  })
}

/** With `error_if_incomplete` nothing changes unless the card pays: what would be due is known before anything is written. */
function demandPayable(bank: Bank, subscription: Obj, params: Params) {
  const { items, proration_behavior, proration_date } = params
  const due = previewInvoice(bank, { subscription: subscription.id, subscription_details: { items, proration_behavior, proration_date } })
  const method = bank.t.payment_methods.get(due.amount_due > 0 ? (methodFor(bank, due) ?? '') : '')
  const { charge, action } = behaviourOf(method)
  const refusal = action === 'always' ? AUTHENTICATION : charge
  if (!refusal) return
  bank.fact('switch_declined', { subscription: subscription.id, code: refusal.code, amount: due.amount_due })
  throw cardError(refusal)
}

export function updateSubscription(bank: Bank, subscription: Obj, params: Params): Obj {
  if (!LIVE.includes(subscription.status))
    throw wrong(`A canceled subscription can only update its cancellation_details and metadata.`, undefined, 'resource_missing')
  const at = bank.now(subscription._clock)
  const behaviour = params.proration_behavior ?? 'create_prorations'
  if (params.payment_behavior === 'error_if_incomplete' && behaviour === 'always_invoice' && subscription.status !== 'trialing')
    demandPayable(bank, subscription, params)
  const { items, lines } = plannedItems(bank, subscription, params.items, int(params.proration_date, at))
  const interval = (item: Obj | undefined) => `${item?.price.recurring.interval}${item?.price.recurring.interval_count}`
  const restart = params.billing_cycle_anchor === 'now' || interval(items[0]) !== interval(subscription.items.data[0])
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

// What this period's use of a price has cost, so that a credit never exceeds it. A new price in mid-period is worth its list price.
const withNet = (item: Obj, before: Obj) => {
  const same = before.items.data.find(
    (each: Obj) => each.id === item.id && each.price.id === item.price.id && each.quantity === item.quantity,
  )
  return same ? item : { ...item, _net: item.price.unit_amount * item.quantity }
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
    cancellation_details: { comment, feedback, reason: atEnd ? 'cancellation_requested' : null },
  }
}

function newDiscounts(bank: Bank, subscription: Obj, given: unknown, at: number): string[] {
  if (given === '') return []
  return (given as Params[]).map(
    (each) => each.discount ?? redeem(bank, each, { customer: subscription.customer, subscription: subscription.id }, at).id,
  )
}

function extendTrial(items: Obj[], end: number, at: number, subscription: Obj) {
  if (end <= at) throw wrong('Timestamps for trial_end must be in the future.', 'trial_end')
  const data = items.map((item) => ({ ...item, current_period_start: subscription.trial_start ?? at, current_period_end: end }))
  return {
    status: 'trialing',
    trial_end: end,
    trial_start: subscription.trial_start ?? at,
    billing_cycle_anchor: end,
    _will_end_sent: false,
    items: { ...subscription.items, data },
  }
}

const pending = (bank: Bank, subscription: Obj) =>
  ((subscription._pending ?? []) as string[]).flatMap((id) => bank.t.invoiceitems.get(id) ?? [])

function queueLines(bank: Bank, subscription: Obj, lines: Line[]) {
  const ids = lines.map((line) => {
    const id = bank.id('invoiceitems')
    bank.t.invoiceitems.put({
      id,
      object: 'invoiceitem',
      created: bank.now(subscription._clock),
      date: bank.now(subscription._clock),
      amount: line.amount,
      currency: line.price.currency,
      customer: subscription.customer,
      description: line.description,
      discountable: false,
      discounts: [],
      invoice: null,
      livemode: false,
      metadata: {},
      parent: { subscription_details: { subscription: subscription.id, subscription_item: line.item }, type: 'subscription_details' },
      period: line.period,
      pricing: {
        price_details: { price: line.price.id, product: line.price.product },
        type: 'price_details',
        unit_amount_decimal: String(line.price.unit_amount),
      },
      proration: true,
      quantity: line.quantity,
      test_clock: subscription.test_clock,
      _line: line,
    })
    return id
  })
  subscription._pending = [...(subscription._pending ?? []), ...ids]
  bank.t.subscriptions.put(subscription)
}

/** Takes the waiting prorations off the subscription, as lines for an invoice. */
function takePending(bank: Bank, subscription: Obj): Line[] {
  const waiting = pending(bank, subscription)
  bank.t.subscriptions.put({ ...bank.find('subscriptions', subscription.id), _pending: [] })
  return waiting.map((each) => ({ ...each._line, invoiceItem: each.id }))
}

function invoicePending(bank: Bank, subscription: Obj) {
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
export function renew(bank: Bank, subscription: Obj, at: number, reason = 'subscription_cycle'): Obj {
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
    ...(trialOver && { status: 'active', trial_end: Math.min(subscription.trial_end, at) }),
    ...(subscription.status === 'incomplete' && { status: 'active' }),
  })
  if (invoice.status === 'open') settleInvoice(bank, invoice.id, { offSession: true })
  return bank.find('subscriptions', begun.id)
}

/** The items with what their period has really cost, after discounts. */
function netItems(items: Obj[], invoice: Obj): Obj[] {
  return items.map((item) => {
    const line = invoice.lines.data.find((each: Obj) => {
      const details = each.parent.subscription_item_details
      return details?.subscription_item === item.id && !details.proration
    })
    const off = line?.discount_amounts.reduce((sum: number, each: { amount: number }) => sum + each.amount, 0) ?? 0
    return { ...item, _net: (line?.amount ?? 0) - off }
  })
}

const activeDiscounts = (bank: Bank, subscription: Obj, at: number): string[] =>
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

/** `POST /v1/invoices/create_preview`: what an update, or the next renewal, would cost. */
export function previewInvoice(bank: Bank, params: Params): Obj {
  const details = (params.subscription_details ?? {}) as Params
  const subscription = params.subscription ? bank.find('subscriptions', params.subscription, 'subscription') : null
  const customer = bank.find('customers', subscription?.customer ?? params.customer, 'customer')
  const at = bank.now(customer.test_clock)
  const id = `upcoming_in_${subscription?.id.slice(4) ?? customer.id.slice(4)}`
  const given = (params.discounts || []) as Params[]
  if (!subscription) {
    const trialEnd = trialEndOf(details, at)
    const items = ((details.items ?? []) as Params[]).map((item) => makeItem(bank, 'sub_preview', item, at, trialEnd))
    if (items.length === 0) throw required('subscription_details[items]')
    const lines = items.map((item) => ({ ...periodLine(bank, item, Boolean(trialEnd)), item: null }))
    return previewOf(
      bank,
      { customer, subscription: null, lines, reason: 'upcoming', discounts: previewDiscounts(bank, given, customer.id, at), at },
      id,
    )
  }
  const when = int(details.proration_date, at)
  const { items, lines: prorations } = plannedItems(bank, subscription, details.items, when)
  const wanted = details.proration_behavior === 'none' || yes(details.cancel_now) ? [] : prorations
  const waiting = pending(bank, subscription).map((each) => each._line as Line)
  const end = subscription.items.data[0].current_period_end
  const next = items.map((item) =>
    periodLine(
      bank,
      { ...item, current_period_start: end, current_period_end: periodEnd(end, item.price.recurring, subscription.billing_cycle_anchor) },
      false,
    ),
  )
  const now = details.proration_behavior === 'always_invoice'
  const ending = subscription.cancel_at_period_end && !details.items
  const lines = now ? [...waiting, ...wanted] : [...waiting, ...wanted, ...(ending ? [] : next)]
  const discounts = given.length > 0 ? previewDiscounts(bank, given, customer.id, at) : now ? [] : activeDiscounts(bank, subscription, end)
  return previewOf(
    bank,
    { customer, subscription, lines, reason: now ? 'subscription_update' : 'upcoming', discounts, at: now ? when : end },
    id,
  )
}

const previewOf = (bank: Bank, draft: Parameters<typeof draftInvoice>[1], id: string) => ({
  ...draftInvoice(bank, draft, id),
  next_payment_attempt: draft.at,
})

/** A coupon is shown in a preview without being redeemed: a discount that lives only as long as this answer. */
function previewDiscounts(bank: Bank, given: Params[], customer: string, at: number): string[] {
  return given.map((each) => {
    if (each.discount) return each.discount
    const promotion = each.promotion_code ? bank.find('promotion_codes', each.promotion_code) : undefined
    const coupon = bank.find('coupons', promotion?.promotion.coupon ?? each.coupon, 'discounts[0][coupon]')
    checkRedeemable(coupon, promotion, customer, at)
    const id = `di_preview_${coupon.id}`
    bank.t.discounts.put({
      id,
      object: 'discount',
      created: at,
      customer,
      end: null,
      start: at,
      subscription: null,
      source: { type: 'coupon', coupon: coupon.id },
      promotion_code: promotion?.id ?? null,
      _once: true,
    })
    return id
  })
}
