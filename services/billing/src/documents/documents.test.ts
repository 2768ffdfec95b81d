import { saleDocument, saleDocuments } from '@operon/contracts/billing/documents'
import { afterAll, expect, test, vi } from 'vitest'
import { DAY, startBilling, type TestBilling } from '../fixture.ts'
import { GETS_DISPUTED, sellingOn } from '../sellers/fixture.ts'
import { numberDocuments, numberOf, wantDocument } from './documents.ts'

const billing = await startBilling({
  BUSINESS_NAME: 'Operon Ltd',
  BUSINESS_ADDRESS: '1 Harbour Street; Dublin 1; Ireland',
  BUSINESS_TAX_ID: 'IE6388047V',
})
const selling = sellingOn(billing)
afterAll(() => billing.close())

const within = { timeout: 15_000, interval: 100 }
const GERMANY = { country: 'DE', postal_code: '10115' }
const saidIn = (pdf: string) => Buffer.from(pdf, 'base64').toString('latin1')
const open = async (user: Parameters<TestBilling['call']>[1], document_id: string) =>
  (await billing.call('open-document', user, { document_id })).body
const shown = async (user: Parameters<TestBilling['call']>[1], sale_id: string) => (await billing.call('show-sale', user, { sale_id })).body

test('a sale has its invoice and each refund its credit note, with the tax, both sides and what they correct [spec-136]', {
  timeout: 60_000,
}, async () => {
  const ann = await selling.seller()
  const sold = await selling.sell(ann, 10_000, { fields: GERMANY })
  const sale = (await selling.row(sold))!
  expect((await shown(ann, sale.id)).documents).toMatchObject([{ kind: 'invoice', number: 'INV-2026-000001', amount_cents: 11_900 }])
  await billing.call('refund-order', ann, { sale_id: sale.id, amount_cents: 3_333, reason: 'A part of it' })
  await billing.call('refund-order', ann, { sale_id: sale.id, reason: 'The rest of it' })
  const { documents } = await shown(ann, sale.id)
  expect(documents.map(({ number, amount_cents }: any) => [number, amount_cents])).toEqual([
    ['INV-2026-000001', 11_900],
    ['CN-2026-000001', 3_333],
    ['CN-2026-000002', 8_567],
  ])
  const [invoice, note, rest] = documents
  const pdf = saidIn((await open(ann, invoice.id)).pdf)
  for (const said of ['Operon Ltd', '1 Harbour Street', 'IE6388047V', 'Test Person', 'DE', 'Lead qualification', 'INV-2026-000001'])
    expect(pdf).toContain(said)
  for (const said of ['Tax, DE, 19 %', '100.00 USD', '19.00 USD', '119.00 USD', 'Paid by card']) expect(pdf).toContain(said)
  const returned = saidIn((await open(ann, note.id)).pdf)
  for (const said of ['Credit note', 'Corrects invoice INV-2026-000001', '-33.33 USD', 'Refund of Lead qualification'])
    expect(returned).toContain(said)
  // To the cent, the notes give back the tax of the invoice.
  const rows = await billing.db.selectFrom('documents').selectAll().where('sale_id', '=', sale.id).execute()
  expect(rows.reduce((sum, { kind, tax_cents }) => sum + (kind === 'invoice' ? tax_cents : -tax_cents), 0)).toBe(0)
  expect(rest.amount_cents).toBe(11_900 - 3_333)
})

test('a business that owes the tax itself reads so on its invoice, with its number', { timeout: 60_000 }, async () => {
  const ann = await selling.seller()
  const sold = await selling.sell(ann, 10_000, { fields: { ...GERMANY, tax_id: 'DE123456789' } })
  const { id } = (await selling.row(sold))!
  const [invoice] = (await shown(ann, id)).documents
  const pdf = saidIn((await open(ann, invoice.id)).pdf)
  for (const said of ['Reverse charge: the customer accounts for the tax.', 'Tax ID: DE123456789', 'Tax, DE, reverse charge', '0.00 USD'])
    expect(pdf).toContain(said)
})

