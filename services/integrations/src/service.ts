import type { ServiceDefinition } from '@operon/kit/service'
import { Config } from './config.ts'
import { connectionConsumers } from './connections/consumers.ts'
import { connectionRoutes } from './connections/routes.ts'
import * as integrations from './migrations/0001_integrations.ts'
import type { IntegrationsDb } from './schema.ts'

export const integrationsService: ServiceDefinition<IntegrationsDb, Config> = {
  name: 'integrations',
  config: Config,
  migrations: { '0001_integrations': integrations },
  setup(rt) {
    connectionRoutes(rt)
    connectionConsumers(rt)
  },
}
