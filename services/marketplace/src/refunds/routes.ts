import * as refunds from '@operon/contracts/marketplace/refunds'
import { serve } from '@operon/kit/http'
import type { Runtime } from '@operon/kit/service'
import type { Config } from '../config.ts'
import type { MarketplaceDb } from '../schema.ts'
import { answerRefundRequest, listRefundRequests, payRequest, requestRefund, sweepRefunds } from './requests.ts'

export function refundRoutes(rt: Runtime<MarketplaceDb, Config>) {
  serve(rt.app, refunds.requestRefund, requestRefund(rt))
  serve(rt.app, refunds.listRefundRequests, listRefundRequests)
  serve(rt.app, refunds.answerRefundRequest, answerRefundRequest)
  const pay = payRequest(rt)
  rt.job(refunds.payRefund, (ctx, { payload }) => pay(ctx, payload))
  rt.job(refunds.sweepRefunds, sweepRefunds, { concurrency: 1, everyMs: 60_000 })
}
