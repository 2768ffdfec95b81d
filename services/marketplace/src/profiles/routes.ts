import { storefrontOwner, userProfiles } from '@operon/contracts/marketplace'
import { serveTable } from '@operon/kit/data/table'
import type { Runtime } from '@operon/kit/service'
import type { MarketplaceDb } from '../schema.ts'
import { ownerOf, visibleProfiles } from './profiles.ts'

export function profileRoutes({ app, answer }: Runtime<MarketplaceDb>) {
  answer(storefrontOwner, ownerOf)
  serveTable(app, userProfiles, { from: 'profiles', scope: visibleProfiles })
}
