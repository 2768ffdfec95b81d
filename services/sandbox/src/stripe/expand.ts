import { type Bank, list, type Obj } from './bank.ts'
import { lineItemsOf } from './checkout-session.ts'
import { StripeError } from './errors.ts'
import { paymentsOf } from './invoices.ts'
import { calculationLines, transactionLines } from './tax/calculations.ts'
import { isLocated, placeOf } from './tax/rates.ts'

/** Fields that are there only when they are asked for. */
const included: Record<string, (bank: Bank, object: Obj) => unknown> = {
  'checkout.session.line_items': (_bank, session) => lineItemsOf(session),
  'invoice.payments': paymentsOf,
  'invoice.confirmation_secret': (bank, invoice) => {
    const intent = bank.t.payment_intents.get(bank.t.invoice_payments.get(invoice._payment)?.payment.payment_intent)
    return intent ? { client_secret: intent.client_secret, type: 'payment_intent' } : null
  },
  'charge.refunds': (bank, charge) =>
    list(
      `/v1/charges/${charge.id}/refunds`,
      bank.t.refunds.newest().filter((each) => each.charge === charge.id),
    ),
  'customer.tax': (bank, customer) => {
    const place = placeOf(bank, customer)
    const found = isLocated(place)
    return {
      automatic_tax: found ? 'supported' : 'unrecognized_location',
      ip_address: customer._ip_address ?? null,
      location: found ? { country: place.country, source: 'billing_address', state: place.state } : null,
      provider: 'stripe',
    }
  },
  'customer.tax_ids': (bank, customer) =>
    list(
      `/v1/customers/${customer.id}/tax_ids`,
      bank.t.tax_ids.newest().filter((each) => each.customer === customer.id && !each.deleted),
    ),
  'tax.calculation.line_items': (_bank, calculation) => calculationLines(calculation),
  'tax.transaction.line_items': (_bank, transaction) => transactionLines(transaction),
  'coupon.applies_to': (_bank, { _products: products }) => (products ? { products } : undefined),
  'customer.subscriptions': (bank, customer) =>
    list(
      `/v1/customers/${customer.id}/subscriptions`,
      bank.t.subscriptions
        .newest()
        .filter((each) => each.customer === customer.id && !['canceled', 'incomplete_expired'].includes(each.status)),
    ),
}

/** `expand[]=latest_invoice.payments.data.payment.payment_intent`: ids become objects along each path. */
export function expandAll(bank: Bank, object: Obj, paths: string[]): unknown {
  return paths.reduce<unknown>((value, path) => {
    const steps = path.split('.')
    const levels = steps[0] === 'data' ? steps.length - 1 : steps.length
    if (levels > 4) throw new StripeError(400, `You cannot expand more than 4 levels of a property: ${path}`, { param: 'expand' })
    return along(bank, value, steps)
  }, object)
}

function along(bank: Bank, value: unknown, [step, ...rest]: string[]): unknown {
  if (step === undefined) return value
  if (Array.isArray(value)) return value.map((each) => along(bank, each, [step, ...rest]))
  if (typeof value !== 'object' || value === null) return value
  const object = value as Obj
  const make = included[`${object.object}.${step}`]
  const found = object[step] ?? make?.(bank, object)
  if (found === undefined && !(step in object)) return object
  const current = found ?? null
  const reached = Array.isArray(current) ? current.map((each) => resolve(bank, step, each)) : resolve(bank, step, current)
  return { ...object, [step]: along(bank, reached, rest) }
}

function resolve(bank: Bank, field: string, value: unknown): unknown {
  if (typeof value !== 'string') return value
  // Their ids begin as those of subscriptions do.
  if (field === 'schedule') return bank.t.subscription_schedules.get(value) ?? value
  return (field === 'coupon' ? bank.t.coupons.get(value) : undefined) ?? bank.lookUp(value) ?? bank.t.products.get(value) ?? value
}
