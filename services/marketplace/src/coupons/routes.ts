import * as contract from '@operon/contracts/marketplace/coupons'
import { serve } from '@operon/kit/http'
import type { Runtime } from '@operon/kit/service'
import type { MarketplaceDb } from '../schema.ts'
import { createCoupon, endCoupon, listCoupons } from './coupons.ts'

export function couponRoutes({ app }: Runtime<MarketplaceDb>) {
  serve(app, contract.createCoupon, createCoupon)
  serve(app, contract.listCoupons, listCoupons)
  serve(app, contract.endCoupon, endCoupon)
}
