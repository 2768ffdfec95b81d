import * as contract from '@operon/contracts/marketplace/licences'
import { serve } from '@operon/kit/http'
import type { Runtime } from '@operon/kit/service'
import type { MarketplaceDb } from '../schema.ts'
import { activateLicence, checkLicence, deactivateLicence } from './standing.ts'

export function licenceRoutes({ app }: Runtime<MarketplaceDb>) {
  serve(app, contract.checkLicence, checkLicence)
  serve(app, contract.activateLicence, activateLicence)
  serve(app, contract.deactivateLicence, deactivateLicence)
}
