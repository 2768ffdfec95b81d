import { saleDocument, saleDocuments } from '@operon/contracts/billing/documents'
import { newId } from '@operon/kit/ids'
import { startTestPlatform, type TestPlatform, type TestUser } from '@operon/kit/testing/service'
import { sandboxService } from '@operon/sandbox/service'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { marketplaceService } from '../service.ts'
import { tokenOf } from './links.ts'

let platform: TestPlatform
/** As billing was asked. */
let asked: string[] = []
const paper = { id: newId(), number: 'INV-1', kind: 'invoice' as const, amount_cents: 4900, currency: 'usd', at: new Date().toISOString() }
const file = { filename: 'INV-1.pdf', content_type: 'application/pdf' as const, pdf: Buffer.from('%PDF-1.7').toString('base64') }
beforeAll(async () => {
  platform = await startTestPlatform([marketplaceService, sandboxService])
  const { rt } = platform.services.sandbox!
  rt.answer(saleDocuments, async (_ctx, { reference }) => {
    asked.push(reference)
    return { documents: [paper as never] }
  })
  rt.answer(saleDocument, async (_ctx, { reference, document }) => {
    asked.push(reference)
    return { file: document === paper.id ? file : null }
  })
}, 60_000)
afterAll(() => platform.close())

async function bought(buyer: TestUser | null) {
  const { db, vault } = platform.services.marketplace!.rt as any
  const [id, item_id] = [newId(), newId()]
  const seller = platform.user()
  const item = { id: item_id, user_id: seller.id, title: 'Guide', category: 'Sales', price_cents: 4900, item_type: 'pdf', is_active: true }
  await db.insertInto('items').values(item).execute()
  const order = { id, item_id, seller_id: seller.id, buyer_id: buyer?.id ?? null, title: 'Guide', amount_cents: 4900, currency: 'usd' }
  await db
    .insertInto('orders')
    .values({ ...order, state: 'delivered', token_hash: Buffer.from(id) })
    .execute()
  return { order_id: id, token: tokenOf(vault, id) }
}

test('the invoice of an order is read by its buyer and by the order’s link, and by nobody else', async () => {
  const [mara, stranger] = [platform.user(), platform.user()]
  const [own, guests] = [await bought(mara), await bought(null)]
  const read = (user: TestUser | null, ref: object) => platform.call('order-documents', user, ref)
  const open = (user: TestUser | null, ref: object, document_id = paper.id) =>
    platform.call('order-document', user, { ...ref, document_id })
  expect((await read(mara, { order_id: own.order_id })).body.documents).toMatchObject([{ id: paper.id, number: 'INV-1' }])
  expect((await read(null, { token: guests.token })).body.documents).toMatchObject([{ id: paper.id }])
  expect((await open(mara, { order_id: own.order_id })).body).toEqual(file)
  expect((await open(null, { token: guests.token })).body).toEqual(file)
  expect((await open(mara, { order_id: own.order_id }, newId())).status).toBe(404)
  asked = []
  for (const ref of [{ order_id: own.order_id }, { order_id: guests.order_id }, { token: 'a'.repeat(54) }])
    for (const user of [stranger, null]) {
      expect((await read(user, ref)).status).toBeGreaterThanOrEqual(400)
      expect((await open(user, ref)).status).toBeGreaterThanOrEqual(400)
    }
  expect(asked).toEqual([])
})
