import { saleRefunded, saleSettled } from '@operon/contracts/billing/selling-events'
import { orderStatus as orderStatusContract, startCheckout as startCheckoutContract } from '@operon/contracts/marketplace/api'
import { serve } from '@operon/kit/http'
import type { Runtime } from '@operon/kit/service'
import type { MarketplaceDb } from '../schema.ts'
import { orderStatus, startCheckout } from './checkout.ts'
import { deliver, takeBack } from './deliver.ts'

export function orderRoutes(rt: Runtime<MarketplaceDb>) {
  serve(rt.app, startCheckoutContract, startCheckout(rt))
  serve(rt.app, orderStatusContract, orderStatus(rt))
  rt.on(saleSettled, 'deliver-order', async (trx, { payload }) => {
    if (payload.kind === 'product') await deliver(trx, rt.vault, payload)
  })
  rt.on(saleRefunded, 'take-back-order', async (trx, { payload }) => {
    if (payload.kind === 'product') await takeBack(trx, payload)
  })
}
