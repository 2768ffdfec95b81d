import { type Bank, list, type Obj } from '../bank.ts'
import { missing, required, wrong } from '../errors.ts'
import { int, mergeMetadata, type Params, text } from '../form.ts'
import { inside, lineTax, onTop } from './lines.ts'
import { isInclusive, isLocated, names, type Place, placeOf, type Verdict, verdictOn } from './rates.ts'

const KEPT_SECONDS = 90 * 86_400
const SOFTWARE = 'txcd_10000000'

/** `POST /v1/tax/calculations`: what the tax of an order would be, kept for 90 days to become a transaction. */
export function calculate(bank: Bank, params: Params): Obj {
  if (!params.line_items?.length) throw required('line_items')
  const customer = params.customer ? bank.find('customers', params.customer, 'customer') : null
  const details = (params.customer_details ?? {}) as Params
  const override: string = details.taxability_override ?? 'none'
  const exempt = { none: undefined, customer_exempt: 'exempt', reverse_charge: 'reverse' }[override]
  const place = placeOf(bank, customer, { ...details, ...(exempt && { tax_exempt: exempt }) })
  if (!isLocated(place))
    throw wrong(
      "We could not determine the customer's tax location based on the provided address.",
      'customer_details[address]',
      'customer_tax_location_invalid',
    )
  const currency = String(params.currency).toLowerCase()
  const id = bank.id('tax_calculations')
  const worked = (params.line_items as Params[]).map((given, index) => calculationLine(bank, id, given, index, place, currency))
  const taxes = worked.map((each) => each.tax)
  const lines = worked.map((each) => each.line)
  const at = bank.now(customer?.test_clock)
  return bank.t.tax_calculations.put({
    id,
    object: 'tax.calculation',
    created: at,
    amount_total: lines.reduce((sum, each) => sum + each.amount, 0) + onTop(taxes),
    currency,
    customer: customer?.id ?? null,
    customer_details: {
      address: addressOf(details.address ?? customer?.address),
      address_source: details.address_source ?? 'billing',
      ip_address: text(details.ip_address),
      tax_ids: place.ids,
      taxability_override: override,
    },
    expires_at: at + KEPT_SECONDS,
    livemode: false,
    ship_from_details: null,
    shipping_cost: null,
    tax_amount_exclusive: onTop(taxes),
    tax_amount_inclusive: inside(taxes),
    tax_breakdown: worked.map(({ verdict, tax }) => ({
      amount: tax.amount,
      inclusive: tax.tax_behavior === 'inclusive',
      tax_rate_details: {
        country: verdict.country,
        flat_amount: null,
        percentage_decimal: String(verdict.percent),
        rate_type: 'percentage',
        state: verdict.state,
        tax_type: verdict.type,
      },
      taxability_reason: verdict.reason,
      taxable_amount: tax.taxable_amount,
    })),
    tax_date: int(params.tax_date, at),
    _lines: lines,
    _country: place.country,
  })
}

function calculationLine(bank: Bank, calculation: string, given: Params, index: number, place: Place, currency: string) {
  const code: string = given.tax_code ?? bank.t.products.get(given.product)?.tax_code ?? SOFTWARE
  const verdict = verdictOn(place, code)
  const amount = int(given.amount)
  const tax = lineTax(bank, verdict, amount, isInclusive(given.tax_behavior ?? 'exclusive', currency))
  const line = {
    id: `tax_li_${calculation.slice(8)}${index}`,
    object: 'tax.calculation_line_item',
    amount,
    amount_tax: tax.amount,
    livemode: false,
    metadata: mergeMetadata({}, given.metadata),
    performance_location: null,
    product: text(given.product),
    quantity: int(given.quantity, 1),
    reference: text(given.reference) ?? `L${index + 1}`,
    tax_behavior: tax.tax_behavior,
    tax_breakdown: [breakdown(verdict, tax)],
    tax_code: code,
  }
  return { line, tax, verdict }
}

const breakdown = ({ country, state, percent, reason, type }: Verdict, tax: { amount: number; taxable_amount: number }) => ({
  amount: tax.amount,
  jurisdiction: { country, display_name: state ?? country, level: state ? 'state' : 'country', state },
  sourcing: 'destination',
  tax_rate_details:
    percent === 0 ? null : { display_name: type ? names[type] : 'Tax', percentage_decimal: String(percent), tax_type: type },
  taxability_reason: reason,
  taxable_amount: tax.taxable_amount,
})

