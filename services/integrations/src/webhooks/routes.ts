import * as api from '@operon/contracts/integrations/api'
import { facesPeople } from '@operon/kit/config'
import { serve } from '@operon/kit/http'
import type { Runtime } from '@operon/kit/service'
import type { Config } from '../config.ts'
import type { IntegrationsDb } from '../schema.ts'
import { countReplay, listDeliveries, ping, replay } from './deliveries.ts'
import { createEndpoint, deleteEndpoint, listEndpoints, restoreEndpoint, rotateSecret, showEndpoint, updateEndpoint } from './endpoints.ts'

/** Developers send to their own machine; where people come, nobody does. */
export const mayCallLoopback = ({ kit, config }: Pick<Runtime<any, Config>, 'kit' | 'config'>) =>
  config.WEBHOOK_LOOPBACK && !facesPeople(kit)

export function webhookRoutes(rt: Runtime<IntegrationsDb, Config>) {
  const { app, vault } = rt
  const guard = { vault, loopback: mayCallLoopback(rt) }
  serve(app, api.listWebhookEndpoints, listEndpoints)
  serve(app, api.webhookEndpointCreate, (ctx, input) => createEndpoint(ctx, input, guard))
  serve(app, api.webhookEndpointUpdate, updateEndpoint)
  serve(app, api.webhookEndpointRestore, restoreEndpoint)
  serve(app, api.showWebhookEndpoint, showEndpoint)
  serve(app, api.webhookEndpointDelete, deleteEndpoint)
  serve(app, api.webhookSecretRotate, (ctx, input) => rotateSecret(ctx, input, vault))
  serve(app, api.listWebhookDeliveries, listDeliveries)
  serve(app, api.countWebhookReplay, countReplay)
  serve(app, api.webhookReplay, replay)
  serve(app, api.webhookPing, ping)
}
