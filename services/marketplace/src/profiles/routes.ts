import { claimSlug, storefrontOwner } from '@operon/contracts/marketplace/events'
import { businessProfile as businessProfileContract, saveBusinessProfile as saveContract } from '@operon/contracts/marketplace/selling'
import { userProfiles } from '@operon/contracts/marketplace/tables'
import { serveTable } from '@operon/kit/data/table'
import { serve } from '@operon/kit/http'
import type { Runtime } from '@operon/kit/service'
import type { MarketplaceDb } from '../schema.ts'
import { businessProfile, saveBusinessProfile } from './business.ts'
import { claimOwnSlug, ownerOf, visibleProfiles } from './profiles.ts'

export function profileRoutes({ app, answer }: Runtime<MarketplaceDb>) {
  answer(storefrontOwner, ownerOf)
  answer(claimSlug, claimOwnSlug)
  serveTable(app, userProfiles, { from: 'profiles', scope: visibleProfiles })
  serve(app, businessProfileContract, businessProfile)
  serve(app, saveContract, saveBusinessProfile)
}