test('a document is its buyer’s, its seller’s and, by the order, whoever may see that; nobody else’s', { timeout: 60_000 }, async () => {
  const [ann, bob, stranger] = [await selling.seller(), billing.user(), billing.user()]
  const sold = await selling.sell(ann, 10_000, { buyer: bob })
  const other = await selling.sell(ann, 2_000)
  const { ask } = billing.platform.services.sandbox!.rt
  const {
    documents: [invoice],
  } = await ask(saleDocuments, { kind: 'product', reference: sold.reference })
  for (const user of [ann, bob]) expect(await open(user, invoice!.id)).toMatchObject({ filename: `${invoice!.number}.pdf` })
  expect((await billing.call('open-document', stranger, { document_id: invoice!.id })).status).toBe(404)
  const file = await ask(saleDocument, { kind: 'product', reference: sold.reference, document: invoice!.id })
  expect(file.file?.filename).toBe(`${invoice!.number}.pdf`)
  // The link of one order opens no document of another.
  expect((await ask(saleDocument, { kind: 'product', reference: other.reference, document: invoice!.id })).file).toBeNull()
})

test('a lost dispute has a credit note as well, of no more than the sale', { timeout: 60_000 }, async () => {
  const ann = await selling.seller()
  const sold = await selling.sell(ann, 10_000, { card: GETS_DISPUTED })
  await billing.control('stripe/clock/advance', { seconds: 61 })
  await vi.waitFor(async () => expect(await selling.row(sold)).toMatchObject({ dispute: 'open' }), within)
  const { id } = (await selling.row(sold))!
  await billing.call('submit-evidence', ann, { sale_id: id, text: 'losing_evidence', send: true })
  await vi.waitFor(async () => expect(await selling.row(sold)).toMatchObject({ dispute: 'lost' }), within)
  const { documents } = await shown(ann, id)
  expect(documents.map(({ kind, amount_cents }: any) => [kind, amount_cents])).toEqual([
    ['invoice', 10_000],
    ['credit_note', 10_000],
  ])
})

test('what goes back of a plan has a credit note, which its customer finds beside the invoices [spec-45]', {
  timeout: 60_000,
}, async () => {
  const cyd = await billing.subscribed('pro')
  await billing.advance(3.1, cyd)
  await billing.becomes(cyd, { status: 'active' })
  await vi.waitFor(async () => expect((await billing.call('list-payments', cyd, {})).body.payments).toHaveLength(1), within)
  const { payment } = (await billing.call('list-payments', cyd, {})).body.payments[0]
  await billing.call('staff-refund', billing.staff(), { payment, amount_cents: 4_000, reason: 'A week without service' })
  await vi.waitFor(async () => expect((await billing.call('list-invoices', cyd)).body.credit_notes).toHaveLength(1), within)
  const [note] = (await billing.call('list-invoices', cyd)).body.credit_notes
  expect(note).toMatchObject({ kind: 'credit_note', amount_cents: 4_000 })
  expect(saidIn((await open(cyd, note.id)).pdf)).toContain(`Corrects the payment ${payment}.`)
  expect((await billing.call('open-document', billing.user(), { document_id: note.id })).status).toBe(404)
})

test('numbers have no gap and no double, whoever gives them, and a sale that is taken back takes none', { timeout: 60_000 }, async () => {
  const want = (n: number, dies = false) =>
    billing.db.transaction().execute(async (trx) => {
      await wantDocument(trx, {
        ...{ kind: 'invoice', reference: `made:${n}`, charge: `ch_${n}`, title: 'Made', currency: 'usd', grossCents: 100, taxCents: 0 },
        ...{ place: null, at: new Date(Date.UTC(2031, 0, 1) + n * DAY) },
      })
      if (dies) throw new Error('taken back')
    })
  await Promise.all(
    Array.from({ length: 60 }, async (_, n) => {
      await want(n, n % 3 === 0).catch(() => {})
      await numberDocuments(billing.db)
    }),
  )
  const rows = await billing.db.selectFrom('documents').selectAll().where('year', '=', 2031).orderBy('number').execute()
  expect(rows.map(({ number }) => number)).toEqual(Array.from({ length: 40 }, (_, n) => n + 1))
  expect(numberOf(rows[0]!)).toBe('INV-2031-000001')
})
