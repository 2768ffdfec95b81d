import * as contract from '@operon/contracts/marketplace/trust'
import { serve } from '@operon/kit/http'
import type { Runtime } from '@operon/kit/service'
import type { Config } from '../config.ts'
import type { MarketplaceDb } from '../schema.ts'
import { moderate, moderationQueue } from './moderation.ts'
import { reportListing } from './reports.ts'
import { scanFiles } from './scan.ts'

export function trustRoutes(rt: Runtime<MarketplaceDb, Config>) {
  serve(rt.app, contract.reportListing, reportListing)
  serve(rt.app, contract.moderationQueue, moderationQueue)
  serve(rt.app, contract.moderate, moderate)
  scanFiles(rt)
}
