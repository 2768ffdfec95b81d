import type { Bank, Obj } from './bank.ts'
import { sumOff, takenOff } from './discounts.ts'
import { wrong } from './errors.ts'
import type { Params } from './form.ts'
import { AUTOMATIC_OFF, AUTOMATIC_ON, inside, type LineTax, onTop, taxesOn } from './tax/lines.ts'
import { isLocated, type Place } from './tax/rates.ts'

type Bought = { items: Params[]; discounts: { coupon: string | null }[]; trial: boolean; automatic: boolean; place: Place | null }

/** The totals of a checkout: lines after discounts, tax once the buyer's place is known, and the sum. */
export function totalsOf(bank: Bank, { items, discounts, trial, automatic, place }: Bought) {
  const subtotal = items.reduce((sum, item) => sum + item.amount_subtotal, 0)
  const taken = takenOff(
    items.map((item) => ({ amount: item.amount_subtotal, product: item.price.product, discountable: true })),
    discounts.map(({ coupon }) => ({ discount: coupon ?? '', coupon: bank.t.coupons.get(coupon ?? '') })),
  )
  const offs = taken.map(sumOff)
  const off = offs.reduce((sum, each) => sum + each, 0)
  const located = automatic && place !== null && isLocated(place)
  const taxes: LineTax[][] = items.map((item, index) =>
    located && !trial ? taxesOn(bank, place, item.price, item.amount_subtotal - offs[index]!) : [],
  )
  const added = taxes.reduce((sum, each) => sum + onTop(each), 0)
  return {
    amount_subtotal: trial ? 0 : subtotal,
    amount_total: trial ? 0 : subtotal - off + added,
    automatic_tax: located
      ? sessionTax(AUTOMATIC_ON)
      : automatic
        ? { ...sessionTax(AUTOMATIC_ON), status: 'requires_location_inputs' }
        : sessionTax(AUTOMATIC_OFF),
    total_details: {
      amount_discount: trial ? 0 : off,
      amount_shipping: 0,
      amount_tax: added + taxes.reduce((sum, each) => sum + inside(each), 0),
    },
    _line_items: items.map((item, index) => ({
      ...item,
      amount_discount: offs[index]!,
      amount_tax: onTop(taxes[index]!) + inside(taxes[index]!),
      amount_total: item.amount_subtotal - offs[index]! + onTop(taxes[index]!),
    })),
    _later: subtotal - off,
    _taxes: taxes.flat(),
    _place: located ? place : null,
  }
}

const sessionTax = ({ enabled, liability, provider, status }: Params) => ({ enabled, liability, provider, status })

/** A known customer gets the address that the tax is worked out by, so Stripe wants leave to write it. */
export function demandTaxParameters(params: Params, customer: Obj | null, place: Place | null) {
  const update = (params.customer_update ?? {}) as Params
  if (customer && params.automatic_tax?.enabled === 'true' && !(place && isLocated(place)) && update.address !== 'auto')
    throw wrong(
      "Automatic tax calculation in Checkout requires a valid address on the Customer. Add a valid address to the Customer or set either `customer_update[address]` to 'auto' or `customer_update[shipping]` to 'auto' to save the address entered in Checkout to the Customer.",
      'automatic_tax',
      'customer_tax_location_invalid',
    )
  if (customer && params.tax_id_collection?.enabled === 'true' && update.name !== 'auto')
    throw wrong(
      'Tax ID collection requires updating business name on the customer. To enable tax ID collection for an existing customer, please set `customer_update[name]` to `auto`.',
      'tax_id_collection',
    )
}
