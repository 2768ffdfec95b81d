import { erasesPeople } from '@operon/kit/erasure'
import type { ServiceDefinition } from '@operon/kit/service'
import { Config } from './config.ts'
import { erasure } from './erasure.ts'
import { itemRoutes } from './items/routes.ts'
import * as storefront from './migrations/0001_storefront.ts'
import * as orders from './migrations/0002_orders.ts'
import { orderRoutes } from './orders/routes.ts'
import { profileConsumers } from './profiles/consumers.ts'
import { profileRoutes } from './profiles/routes.ts'
import type { MarketplaceDb } from './schema.ts'

export const marketplaceService: ServiceDefinition<MarketplaceDb, Config> = {
  name: 'marketplace',
  config: Config,
  migrations: { '0001_storefront': storefront, '0002_orders': orders },
  setup(rt) {
    profileRoutes(rt)
    profileConsumers(rt)
    itemRoutes(rt)
    orderRoutes(rt)
    erasesPeople(rt, erasure)
  },
}
