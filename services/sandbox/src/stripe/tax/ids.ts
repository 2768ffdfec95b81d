import type { Bank, Obj } from '../bank.ts'
import { wrong } from '../errors.ts'
import type { Params } from '../form.ts'
import { isEu } from './rates.ts'

const VERIFIED_AFTER_SECONDS = 60

/** The forms that are checked here; of any other kind everything is taken. */
const forms: Record<string, RegExp> = {
  eu_vat: /^(AT|BE|BG|CY|CZ|DE|DK|EE|EL|ES|FI|FR|HR|HU|IE|IT|LT|LU|LV|MT|NL|PL|PT|RO|SE|SI|SK|XI)[0-9A-Z+*]{7,12}$/,
  gb_vat: /^GB\d{9}(\d{3})?$/,
  ch_vat: /^CHE-?\d{3}\.?\d{3}\.?\d{3}(MWST|TVA|IVA)$/,
  no_vat: /^\d{9}MVA$/,
  au_abn: /^\d{11}$/,
  us_ein: /^\d{2}-?\d{7}$/,
}
/** Stripe asks the registers of these alone. */
const VERIFIED_TYPES = ['eu_vat', 'gb_vat', 'au_abn']
/** Numbers that decide it in test mode; any other is found a minute later. */
const UNKNOWN_NUMBER = '111111111'
const ENDLESS_NUMBER = '222222222'

/** As it is kept, or refused where its form is wrong. */
export function taxIdForm({ type, value: typed }: Params): { type: string; value: string } {
  const value = String(typed).replace(/\s/g, '').toUpperCase()
  if (forms[type] && !forms[type].test(value)) throw wrong(`Invalid value for ${type}.`, 'value', 'tax_id_invalid')
  return { type, value }
}

export function createTaxId(bank: Bank, customer: Obj, given: Params): Obj {
  const { type, value } = taxIdForm(given)
  const before = bank.t.tax_ids
    .all()
    .find((each) => each.customer === customer.id && each.type === type && each.value === value && !each.deleted)
  if (before) return before
  const clock = customer.test_clock ?? null
  const asked = VERIFIED_TYPES.includes(type)
  const country = value.slice(0, 2) === 'EL' ? 'GR' : value.slice(0, 2)
  const made = bank.t.tax_ids.put({
    id: bank.id('tax_ids'),
    object: 'tax_id',
    country: type === 'eu_vat' && isEu(country) ? country : type.slice(0, 2).toUpperCase(),
    created: bank.now(clock),
    customer: customer.id,
    customer_account: null,
    livemode: false,
    owner: { customer: customer.id, customer_account: null, type: 'customer' },
    type,
    value,
    verification: { status: asked ? 'pending' : 'unavailable', verified_address: null, verified_name: null },
    _clock: clock,
    _decided_at: asked && !value.includes(ENDLESS_NUMBER) ? bank.now(clock) + VERIFIED_AFTER_SECONDS : null,
  })
  bank.emit('customer.tax_id.created', made)
  return made
}

export const taxIdDue = (bank: Bank, id: Obj) =>
  id._decided_at ? { at: id._decided_at as number, run: () => verify(bank, id) } : undefined

function verify(bank: Bank, id: Obj) {
  const isKnown = !id.value.includes(UNKNOWN_NUMBER)
  const verification = isKnown
    ? { status: 'verified', verified_address: '1 Sandbox Street', verified_name: 'Sandbox Company' }
    : { status: 'unverified', verified_address: null, verified_name: null }
  const known = bank.t.tax_ids.put({ ...id, verification, _decided_at: null })
  bank.emit('customer.tax_id.updated', known, { verification: id.verification })
}

export function deleteTaxId(bank: Bank, id: Obj) {
  bank.t.tax_ids.put({ ...id, deleted: true })
  bank.emit('customer.tax_id.deleted', id)
  return { id: id.id, object: 'tax_id', deleted: true }
}
