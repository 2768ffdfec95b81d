import * as contract from '@operon/contracts/marketplace/selling'
import { serve } from '@operon/kit/http'
import type { Runtime } from '@operon/kit/service'
import type { MarketplaceDb } from '../schema.ts'
import { tellOfLowConversion } from './conversion.ts'
import { forgetOld } from './forget.ts'
import { marketplaceOverview } from './overview.ts'
import { countView, productAnalytics } from './views.ts'

export function sellingRoutes({ app, job }: Runtime<MarketplaceDb>) {
  serve(app, contract.marketplaceOverview, marketplaceOverview)
  serve(app, contract.productAnalytics, productAnalytics)
  serve(app, contract.countView, countView)
  job(contract.lookAtConversion, (ctx, { payload }) => tellOfLowConversion(ctx, payload.after), { cron: '17 6 * * *' })
  job(contract.forgetOld, forgetOld, { concurrency: 1, cron: '25 4 * * *' })
}
