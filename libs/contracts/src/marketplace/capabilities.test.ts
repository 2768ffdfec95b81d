import { expect, test } from 'vitest'
import { saleRefunded, saleSettled } from '../billing/selling-events.ts'
import { createProduct, publishProduct } from './api.ts'
import { createCoupon } from './coupons.ts'
import { findOrder } from './orders.ts'
import { changeProductPrice } from './products.ts'
import { itemReviewed } from './reviews.ts'
import { lowConversion } from './selling.ts'
import { answerMessage, buyerWrote } from './threads.ts'

test('selling is done by capabilities, and a workflow can begin with what happens to a seller', () => {
  const capabilities = [createProduct, publishProduct, changeProductPrice, answerMessage, findOrder, createCoupon]
  expect(capabilities.map(({ action }) => action?.effect)).toEqual(['changes', 'changes', 'changes', 'sends', 'reads', 'changes'])
  const events = [saleSettled, saleRefunded, itemReviewed, buyerWrote, lowConversion]
  expect(events.map(({ name, trigger }) => [name, trigger?.title])).toEqual([
    ['billing.sale_settled', 'A product was sold'],
    ['billing.sale_refunded', 'A sale was refunded'],
    ['marketplace.item_reviewed', 'A product was reviewed'],
    ['marketplace.buyer_wrote', 'A buyer wrote a message'],
    ['marketplace.low_conversion', 'A product sells to few of its visitors'],
  ])
})
