import { clockOfPerson } from './accounts.ts'
import type { Bank, Obj } from './bank.ts'
import { attach, methodById } from './cards.ts'
import { wrong } from './errors.ts'
import { int, mergeMetadata, type Params, text } from './form.ts'
import { addressOf } from './tax/calculations.ts'
import { createTaxId } from './tax/ids.ts'
import { demandLocated } from './tax/lines.ts'

export function createCustomer(bank: Bank, params: Params): Obj {
  // A seller who is ahead already buys by the same clock.
  const clock = params.test_clock
    ? bank.find('test_clocks', params.test_clock, 'test_clock').id
    : clockOfPerson(bank, params.metadata?.user_id)
  const id = bank.id('customers', '').replace('cus_', 'cus_').slice(0, 18)
  const customer = bank.t.customers.put({
    id,
    object: 'customer',
    address: addressOf(params.address || null),
    balance: int(params.balance),
    created: bank.now(clock),
    currency: null,
    customer_account: null,
    default_source: null,
    delinquent: false,
    description: text(params.description),
    email: text(params.email),
    invoice_prefix: id.slice(-8).toUpperCase(),
    invoice_settings: { custom_fields: null, default_payment_method: null, footer: null, rendering_options: null },
    livemode: false,
    metadata: mergeMetadata({}, params.metadata),
    name: text(params.name),
    next_invoice_sequence: 1,
    phone: text(params.phone),
    preferred_locales: params.preferred_locales ?? [],
    shipping: null,
    tax_exempt: params.tax_exempt ?? 'none',
    test_clock: clock,
    _ip_address: text(params.tax?.ip_address),
  })
  bank.fact('customer', { customer: id, email: customer.email, metadata: customer.metadata })
  bank.emit('customer.created', customer)
  for (const each of (params.tax_id_data ?? []) as Params[]) createTaxId(bank, customer, each)
  if (params.tax?.validate_location === 'immediately') demandLocated(bank, customer)
  if (!params.payment_method) return customer
  const method = attach(bank, methodById(bank, params.payment_method), customer)
  return updateCustomer(bank, customer, {
    invoice_settings: { default_payment_method: params.invoice_settings?.default_payment_method ?? method.id },
  })
}

export function updateCustomer(bank: Bank, customer: Obj, params: Params): Obj {
  const changed: Obj = { ...customer, metadata: mergeMetadata(customer.metadata, params.metadata) }
  for (const field of ['email', 'name', 'phone', 'description'] as const)
    if (params[field] !== undefined) changed[field] = text(params[field])
  if (params.address !== undefined) changed.address = addressOf(params.address || null)
  if (params.tax_exempt !== undefined) changed.tax_exempt = text(params.tax_exempt) ?? 'none'
  if (params.tax?.ip_address !== undefined) changed._ip_address = text(params.tax.ip_address)
  if (params.tax?.validate_location === 'immediately') demandLocated(bank, changed)
  if (params.balance !== undefined) changed.balance = int(params.balance)
  const method = params.invoice_settings?.default_payment_method
  if (method !== undefined) {
    const chosen = method === '' ? undefined : bank.find('payment_methods', method, 'invoice_settings[default_payment_method]')
    if (chosen && chosen.customer !== customer.id)
      throw wrong(
        `The customer does not have a payment method with the ID ${chosen.id}. The payment method must be attached to the customer.`,
        'invoice_settings[default_payment_method]',
        'resource_missing',
      )
    changed.invoice_settings = { ...customer.invoice_settings, default_payment_method: chosen?.id ?? null }
  }
  bank.t.customers.put(changed)
  bank.emit('customer.updated', changed, differences(customer, changed))
  return changed
}

export function deleteCustomer(bank: Bank, customer: Obj, cancel: (subscription: Obj) => unknown) {
  for (const subscription of bank.t.subscriptions.all()) {
    if (subscription.customer === customer.id && !['canceled', 'incomplete_expired'].includes(subscription.status)) cancel(subscription)
  }
  bank.emit('customer.deleted', customer)
  bank.t.customers.put({ ...customer, deleted: true })
  return { id: customer.id, object: 'customer', deleted: true }
}

/** A credit is negative: it pays the next invoice. */
export function moveBalance(
  bank: Bank,
  customer: Obj,
  change: {
    amount: number
    currency: string
    type: string
    invoice?: string
    creditNote?: string
    description?: string | null
    metadata?: Record<string, string>
  },
): Obj {
  const balance = customer.balance + change.amount
  const moving = bank.t.customers.put({ ...customer, balance, currency: change.currency })
  const moved = bank.t.customer_balance_transactions.put({
    id: bank.id('customer_balance_transactions'),
    object: 'customer_balance_transaction',
    amount: change.amount,
    checkout_session: null,
    created: bank.now(customer.test_clock),
    credit_note: change.creditNote ?? null,
    currency: change.currency,
    customer: customer.id,
    customer_account: null,
    description: change.description ?? null,
    ending_balance: balance,
    invoice: change.invoice ?? null,
    livemode: false,
    metadata: change.metadata ?? {},
    type: change.type,
  })
  bank.fact('customer_balance', {
    customer: customer.id,
    amount: change.amount,
    currency: change.currency,
    type: change.type,
    invoice: change.invoice ?? null,
  })
  bank.emit('customer.updated', moving, { balance: customer.balance })
  return moved
}

/** The `previous_attributes` of an event: the fields that changed, as they were. */
export function differences(before: Obj, after: Obj): Params {
  return Object.fromEntries(
    Object.entries(before).filter(([key, value]) => !key.startsWith('_') && JSON.stringify(value) !== JSON.stringify(after[key])),
  )
}
