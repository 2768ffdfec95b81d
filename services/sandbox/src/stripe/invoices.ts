import { type Bank, list, type Obj } from './bank.ts'
import { moveBalance } from './customers.ts'
import { couponsOf, sumOff, type Taken, takenOff } from './discounts.ts'
import { wrong } from './errors.ts'
import { confirmIntent, createIntent } from './payments.ts'
import { AUTOMATIC_OFF, AUTOMATIC_ON, inside, onTop, taxesOn, taxFact, totalTaxes } from './tax/lines.ts'
import { isLocated, type Place, placeOf } from './tax/rates.ts'

export type Line = {
  amount: number
  description: string
  price: Obj
  quantity: number
  period: { start: number; end: number }
  proration: boolean
  item: string | null
  invoiceItem?: string
}
type Draft = {
  customer: Obj
  subscription: Obj | null
  lines: Line[]
  reason: string
  discounts: string[]
  at: number
  metadata?: Record<string, string>
  /** Where the tax is due; null where none is worked out. */
  place?: Place | null
}

const RETRY_DAYS = [3, 5, 7]

/** The invoice as it would be, with nothing written: previews show exactly what would be charged. */
export function draftInvoice(bank: Bank, draft: Draft, id: string): Obj {
  const { customer, subscription, at } = draft
  // Coupons take off what is sold; a credit for unused time was already net of them.
  const place = draft.place === undefined ? subscriptionPlace(bank, draft) : draft.place
  const taken = takenOff(
    draft.lines.map(({ amount, price, proration }) => ({ amount, product: price.product, discountable: !proration })),
    couponsOf(bank, draft.discounts),
  )
  const lines = draft.lines.map((line, index) =>
    invoiceLine(bank, { invoice: id, subscription, line, discount_amounts: line.proration ? [] : taken[index]!, index, place }),
  )
  const taxes = lines.flatMap((line) => line.taxes)
  const subtotal = lines.reduce((sum, line) => sum + line.amount, 0)
  const off = draft.discounts.map((discount) => ({
    discount,
    amount: lines.reduce(
      (sum, line) => sum + (line.discount_amounts.find((each: { discount: string }) => each.discount === discount)?.amount ?? 0),
      0,
    ),
  }))
  const total = subtotal - off.reduce((sum, each) => sum + each.amount, 0) + onTop(taxes)
  const due = Math.max(0, total + customer.balance)
  const period = { start: at, end: at }
  return {
    id,
    object: 'invoice',
    account_country: 'US',
    account_name: 'Operon sandbox',
    account_tax_ids: null,
    amount_due: total < 0 ? 0 : due,
    amount_overpaid: 0,
    amount_paid: 0,
    amount_remaining: total < 0 ? 0 : due,
    amount_shipping: 0,
    application: null,
    attempt_count: 0,
    attempted: false,
    auto_advance: true,
    automatic_tax: place ? AUTOMATIC_ON : automaticOff(subscription),
    automatically_finalizes_at: null,
    billing_reason: draft.reason,
    collection_method: 'charge_automatically',
    created: at,
    currency: draft.lines[0]?.price.currency ?? customer.currency ?? 'usd',
    custom_fields: null,
    customer: customer.id,
    customer_account: null,
    customer_address: customer.address,
    customer_email: customer.email,
    customer_name: customer.name,
    customer_phone: customer.phone,
    customer_shipping: null,
    customer_tax_exempt: customer.tax_exempt,
    customer_tax_ids: (place ?? placeOf(bank, customer)).ids,
    default_payment_method: null,
    default_source: null,
    default_tax_rates: [],
    description: null,
    discounts: draft.discounts,
    due_date: null,
    effective_at: null,
    ending_balance: null,
    footer: null,
    from_invoice: null,
    hosted_invoice_url: null,
    invoice_pdf: null,
    issuer: { type: 'self' },
    last_finalization_error: null,
    latest_revision: null,
    lines: { ...list(`/v1/invoices/${id}/lines`, lines), total_count: lines.length },
    livemode: false,
    metadata: draft.metadata ?? {},
    next_payment_attempt: null,
    number: null,
    on_behalf_of: null,
    parent: subscription
      ? {
          quote_details: null,
          subscription_details: { metadata: subscription.metadata, subscription: subscription.id },
          type: 'subscription_details',
        }
      : null,
    payment_settings: { default_mandate: null, payment_method_options: null, payment_method_types: null },
    period_end: period.end,
    period_start: period.start,
    post_payment_credit_notes_amount: 0,
    pre_payment_credit_notes_amount: 0,
    receipt_number: null,
    rendering: null,
    shipping_cost: null,
    shipping_details: null,
    starting_balance: customer.balance,
    statement_descriptor: null,
    status: 'draft',
    status_transitions: { finalized_at: null, marked_uncollectible_at: null, paid_at: null, voided_at: null },
    subtotal,
    subtotal_excluding_tax: subtotal - draft.lines.reduce((sum, line) => sum + insideOf(bank, place, line), 0),
    test_clock: customer.test_clock,
    total,
    total_discount_amounts: off,
    total_excluding_tax: total - onTop(taxes) - inside(taxes),
    total_pretax_credit_amounts: [],
    total_taxes: totalTaxes(taxes),
    webhooks_delivered_at: at,
    _place: place,
  }
}

