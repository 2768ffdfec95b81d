import { saleTaxRate } from '@operon/contracts/billing/selling-events'
import type { TestUser } from '@operon/kit/testing/service'
import { afterAll, expect, test, vi } from 'vitest'
import { startBilling } from '../fixture.ts'
import { taxRates } from '../sales/tax-rate.ts'
import { GETS_DISPUTED, sellingOn } from '../sellers/fixture.ts'
import { taxDifferences } from './compare-sellers.ts'
import { ledgerBalances } from './post.ts'

const billing = await startBilling()
const selling = sellingOn(billing)
afterAll(() => billing.close())

const within = { timeout: 15_000, interval: 100 }
const GERMANY = { country: 'DE', postal_code: '10115' }
const NUMBER = { ...GERMANY, tax_id: 'DE123456789' }
const payable = async () =>
  0 - ((await ledgerBalances(billing.db)).balances.find(({ account }) => account === 'sales_tax_payable')?.amount_cents ?? 0)
const linesOf = (country: string) =>
  billing.db
    .selectFrom('tax_lines')
    .select(['taxable_cents', 'tax_cents', 'reverse_charge'])
    .where('country', '=', country)
    .orderBy('at')
    .orderBy('reference')
    .execute()
/** The tax that the stand-in worked out, by its own log. */
const truth = (charge: string) =>
  billing.sandbox.truth
    .read({ kind: 'tax' })
    .filter((line) => line.charge === charge)
    .reduce((sum, { amount }) => sum + Number(amount), 0)

test('a guest pays the tax of their country on top, the seller’s share is of the price, and a refund gives it back [spec-136]', {
  timeout: 60_000,
}, async () => {
  const ann = await selling.seller()
  const before = await payable()
  const { opened, ...sold } = await selling.open(ann, 10_000)
  if (opened.state !== 'open') throw new Error(opened.state)
  const page = await (await fetch(billing.sandbox.addresses.stripe + new URL(opened.url).pathname)).text()
  expect(page).toContain('Added for your address')
  await billing.pay(opened.url, undefined, GERMANY)
  await vi.waitFor(async () => expect(await selling.row(sold)).toMatchObject({ status: 'completed' }), within)
  const sale = (await selling.row(sold))!
  expect(sale).toMatchObject({ gross_cents: 11_900, tax_cents: 1_900, share_cents: 8_000, tax_country: 'DE', tax_state: null })
  expect(sale).toMatchObject({ reverse_charge: false, buyer_address: '10115, DE' })
  expect(await selling.balance(ann)).toMatchObject({ held_cents: 8_000 })
  expect((await payable()) - before).toBe(1_900)
  await billing.quiet()
  expect(await billing.published('billing.sale_settled', ann)).toMatchObject([{ amount_cents: 10_000, tax_cents: 1_900 }])
  // The parts of a preview are all that the buyer gets.
  const { body: preview } = await billing.call('preview-refund', ann, { sale_id: sale.id })
  expect(preview).toMatchObject({ amount_cents: 11_900, from_held_cents: 8_000, fee_returned_cents: 2_000, tax_returned_cents: 1_900 })
  for (const amount_cents of [3_333, 3_333])
    await billing.call('refund-order', ann, { sale_id: sale.id, amount_cents, reason: 'A part of it' })
  expect(await selling.balance(ann)).toMatchObject({ held_cents: 8_000 - Math.floor((8_000 * 6_666) / 11_900) })
  expect((await payable()) - before).toBe(truth(sale.charge))
  await billing.call('refund-order', ann, { sale_id: sale.id, reason: 'The rest of it' })
  expect(await payable()).toBe(before)
  expect((await linesOf('DE')).reduce((sum, { tax_cents, taxable_cents }) => sum + tax_cents + taxable_cents, 0)).toBe(0)
  expect((await billing.published('billing.sale_refunded', ann)).at(-1)).toMatchObject({
    ...{ amount_cents: 10_000, refunded_cents: 10_000, paid_cents: 11_900 },
  })
  await billing.booksMatch()
})

test('a business that gives its number is charged no tax, and the sale says why [spec-136]', { timeout: 60_000 }, async () => {
  const bob = await selling.seller()
  const before = await payable()
  const sold = await selling.sell(bob, 10_000, { fields: NUMBER })
  expect(await selling.row(sold)).toMatchObject({
    ...{ gross_cents: 10_000, tax_cents: 0, reverse_charge: true, buyer_tax_id: 'DE123456789', tax_country: 'DE' },
  })
  expect(await payable()).toBe(before)
  expect((await linesOf('DE')).at(-1)).toEqual({ taxable_cents: 10_000, tax_cents: 0, reverse_charge: true })
  const { opened } = await selling.open(bob, 5_000)
  if (opened.state !== 'open') throw new Error(opened.state)
  expect((await billing.pay(opened.url, undefined, { ...GERMANY, tax_id: 'nonsense' })).text).toContain('Invalid value for eu_vat')
})

