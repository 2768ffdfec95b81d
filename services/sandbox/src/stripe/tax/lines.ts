import type { Bank, Obj } from '../bank.ts'
import { wrong } from '../errors.ts'
import { isInclusive, isLocated, type Place, placeOf, rateObject, taxIn, type Verdict, verdictOn } from './rates.ts'

export type LineTax = {
  amount: number
  tax_behavior: 'exclusive' | 'inclusive'
  tax_rate_details: { tax_rate: string }
  taxability_reason: string
  taxable_amount: number
  type: 'tax_rate_details'
}

export const AUTOMATIC_OFF = { disabled_reason: null, enabled: false, liability: null, provider: null, status: null }
export const AUTOMATIC_ON = { disabled_reason: null, enabled: true, liability: { type: 'self' }, provider: 'stripe', status: 'complete' }

/** The tax of one line on what is left of it after discounts. */
export function taxesOn(bank: Bank, place: Place, price: Obj, amount: number): LineTax[] {
  const verdict = verdictOn(place, bank.t.products.get(price.product)?.tax_code ?? null)
  return [lineTax(bank, verdict, amount, isInclusive(price.tax_behavior, price.currency))]
}

export function lineTax(bank: Bank, verdict: Verdict, amount: number, inclusive: boolean): LineTax {
  const tax = taxIn(amount, verdict.percent, inclusive)
  return {
    amount: tax,
    tax_behavior: inclusive ? 'inclusive' : 'exclusive',
    tax_rate_details: { tax_rate: rateObject(bank, verdict, inclusive) },
    taxability_reason: verdict.reason,
    taxable_amount: verdict.percent === 0 ? 0 : inclusive ? amount - tax : amount,
    type: 'tax_rate_details',
  }
}

const total = (taxes: LineTax[], behaviour: string) =>
  taxes.filter((each) => each.tax_behavior === behaviour).reduce((sum, each) => sum + each.amount, 0)
export const onTop = (taxes: LineTax[]) => total(taxes, 'exclusive')
export const inside = (taxes: LineTax[]) => total(taxes, 'inclusive')

/** The lines' taxes together, one row a rate. */
export function totalTaxes(taxes: LineTax[]): LineTax[] {
  const rows = new Map<string, LineTax>()
  for (const each of taxes) {
    const key = `${each.tax_rate_details.tax_rate} ${each.taxability_reason}`
    const row = rows.get(key)
    rows.set(key, row ? { ...row, amount: row.amount + each.amount, taxable_amount: row.taxable_amount + each.taxable_amount } : each)
  }
  return [...rows.values()]
}

/** Tax that is to be worked out by itself needs to know where the customer is. */
export function demandLocated(bank: Bank, customer: Obj, given = {}): Place {
  const place = placeOf(bank, customer, given)
  if (isLocated(place)) return place
  throw wrong(
    "The customer's location isn't recognized. Set a valid customer address in order to automatically calculate tax.",
    'automatic_tax',
    'customer_tax_location_invalid',
  )
}

/** One line of the truth log for each time that tax was charged, or given back when negative. */
export function taxFact(bank: Bank, about: Record<string, unknown>, place: Place, currency: string, taxes: LineTax[]) {
  const amount = taxes.reduce((sum, each) => sum + each.amount, 0)
  const taxable = taxes.reduce((sum, each) => sum + each.taxable_amount, 0)
  const [reason] = taxes.map((each) => each.taxability_reason)
  bank.fact('tax', { ...about, country: place.country, state: place.state, currency, amount, taxable, reason: reason ?? null })
}