/** A renewal whose customer cannot be placed any longer is sent without tax, and says why. */
function subscriptionPlace(bank: Bank, { customer, subscription }: Draft): Place | null {
  if (!subscription?.automatic_tax.enabled) return null
  const place = placeOf(bank, customer)
  return isLocated(place) ? place : null
}

const automaticOff = (subscription: Obj | null) =>
  subscription?.automatic_tax.enabled ? { ...AUTOMATIC_OFF, disabled_reason: 'finalization_requires_location_inputs' } : AUTOMATIC_OFF

const insideOf = (bank: Bank, place: Place | null, { price, amount }: Line) => (place ? inside(taxesOn(bank, place, price, amount)) : 0)

type LineOf = { invoice: string; subscription: Obj | null; line: Line; discount_amounts: Taken[]; index: number; place: Place | null }
function invoiceLine(bank: Bank, { invoice, subscription, line, discount_amounts, index, place }: LineOf) {
  const details = { proration: line.proration, proration_details: { credited_items: null }, subscription: subscription?.id ?? null }
  const net = line.amount - sumOff(discount_amounts)
  return {
    id: `il_${invoice.slice(3)}${index}`,
    object: 'line_item',
    amount: line.amount,
    currency: line.price.currency,
    description: line.description,
    discount_amounts,
    discountable: !line.proration,
    discounts: discount_amounts.map(({ discount }) => discount),
    invoice,
    livemode: false,
    metadata: {},
    parent: line.item
      ? {
          invoice_item_details: null,
          subscription_item_details: { ...details, invoice_item: line.invoiceItem ?? null, subscription_item: line.item },
          type: 'subscription_item_details',
        }
      : {
          invoice_item_details: { ...details, invoice_item: line.invoiceItem ?? `ii_${invoice.slice(3)}${index}` },
          subscription_item_details: null,
          type: 'invoice_item_details',
        },
    period: line.period,
    pretax_credit_amounts: [],
    pricing: {
      price_details: { price: line.price.id, product: line.price.product },
      type: 'price_details',
      unit_amount_decimal: String(line.price.unit_amount),
    },
    quantity: line.quantity,
    quantity_decimal: String(line.quantity),
    subscription: subscription?.id ?? null,
    subtotal: line.amount,
    taxes: place ? taxesOn(bank, place, line.price, net) : [],
  }
}

/** Makes the invoice and finalises it; what is left to pay stands in `amount_due`. */
export function issueInvoice(bank: Bank, draft: Draft): Obj {
  const id = bank.id('invoices')
  const made = draftInvoice(bank, draft, id)
  bank.t.invoices.put(made)
  bank.emit('invoice.created', made)
  const customer = bank.find('customers', draft.customer.id)
  const number = `${customer.invoice_prefix}-${String(customer.next_invoice_sequence).padStart(4, '0')}`
  bank.t.customers.put({ ...customer, next_invoice_sequence: customer.next_invoice_sequence + 1 })
  // A negative total becomes credit; an earlier credit pays what it can.
  const applied = made.total < 0 ? made.total : made.total - made.amount_due
  const current = bank.find('customers', customer.id)
  if (made.total < 0) moveBalance(bank, current, { amount: made.total, currency: made.currency, type: 'applied_to_invoice', invoice: id })
  else if (applied !== 0) moveBalance(bank, current, { amount: applied, currency: made.currency, type: 'applied_to_invoice', invoice: id })
  const final: Obj = {
    ...made,
    status: 'open',
    number,
    effective_at: draft.at,
    ending_balance: bank.find('customers', customer.id).balance,
    hosted_invoice_url: `${bank.publicUrl}/sandbox/stripe/invoice/${id}`,
    invoice_pdf: `${bank.publicUrl}/sandbox/stripe/invoice/${id}/pdf`,
    status_transitions: { ...made.status_transitions, finalized_at: draft.at },
    _clock: customer.test_clock,
  }
  bank.t.invoices.put(final)
  bank.emit('invoice.finalized', final)
  if (made._place) taxFact(bank, { invoice: id, customer: customer.id }, made._place, made.currency, made.total_taxes)
  for (const discount of draft.discounts) {
    const known = bank.t.discounts.get(discount)
    if (known?._once) bank.t.discounts.put({ ...known, _used: true })
  }
  return final.amount_due === 0 ? markPaid(bank, final) : final
}

type PayOptions = { method?: string | null; offSession: boolean; authenticated?: boolean }

