import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Stripe from 'stripe'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Sandbox, startSandbox } from '../../sandbox.ts'
import { openConformance } from '../sdk/conforms.ts'

const conformance = openConformance()
const dataDir = mkdtempSync(join(tmpdir(), 'sandbox-tax-'))
let sandbox: Sandbox
let stripe: Stripe
let monthly: Stripe.Price
let inclusive: Stripe.Price

const post = (path: string, body: object) =>
  fetch(sandbox.addresses.stripe + path, { method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json' } })
const advance = (account: string, seconds: number) => post('/sandbox/api/stripe/clock/advance', { account, seconds })

beforeAll(async () => {
  sandbox = await startSandbox({ dataDir, publicUrl: 'http://localhost:9204', seed: 'tax', heard: conformance.heard })
  const { hostname, port } = new URL(sandbox.addresses.stripe)
  stripe = new Stripe('sk_test_sandbox', { host: hostname, port: Number(port), protocol: 'http', maxNetworkRetries: 0 })
  const product = await stripe.products.create({ name: 'Pro', tax_code: 'txcd_10103001' })
  const price = (tax_behavior: 'exclusive' | 'inclusive', currency: string) =>
    stripe.prices.create({ product: product.id, currency, unit_amount: 10_000, tax_behavior, recurring: { interval: 'month' } })
  monthly = await price('exclusive', 'usd')
  inclusive = await price('inclusive', 'eur')
})
afterAll(async () => {
  await sandbox.close()
  rmSync(dataDir, { recursive: true })
})

const at = (country: string, more: object = {}) => ({ address: { country, ...more } })
const german = () =>
  stripe.customers.create({ email: 'uwe@example.com', payment_method: 'pm_card_visa', ...at('DE', { postal_code: '10115' }) })
const subscribe = (customer: string, price = monthly.id) =>
  stripe.subscriptions.create({ customer, items: [{ price }], automatic_tax: { enabled: true }, expand: ['latest_invoice'] })
const invoiceOf = ({ latest_invoice }: Stripe.Subscription) => latest_invoice as Stripe.Invoice
const taxFacts = (about: object) => {
  const [[name, value]] = Object.entries(about) as [[string, string]]
  return sandbox.truth.read({ kind: 'tax' }).filter((line) => line[name] === value)
}

describe('what a tax is', () => {
  test.each([
    ['on top, by a state’s rate', at('US', { state: 'NY', postal_code: '10001' }), 'exclusive', 10_000, 888, 10_888, 'standard_rated'],
    ['by the postal code alone', at('US', { postal_code: '98101' }), 'exclusive', 10_000, 1035, 11_035, 'standard_rated'],
    ['none where software is not taxed', at('US', { state: 'CA', postal_code: '94110' }), 'exclusive', 10_000, 0, 10_000, 'product_exempt'],
    ['on top in Germany', at('DE'), 'exclusive', 9999, 1900, 11_899, 'standard_rated'],
    ['inside a price that has it', at('DE'), 'inclusive', 11_900, 1900, 11_900, 'standard_rated'],
    ['half a percent, too', at('FI'), 'exclusive', 1000, 255, 1255, 'standard_rated'],
    ['none where nothing is collected', at('BR'), 'exclusive', 10_000, 0, 10_000, 'not_collecting'],
    [
      'none for a business elsewhere in the Union',
      { ...at('FR'), tax_ids: [{ type: 'eu_vat' as const, value: 'FRAB123456789' }] },
      'exclusive',
      10_000,
      0,
      10_000,
      'reverse_charge',
    ],
    [
      'a number of another country counts for nothing',
      { ...at('FR'), tax_ids: [{ type: 'eu_vat' as const, value: 'DE123456789' }] },
      'exclusive',
      10_000,
      2000,
      12_000,
      'standard_rated',
    ],
    [
      'none for who is exempt',
      { ...at('DE'), taxability_override: 'customer_exempt' as const },
      'exclusive',
      10_000,
      0,
      10_000,
      'customer_exempt',
    ],
  ])('%s', async (_what, customer_details, tax_behavior, amount, tax, total, reason) => {
    const calculation = await stripe.tax.calculations.create({
      currency: 'eur',
      customer_details: { address_source: 'billing', ...customer_details } as Stripe.Tax.CalculationCreateParams.CustomerDetails,
      line_items: [{ amount, reference: 'order', tax_behavior: tax_behavior as 'exclusive' }],
      expand: ['line_items'],
    })
    expect(calculation.amount_total).toBe(total)
    expect(calculation.tax_amount_exclusive + calculation.tax_amount_inclusive).toBe(tax)
    expect(calculation.tax_breakdown).toMatchObject([{ amount: tax, taxability_reason: reason }])
    expect(calculation.line_items!.data).toMatchObject([{ amount, amount_tax: tax, reference: 'order' }])
  })

  test('a calculation becomes a transaction under one reference, and is reversed in parts, never by more than it was', async () => {
    const { id } = await stripe.tax.calculations.create({
      currency: 'usd',
      customer_details: { address_source: 'billing', ...at('DE') },
      line_items: [{ amount: 10_000, reference: 'a' }],
    })
    const made = await stripe.tax.transactions.createFromCalculation({ calculation: id!, reference: 'order-1' })
    await expect(stripe.tax.transactions.createFromCalculation({ calculation: id!, reference: 'order-1' })).rejects.toMatchObject({
      param: 'reference',
    })
    const reverse = (reference: string, flat_amount: number) =>
      stripe.tax.transactions.createReversal({
        mode: 'partial',
        original_transaction: made.id,
        reference,
        flat_amount,
        expand: ['line_items'],
      })
    expect((await reverse('refund-1', -5950)).line_items!.data).toMatchObject([{ amount: -5000, amount_tax: -950 }])
    await expect(reverse('refund-2', -5951)).rejects.toMatchObject({ param: 'flat_amount' })
    await reverse('refund-3', -5950)
    const facts = sandbox.truth.read({ kind: 'tax_transaction' })
    expect(facts.map(({ amount, country }) => [amount, country])).toEqual([
      [1900, 'DE'],
      [-950, 'DE'],
      [-950, 'DE'],
    ])
  })
})

describe('numbers of businesses', () => {
  test.each([
    ['eu_vat', 'DE123456789', 'verified'],
    ['eu_vat', 'DE111111111', 'unverified'],
    ['eu_vat', 'DE222222222', 'pending'],
    ['us_ein', '12-3456789', 'unavailable'],
  ] as const)('%s %s is asked for and comes out %s', async (type, value, status) => {
    const { id } = await german()
    const { id: number, verification } = await stripe.customers.createTaxId(id, { type, value })
    expect(verification!.status).toBe(status === 'unavailable' ? status : 'pending')
    await advance(id, 61)
    expect((await stripe.customers.retrieveTaxId(id, number)).verification!.status).toBe(status)
    const events = await stripe.events.list({ type: 'customer.tax_id.updated', limit: 100 })
    expect(events.data.some(({ data }) => (data.object as Stripe.TaxId).id === number)).toBe(['verified', 'unverified'].includes(status))
  })

  test('a wrong form is refused, another’s number is not there, and one that is taken off is gone', async () => {
    const [uwe, eva] = [await german(), await german()]
    await expect(stripe.customers.createTaxId(uwe.id, { type: 'eu_vat', value: '123' })).rejects.toMatchObject({ code: 'tax_id_invalid' })
    const { id } = await stripe.customers.createTaxId(uwe.id, { type: 'eu_vat', value: 'DE 123 456 789' })
    await expect(stripe.customers.retrieveTaxId(eva.id, id)).rejects.toMatchObject({ statusCode: 404 })
    await stripe.customers.deleteTaxId(uwe.id, id)
    expect((await stripe.customers.listTaxIds(uwe.id)).data).toEqual([])
  })
})

describe('invoices', () => {
  test('a subscription is taxed each month where the customer then is, and its numbers end the tax', async () => {
    const { id } = await german()
    const subscription = await subscribe(id)
    expect(invoiceOf(subscription)).toMatchObject({
      subtotal: 10_000,
      total: 11_900,
      total_excluding_tax: 10_000,
      amount_paid: 11_900,
      automatic_tax: { enabled: true, status: 'complete' },
      total_taxes: [{ amount: 1900, taxable_amount: 10_000, taxability_reason: 'standard_rated' }],
    })
    const preview = await stripe.invoices.createPreview({ subscription: subscription.id })
    await stripe.customers.createTaxId(id, { type: 'eu_vat', value: 'DE123456789' })
    await advance(id, 32 * 86_400)
    const [renewed] = (await stripe.invoices.list({ customer: id })).data
    expect([preview.total, renewed!.total]).toEqual([11_900, 10_000])
    expect(renewed).toMatchObject({
      customer_tax_ids: [{ type: 'eu_vat', value: 'DE123456789' }],
      total_taxes: [{ amount: 0, taxability_reason: 'reverse_charge' }],
    })
    const page = await fetch(sandbox.addresses.stripe + new URL(renewed!.hosted_invoice_url!).pathname)
    expect(await page.text()).toContain('Tax to be paid on reverse charge basis')
    expect(taxFacts({ customer: id }).map(({ amount, reason }) => [amount, reason])).toEqual([
      [1900, 'standard_rated'],
      [0, 'reverse_charge'],
    ])
  })

  test('a price that includes the tax stays what it is', async () => {
    const { id } = await german()
    expect(invoiceOf(await subscribe(id, inclusive.id))).toMatchObject({
      subtotal: 10_000,
      subtotal_excluding_tax: 8403,
      total: 10_000,
      total_excluding_tax: 8403,
      total_taxes: [{ amount: 1597, tax_behavior: 'inclusive', taxable_amount: 8403 }],
    })
  })

  test('who cannot be placed is refused at first, and later invoiced without tax, which says why', async () => {
    const nowhere = await stripe.customers.create({ email: 'no@example.com', payment_method: 'pm_card_visa' })
    await expect(subscribe(nowhere.id)).rejects.toMatchObject({ code: 'customer_tax_location_invalid' })
    await expect(stripe.customers.update(nowhere.id, { tax: { validate_location: 'immediately' } })).rejects.toMatchObject({
      code: 'customer_tax_location_invalid',
    })
    const { id } = await german()
    const subscription = await subscribe(id)
    await stripe.customers.update(id, { address: '' })
    await advance(id, 32 * 86_400)
    const after = await stripe.subscriptions.retrieve(subscription.id, { expand: ['latest_invoice'] })
    expect(after.automatic_tax).toMatchObject({ enabled: false, disabled_reason: 'requires_location_inputs' })
    expect(invoiceOf(after)).toMatchObject({ total: 10_000, automatic_tax: { disabled_reason: 'finalization_requires_location_inputs' } })
  })
})

describe('checkout', () => {
  const open = (more: Stripe.Checkout.SessionCreateParams = {}) =>
    stripe.checkout.sessions.create({
      mode: 'payment',
      line_items: [
        { price_data: { currency: 'usd', unit_amount: 5000, tax_behavior: 'exclusive', product_data: { name: 'E-book' } }, quantity: 2 },
        { price_data: { currency: 'usd', unit_amount: 1, tax_behavior: 'exclusive', product_data: { name: 'Sticker' } } },
      ],
      automatic_tax: { enabled: true },
      success_url: 'http://localhost:9204/done',
      ...more,
    })
  const complete = async (id: string, more: object) => {
    const answer = await post(`/sandbox/api/stripe/checkout/${id}/complete`, more)
    return { status: answer.status, body: (await answer.json()) as any }
  }

  test('a guest’s tax is known with their address, is paid, and goes back with each refund', async () => {
    const session = await open()
    expect(session).toMatchObject({ amount_total: 10_001, automatic_tax: { status: 'requires_location_inputs' } })
    expect((await complete(session.id, {})).status).toBe(400)
    const { body } = await complete(session.id, { address: { country: 'DE' } })
    const done = await stripe.checkout.sessions.retrieve(session.id, { expand: ['line_items'] })
    expect(done).toMatchObject({ amount_subtotal: 10_001, amount_total: 11_901, total_details: { amount_tax: 1900 } })
    expect(done.line_items!.data.map((each) => [each.amount_tax, each.amount_total])).toEqual([
      [1900, 11_900],
      [0, 1],
    ])
    const { latest_charge: charge, amount } = await stripe.paymentIntents.retrieve(body.payment_intent)
    expect(amount).toBe(11_901)
    for (const part of [4000, 4000, 3901]) await stripe.refunds.create({ charge: charge as string, amount: part })
    const facts = taxFacts({ charge: charge as string }).map((line) => line.amount as number)
    expect(facts[0]).toBe(1900)
    expect(facts.slice(1)).toHaveLength(3)
    expect(facts.reduce((sum, each) => sum + each, 0)).toBe(0)
  })

  test('a business pays none of it with its number, which stays with the customer', async () => {
    const { id: customer } = await german()
    await expect(open({ customer, tax_id_collection: { enabled: true } })).rejects.toMatchObject({ param: 'tax_id_collection' })
    const session = await open({ customer, tax_id_collection: { enabled: true }, customer_update: { name: 'auto', address: 'auto' } })
    expect(session.amount_total).toBe(11_901)
    await complete(session.id, { tax_id: { type: 'eu_vat', value: 'DE123456789' } })
    const done = await stripe.checkout.sessions.retrieve(session.id)
    expect(done).toMatchObject({ amount_total: 10_001, customer_details: { tax_ids: [{ type: 'eu_vat', value: 'DE123456789' }] } })
    expect((await stripe.customers.listTaxIds(customer)).data).toHaveLength(1)
  })

  test('a customer without an address needs leave to be given one', async () => {
    const { id: customer } = await stripe.customers.create({ email: 'no@example.com' })
    await expect(open({ customer })).rejects.toMatchObject({ code: 'customer_tax_location_invalid' })
    const session = await open({ customer, customer_update: { address: 'auto' } })
    await complete(session.id, { address: { country: 'US', postal_code: '10001' } })
    const { tax, address } = (await stripe.customers.retrieve(customer, { expand: ['tax'] })) as Stripe.Customer
    expect([tax!.automatic_tax, address!.country]).toEqual(['supported', 'US'])
  })
})

describe('credit notes', () => {
  test('one for a paid invoice gives back the money with its tax, and never more than there was', async () => {
    const { id } = await german()
    const invoice = invoiceOf(await subscribe(id))
    const note = (more: object) => stripe.creditNotes.create({ invoice: invoice.id, ...more })
    await expect(note({ amount: 5950 })).rejects.toMatchObject({ param: 'amount' })
    expect(await stripe.creditNotes.preview({ invoice: invoice.id, amount: 5950, refund_amount: 5950 })).toMatchObject({ subtotal: 5000 })
    const made = await note({ amount: 5950, refund_amount: 3950, credit_amount: 2000, reason: 'product_unsatisfactory' })
    expect(made).toMatchObject({ total: 5950, subtotal: 5000, total_taxes: [{ amount: 950 }], type: 'post_payment', status: 'issued' })
    const [refund] = (await stripe.refunds.list({ limit: 1 })).data
    expect(made.refunds).toMatchObject([{ refund: refund!.id, amount_refunded: 3950 }])
    expect(((await stripe.customers.retrieve(id)) as Stripe.Customer).balance).toBe(-2000)
    expect(await stripe.invoices.retrieve(invoice.id)).toMatchObject({ post_payment_credit_notes_amount: 5950, status: 'paid' })
    await expect(note({ amount: 5951, refund_amount: 5951 })).rejects.toMatchObject({ param: 'amount' })
    const [line] = invoice.lines.data
    await note({ lines: [{ type: 'invoice_line_item', invoice_line_item: line!.id, amount: 5000 }], out_of_band_amount: 5950 })
    expect(taxFacts({ customer: id }).reduce((sum, each) => sum + (each.amount as number), 0)).toBe(0)
    expect(
      sandbox.truth
        .read({ kind: 'credit_note' })
        .map(({ amount, refunded, credited, out_of_band, tax }) => [amount, refunded, credited, out_of_band, tax]),
    ).toEqual([
      [5950, 3950, 2000, 0, 950],
      [5950, 0, 0, 5950, 950],
    ])
    await expect(stripe.creditNotes.voidCreditNote(made.id)).rejects.toMatchObject({ statusCode: 400 })
    const pdf = await fetch(sandbox.addresses.stripe + new URL(made.pdf).pathname)
    expect(pdf.headers.get('content-type')).toBe('application/pdf')
  })

  test('one for an open invoice makes it smaller, until it is void', async () => {
    const customer = await stripe.customers.create({ email: 'late@example.com', payment_method: 'pm_card_chargeCustomerFail', ...at('DE') })
    const invoice = invoiceOf(
      await stripe.subscriptions.create({
        customer: customer.id,
        items: [{ price: monthly.id }],
        automatic_tax: { enabled: true },
        payment_behavior: 'default_incomplete',
        expand: ['latest_invoice'],
      }),
    )
    const note = await stripe.creditNotes.create({ invoice: invoice.id, amount: 1190 })
    expect(note).toMatchObject({ type: 'pre_payment', pre_payment_amount: 1190 })
    expect(await stripe.invoices.retrieve(invoice.id)).toMatchObject({ amount_remaining: 10_710, amount_due: 10_710 })
    await stripe.creditNotes.voidCreditNote(note.id)
    expect(await stripe.invoices.retrieve(invoice.id)).toMatchObject({ amount_remaining: 11_900 })
    expect(taxFacts({ customer: customer.id }).map((each) => each.amount)).toEqual([1900, -190, 190])
    await stripe.creditNotes.create({ invoice: invoice.id, amount: 11_900 })
    expect(await stripe.invoices.retrieve(invoice.id)).toMatchObject({ status: 'paid', amount_remaining: 0 })
  })
})

test('every answer and every event of the tests above fits the types of the provider’s SDK', { timeout: 180_000 }, () => {
  expect(conformance.problems()).toEqual([])
  expect(conformance.seen()).toBeGreaterThan(100)
})
