import { erasesPeople } from '@operon/kit/erasure'
import type { ServiceDefinition } from '@operon/kit/service'
import { sandboxedApps } from './apps/place.ts'
import { Config } from './config.ts'
import { connectionRoutes } from './connections/routes.ts'
import { erasure } from './erasure.ts'
import * as integrations from './migrations/0001_integrations.ts'
import * as webhooks from './migrations/0002_webhooks.ts'
import * as oldSecrets from './migrations/0003_old_secrets.ts'
import * as connections from './migrations/0006_connections.ts'
import * as ads from './migrations/0010_ads.ts'
import * as inUse from './migrations/0011_in_use.ts'
import * as hooks from './migrations/0012_hooks.ts'
import * as watches from './migrations/0013_watches.ts'
import * as customApis from './migrations/0014_custom_apis.ts'
import * as tools from './migrations/0015_tools.ts'
import * as appRequests from './migrations/0016_app_requests.ts'
import * as dueRules from './migrations/0017_due_rules.ts'
import * as timelineMail from './migrations/0018_timeline_mail.ts'
import * as revocationsLeft from './migrations/0019_revocations_left.ts'
import { previewed } from './previewed.ts'
import type { IntegrationsDb } from './schema.ts'
import { webhookConsumers } from './webhooks/consumers.ts'
import { webhookRoutes } from './webhooks/routes.ts'

export const integrationsService: ServiceDefinition<IntegrationsDb, Config> = {
  name: 'integrations',
  config: Config,
  sandboxed: sandboxedApps,
  previewed,
  migrations: {
    '0001_integrations': integrations,
    '0002_webhooks': webhooks,
    '0003_old_secrets': oldSecrets,
    '0006_connections': connections,
    '0010_ads': ads,
    '0011_in_use': inUse,
    '0012_hooks': hooks,
    '0013_watches': watches,
    '0014_custom_apis': customApis,
    '0015_tools': tools,
    '0016_app_requests': appRequests,
    '0017_due_rules': dueRules,
    '0018_timeline_mail': timelineMail,
    '0019_revocations_left': revocationsLeft,
  },
  setup(rt) {
    connectionRoutes(rt)
    webhookRoutes(rt)
    webhookConsumers(rt)
    erasesPeople(rt, erasure)
  },
}