test('a lost dispute gives the tax back with the payment', { timeout: 60_000 }, async () => {
  const cyd = await selling.seller()
  const before = await payable()
  const sold = await selling.sell(cyd, 10_000, { card: GETS_DISPUTED, fields: GERMANY })
  await selling.advance(0.01)
  await vi.waitFor(async () => expect(await selling.row(sold)).toMatchObject({ dispute: 'open' }), within)
  expect((await payable()) - before).toBe(1_900)
  await billing.call('submit-evidence', cyd, { sale_id: (await selling.row(sold))!.id, text: 'losing_evidence', send: true })
  await vi.waitFor(async () => expect(await selling.row(sold)).toMatchObject({ dispute: 'lost' }), within)
  expect(await payable()).toBe(before)
  await billing.booksMatch()
})

async function subscribe(fields: Record<string, string>): Promise<TestUser> {
  const user = billing.user()
  await billing.pay((await billing.call('create-checkout', user, { plan: 'basic' })).body.url, undefined, fields)
  await billing.becomes(user, { status: 'trialing' })
  await billing.advance(3.1)
  await billing.becomes(user, { status: 'active' })
  return user
}

test('a plan is taxed at its first payment and its renewals, and what is refunded gives its tax back', { timeout: 60_000 }, async () => {
  const before = await payable()
  const user = await subscribe({ country: 'FR' })
  expect((await payable()) - before).toBe(980)
  const [charge] = (await billing.stripe.charges.list({ customer: await billing.customer(user) })).data
  expect(charge!.amount).toBe(5_880)
  for (const amount_cents of [1_111, 1_111, 3_658])
    expect((await billing.call('staff-refund', billing.staff(), { payment: charge!.id, amount_cents, reason: 'Goodwill' })).status).toBe(
      200,
    )
  await billing.quiet()
  expect(await payable()).toBe(before)
  expect((await linesOf('FR')).map(({ tax_cents }) => tax_cents).reduce((sum, cents) => sum + cents, 0)).toBe(0)
  await billing.booksMatch()
})

test('tax on what credit has paid is owed all the same, once', { timeout: 60_000 }, async () => {
  const user = billing.user()
  const before = await payable()
  await billing.pay((await billing.call('create-checkout', user, { plan: 'basic' })).body.url, undefined, { country: 'IT' })
  await billing.becomes(user, { status: 'trialing' })
  await billing.stripe.customers.createBalanceTransaction(await billing.customer(user), { amount: -10_000, currency: 'usd' })
  await billing.advance(3.1)
  await billing.becomes(user, { status: 'active' })
  await vi.waitFor(async () => expect((await payable()) - before).toBe(1_078), within)
  expect(await linesOf('IT')).toEqual([{ taxable_cents: 4_900, tax_cents: 1_078, reverse_charge: false }])
  expect(await taxDifferences(billing.db)).toEqual([])
})

test('the tax that a cart shows for a country is what the payment page charges', { timeout: 60_000 }, async () => {
  const { ask } = billing.platform.services.sandbox!.rt
  const rates = await Promise.all([1, 2, 3].map(() => ask(saleTaxRate, { country: 'DE' })))
  expect(rates).toEqual(rates.map(() => ({ state: 'known', name: 'VAT', percent: 19 })))
  const ann = await selling.seller()
  const sold = await selling.sell(ann, 3_333, { fields: GERMANY })
  expect(await selling.row(sold)).toMatchObject({ tax_cents: Math.round((3_333 * 19) / 100) })
  expect(await ask(saleTaxRate, { country: 'US' })).toEqual({ state: 'by_address' })
  expect(await ask(saleTaxRate, { country: 'AE' })).toEqual({ state: 'none' })
})

test('however many carts are looked at, a country is asked of the provider once a day, and a failure is not kept', async () => {
  let asked = 0
  let isAway = true
  const rateOf = taxRates({
    async saleTaxIn() {
      asked++
      if (isAway) throw new Error('away')
      return { name: 'VAT', percent: 19 }
    },
  })
  await expect(rateOf('DE')).rejects.toThrow('away')
  isAway = false
  await Promise.all([1, 2, 3].map(() => rateOf('DE')))
  expect(await rateOf('DE')).toEqual({ state: 'known', name: 'VAT', percent: 19 })
  expect(asked).toBe(2)
})