export const addressOf = (given: Params | null | undefined) =>
  given
    ? {
        city: text(given.city),
        country: text(given.country),
        line1: text(given.line1),
        line2: text(given.line2),
        postal_code: text(given.postal_code),
        state: text(given.state),
      }
    : null

export const calculationLines = (calculation: Obj) => list(`/v1/tax/calculations/${calculation.id}/line_items`, calculation._lines)
export const transactionLines = (transaction: Obj) => list(`/v1/tax/transactions/${transaction.id}/line_items`, transaction._lines)

/** A calculation becomes what is reported. */
export function transactionFrom(bank: Bank, params: Params): Obj {
  const from = bank.t.tax_calculations.get(params.calculation)
  if (!from || from.expires_at < bank.now()) throw missing('tax calculation', params.calculation, 'calculation')
  const lines = from._lines.map(({ tax_breakdown: _, performance_location: __, ...line }: Params) => ({
    ...line,
    ...transactionLine(),
    type: 'transaction',
  }))
  const made = record(bank, { ...from, customer_details: from.customer_details }, params, lines, null)
  return made
}

const transactionLine = () => ({ object: 'tax.transaction_line_item', reversal: null })

/** All of it, or a part that a refund gave back: its amount includes the tax. */
export function reverseTransaction(bank: Bank, params: Params): Obj {
  const original = bank.find('tax_transactions', params.original_transaction, 'original_transaction')
  if (original.type === 'reversal') throw wrong('A reversal cannot be reversed.', 'original_transaction')
  const sums = (rows: Params[]) =>
    rows.reduce((sum, each) => sum + each.amount + (each.tax_behavior === 'exclusive' ? each.amount_tax : 0), 0)
  const before = bank.t.tax_transactions.all().filter((each) => each.reversal?.original_transaction === original.id)
  const left = sums(original._lines) + before.reduce((sum, each) => sum + sums(each._lines), 0)
  const amount = params.mode === 'full' ? -sums(original._lines) : int(params.flat_amount)
  if (params.mode === 'full' && before.length > 0) throw wrong('This transaction is already reversed in part.', 'mode')
  if (amount >= 0) throw wrong('The amount of a reversal must be negative.', 'flat_amount')
  if (-amount > left) throw wrong(`The amount is more than what is left of the transaction (${left}).`, 'flat_amount')
  const share = -amount / sums(original._lines)
  const lines = original._lines.map((line: Params) => ({
    ...line,
    id: `tax_li_${bank.state.id('x', 16).slice(2)}`,
    amount: -Math.round(line.amount * share),
    amount_tax: -Math.round(line.amount_tax * share),
    reversal: { original_line_item: line.id },
    type: 'reversal',
  }))
  return record(bank, original, params, lines, original.id)
}

function record(bank: Bank, from: Obj, params: Params, lines: Params[], original: string | null): Obj {
  if (bank.t.tax_transactions.all().some((each) => each.reference === params.reference))
    throw wrong(`A transaction with the reference '${params.reference}' already exists.`, 'reference', 'resource_already_exists')
  const created = bank.now()
  const made = bank.t.tax_transactions.put({
    id: bank.id('tax_transactions'),
    object: 'tax.transaction',
    created,
    currency: from.currency,
    customer: from.customer,
    customer_details: from.customer_details,
    livemode: false,
    metadata: mergeMetadata({}, params.metadata),
    posted_at: int(params.posted_at, created),
    reference: params.reference,
    reversal: original ? { original_transaction: original } : null,
    ship_from_details: null,
    shipping_cost: null,
    tax_date: from.tax_date,
    type: original ? 'reversal' : 'transaction',
    _lines: lines,
    _country: from._country,
  })
  const sum = (name: string) => lines.reduce((total, each) => total + each[name], 0)
  bank.fact('tax_transaction', {
    transaction: made.id,
    reference: made.reference,
    original,
    country: made._country,
    currency: made.currency,
    amount: sum('amount_tax'),
    taxable: sum('amount'),
    metadata: made.metadata,
  })
  return made
}
