import { saleRefunded, saleSettled } from '@operon/contracts/billing/selling-events'
import { orderStatus as orderStatusContract, startCheckout as startCheckoutContract } from '@operon/contracts/marketplace/api'
import { orderEvidence } from '@operon/contracts/marketplace/evidence'
import * as orders from '@operon/contracts/marketplace/orders'
import type { Ctx } from '@operon/kit/context'
import { serve, serveRaw } from '@operon/kit/http'
import { forgetSlots } from '@operon/kit/mail/paces'
import type { Runtime } from '@operon/kit/service'
import type { Config } from '../config.ts'
import type { MarketplaceDb } from '../schema.ts'
import { cartQuote } from './cart.ts'
import { orderStatus, startCheckout } from './checkout.ts'
import { deliver, takeBack } from './deliver.ts'
import { giveCouponsBack } from './discount.ts'
import { orderDocument, orderDocuments } from './documents.ts'
import { openDownload, orderDownload } from './downloads.ts'
import { evidenceOfOrder } from './evidence.ts'
import { findOrder, myOrders, showOrder, takeUpdate } from './show.ts'
import { tellBuyers } from './updates.ts'

export function orderRoutes(rt: Runtime<MarketplaceDb, Config>) {
  const { app } = rt
  serve(app, startCheckoutContract, startCheckout(rt))
  serve(app, orderStatusContract, orderStatus(rt))
  serve(app, orders.cartQuote, cartQuote(rt))
  serve(app, orders.showOrder, showOrder(rt))
  serve(app, orders.orderDownload, orderDownload(rt))
  serve(app, orders.orderDocuments, orderDocuments(rt))
  serve(app, orders.orderDocument, orderDocument(rt))
  serveRaw(app, orders.openDownload, openDownload(rt))
  serve(app, orders.takeUpdate, takeUpdate(rt))
  serve(app, orders.myOrders, myOrders)
  serve(app, orders.findOrder, findOrder)
  rt.answer(orderEvidence, evidenceOfOrder)
  const sweep = async (ctx: Ctx<MarketplaceDb>) => {
    await giveCouponsBack(ctx)
    await forgetSlots(ctx.db)
  }
  rt.job(orders.sweepCoupons, sweep, { concurrency: 1, everyMs: 3_600_000 })
  rt.job(orders.tellOfVersion, (ctx, { payload }) => tellBuyers(ctx, payload))
  rt.on(saleSettled, 'deliver-order', async (trx, { payload }) => {
    if (payload.kind === 'product') await deliver(trx, rt.vault, payload)
  })
  rt.on(saleRefunded, 'take-back-order', async (trx, { payload }) => {
    if (payload.kind === 'product') await takeBack(trx, payload)
  })
}