/** Asks the card for the money. Answers the invoice as it then is; a decline leaves it open with the next attempt planned. */
export function payInvoice(bank: Bank, invoice: Obj, options: PayOptions): Obj {
  if (invoice.status === 'paid') throw wrong('Invoice is already paid', undefined, 'invoice_already_paid')
  if (invoice.status !== 'open')
    throw wrong(`Invoice ${invoice.id} is ${invoice.status} and cannot be paid.`, undefined, 'invoice_not_open')
  const method = options.method ?? methodFor(bank, invoice)
  const at = bank.now(invoice._clock)
  if (!method) return attemptFailed(bank, { ...invoice, attempted: true }, at)
  const payment = invoice._payment ? bank.t.invoice_payments.get(invoice._payment) : undefined
  const known = payment ? bank.t.payment_intents.get(payment.payment.payment_intent) : undefined
  const intent = known
    ? bank.t.payment_intents.put({ ...known, payment_method: method })
    : createIntent(bank, {
        amount: invoice.amount_due,
        currency: invoice.currency,
        customer: invoice.customer,
        payment_method: method,
        description:
          invoice.billing_reason === 'subscription_create'
            ? 'Subscription creation'
            : invoice.billing_reason === 'manual'
              ? null
              : 'Subscription update',
        metadata: {},
        invoice: invoice.id,
        clock: invoice._clock,
      })
  const record = payment ?? invoicePayment(bank, invoice, intent, at)
  const done = confirmIntent(bank, intent, { offSession: options.offSession, ...(options.authenticated && { authenticated: true }) })
  const attempted = { ...invoice, _payment: record.id, attempted: true, attempt_count: invoice.attempt_count + 1 }
  if (done.status === 'succeeded') {
    const paid = bank.t.invoice_payments.put({
      ...record,
      amount_paid: invoice.amount_due,
      status: 'paid',
      status_transitions: { canceled_at: null, paid_at: at },
    })
    bank.emit('invoice_payment.paid', paid)
    return markPaid(bank, { ...attempted, amount_paid: invoice.amount_due, amount_remaining: 0 })
  }
  if (done.status === 'requires_action' || done.last_payment_error?.code === 'authentication_required') {
    bank.t.invoices.put(attempted)
    bank.emit('invoice.payment_action_required', attempted)
  }
  return attemptFailed(bank, attempted, at)
}

function invoicePayment(bank: Bank, invoice: Obj, intent: Obj, at: number): Obj {
  return bank.t.invoice_payments.put({
    id: bank.id('invoice_payments'),
    object: 'invoice_payment',
    amount_paid: null,
    amount_requested: invoice.amount_due,
    created: at,
    currency: invoice.currency,
    invoice: invoice.id,
    is_default: true,
    livemode: false,
    payment: { payment_intent: intent.id, type: 'payment_intent' },
    status: 'open',
    status_transitions: { canceled_at: null, paid_at: null },
  })
}

function attemptFailed(bank: Bank, invoice: Obj, at: number): Obj {
  const days = RETRY_DAYS[invoice.attempt_count - 1] ?? (invoice.attempt_count === 0 ? RETRY_DAYS[0] : undefined)
  // The first invoice of a subscription is not retried: the person at the checkout has to act.
  const retries = invoice.billing_reason !== 'subscription_create' && invoice.parent !== null && days !== undefined
  const failed = bank.t.invoices.put({ ...invoice, next_payment_attempt: retries ? at + days * 86_400 : null })
  bank.emit('invoice.payment_failed', failed)
  bank.emit('invoice.updated', failed, { attempt_count: Math.max(0, invoice.attempt_count - 1) })
  return failed
}

export function markPaid(bank: Bank, invoice: Obj): Obj {
  const paid = bank.t.invoices.put({
    ...invoice,
    status: 'paid',
    attempted: true,
    amount_remaining: 0,
    next_payment_attempt: null,
    status_transitions: { ...invoice.status_transitions, paid_at: bank.now(invoice._clock) },
  })
  bank.emit('invoice.paid', paid)
  bank.emit('invoice.payment_succeeded', paid)
  return paid
}

export function voidInvoice(bank: Bank, invoice: Obj, status: 'void' | 'uncollectible'): Obj {
  if (invoice.status !== 'open')
    throw wrong(`You can only pass in open invoices. This invoice is ${invoice.status}.`, undefined, 'invoice_not_open')
  const at = bank.now(invoice._clock)
  const mark = status === 'void' ? { voided_at: at } : { marked_uncollectible_at: at }
  const closed = bank.t.invoices.put({
    ...invoice,
    status,
    auto_advance: false,
    next_payment_attempt: null,
    status_transitions: { ...invoice.status_transitions, ...mark },
  })
  bank.emit(status === 'void' ? 'invoice.voided' : 'invoice.marked_uncollectible', closed)
  return closed
}

/** The subscription's card, else the customer's. */
export function methodFor(bank: Bank, invoice: Obj): string | null {
  const subscription = bank.t.subscriptions.get(invoice.parent?.subscription_details?.subscription)
  const customer = bank.t.customers.get(invoice.customer)
  return invoice.default_payment_method ?? subscription?.default_payment_method ?? customer?.invoice_settings.default_payment_method ?? null
}

export const paymentsOf = (bank: Bank, invoice: Obj) =>
  list('/v1/invoice_payments', [bank.t.invoice_payments.get(invoice._payment)].filter(Boolean))
