import { storefrontOwner } from '@operon/contracts/marketplace/events'
import { userProfiles } from '@operon/contracts/marketplace/tables'
import { serveTable } from '@operon/kit/data/table'
import type { Runtime } from '@operon/kit/service'
import type { MarketplaceDb } from '../schema.ts'
import { ownerOf, visibleProfiles } from './profiles.ts'

export function profileRoutes({ app, answer }: Runtime<MarketplaceDb>) {
  answer(storefrontOwner, ownerOf)
  serveTable(app, userProfiles, { from: 'profiles', scope: visibleProfiles })
}
