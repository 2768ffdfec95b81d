import type { Bank, Obj } from '../bank.ts'
import type { Params } from '../form.ts'

// The table of rates that stands for Stripe Tax. Standard rates for software sold online; the business counts as registered wherever a rate
// stands here. Rates change: nobody may read what is owed from this table.

type TaxType = 'vat' | 'gst' | 'sales_tax' | 'jct'
const vat: Record<string, number> = {
  AT: 20,
  BE: 21,
  BG: 20,
  CY: 19,
  CZ: 21,
  DE: 19,
  DK: 25,
  EE: 24,
  ES: 21,
  FI: 25.5,
  FR: 20,
  GR: 24,
  HR: 25,
  HU: 27,
  IE: 23,
  IT: 22,
  LT: 21,
  LU: 17,
  LV: 21,
  MT: 18,
  NL: 21,
  PL: 23,
  PT: 23,
  RO: 21,
  SE: 25,
  SI: 22,
  SK: 23,
}
export const isEu = (country: string) => country in vat
const others: Record<string, [TaxType, number]> = {
  AU: ['gst', 10],
  CA: ['gst', 5],
  CH: ['vat', 8.1],
  GB: ['vat', 20],
  JP: ['jct', 10],
  NO: ['vat', 25],
  NZ: ['gst', 15],
  SG: ['gst', 9],
}
const states: Record<string, number> = { CT: 6.35, MA: 6.25, NY: 8.875, PA: 6, TX: 8.25, WA: 10.35 }
const NOT_TAXABLE = 'txcd_00000000'

export type Place = {
  country: string | null
  state: string | null
  postal_code: string | null
  exempt: 'none' | 'exempt' | 'reverse'
  ids: { type: string; value: string }[]
}
export type Verdict = { percent: number; reason: string; country: string; state: string | null; type: TaxType | null }

/** Whether a place can be taxed: a country, and where rates differ inside it, more than that. */
export const isLocated = ({ country, state, postal_code }: Place): boolean =>
  country !== null && /^[A-Z]{2}$/.test(country) && (country !== 'US' || Boolean(state ?? postal_code))

export function verdictOn(place: Place, code: string | null): Verdict {
  const country = place.country!
  const state = country === 'US' ? (place.state ?? stateOf(place.postal_code)) : null
  const [type, percent]: [TaxType | null, number] = isEu(country)
    ? ['vat', vat[country]!]
    : country === 'US'
      ? ['sales_tax', states[state ?? ''] ?? 0]
      : (others[country] ?? [null, 0])
  const none = (reason: string): Verdict => ({ percent: 0, reason, country, state, type })
  if (place.exempt === 'exempt') return none('customer_exempt')
  if (code === NOT_TAXABLE) return none('product_exempt')
  if (type === null) return none('not_collecting')
  // The form of a number decides, as at Stripe, which leaves it to the merchant to look at its verification.
  const hasNumber = place.ids.some(({ type: of, value }) => of === 'eu_vat' && value.startsWith(country === 'GR' ? 'EL' : country))
  if (place.exempt === 'reverse' || (isEu(country) && hasNumber)) return none('reverse_charge')
  if (percent === 0) return none('product_exempt')
  return { percent, reason: 'standard_rated', country, state, type }
}

// The first digits of a postal code say the state: enough for the states in the table.
const stateOf = (postal: string | null): string | null => {
  const start = Number((postal ?? '').slice(0, 3))
  const found = Object.entries(postalCodes).find(([, ranges]) => ranges.some(([from, to]) => start >= from && start <= to))
  return found?.[0] ?? null
}
const postalCodes: Record<string, [number, number][]> = {
  CT: [[60, 69]],
  MA: [[10, 27]],
  NY: [[100, 149]],
  PA: [[150, 196]],
  TX: [
    [750, 799],
    [885, 885],
  ],
  WA: [[980, 994]],
}

/** In whole cents, half up, the same for a credit as for a charge. */
export function taxIn(amount: number, percent: number, isInclusive: boolean): number {
  const thousandths = Math.round(percent * 1000)
  const whole = isInclusive ? 100_000 + thousandths : 100_000
  return Math.sign(amount) * Math.floor((Math.abs(amount) * thousandths * 2 + whole) / (whole * 2))
}

/** `unspecified` prices include the tax, except in dollars, where it comes on top. */
export const isInclusive = (behaviour: string | null | undefined, currency: string): boolean =>
  behaviour === 'inclusive' || (behaviour !== 'exclusive' && !['usd', 'cad'].includes(currency))

/** The rate as an object that lines point to: one for each that was ever used. */
export function rateObject(bank: Bank, { percent, country, state, type }: Verdict, inclusive: boolean): string {
  const id = `txr_sandbox${country}${state ?? ''}${String(percent).replace('.', 'p')}${inclusive ? 'i' : 'e'}`
  if (!bank.t.tax_rates.get(id))
    bank.t.tax_rates.put({
      id,
      object: 'tax_rate',
      active: false,
      country,
      created: bank.now(),
      description: null,
      display_name: type ? names[type] : 'Tax',
      effective_percentage: percent,
      flat_amount: null,
      inclusive,
      jurisdiction: state ?? country,
      jurisdiction_level: state ? 'state' : 'country',
      livemode: false,
      metadata: {},
      percentage: percent,
      rate_type: 'percentage',
      state,
      tax_type: type,
    })
  return id
}
export const names: Record<TaxType, string> = { vat: 'VAT', gst: 'GST', sales_tax: 'Sales tax', jct: 'JCT' }

/** Where a customer is, and with which numbers. */
export function placeOf(bank: Bank, customer: Obj | null, given: Params = {}): Place {
  const address = (given.address || customer?.address || {}) as Params
  const own = bank.t.tax_ids.all().filter((each) => customer && each.customer === customer.id && !each.deleted)
  return {
    country: address.country ? String(address.country).toUpperCase() : null,
    state: address.state ? String(address.state).toUpperCase() : null,
    postal_code: address.postal_code ?? null,
    exempt: given.tax_exempt ?? customer?.tax_exempt ?? 'none',
    ids: (given.tax_ids as Place['ids'] | undefined) ?? own.map(({ type, value }) => ({ type, value })),
  }
}
