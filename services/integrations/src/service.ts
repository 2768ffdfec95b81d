import { erasesPeople } from '@operon/kit/erasure'
import type { ServiceDefinition } from '@operon/kit/service'
import { Config } from './config.ts'
import { connectionRoutes } from './connections/routes.ts'
import { erasure } from './erasure.ts'
import * as integrations from './migrations/0001_integrations.ts'
import type { IntegrationsDb } from './schema.ts'

export const integrationsService: ServiceDefinition<IntegrationsDb, Config> = {
  name: 'integrations',
  config: Config,
  migrations: { '0001_integrations': integrations },
  setup(rt) {
    connectionRoutes(rt)
    erasesPeople(rt, erasure)
  },
}
