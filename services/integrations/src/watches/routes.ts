import { watchSweep } from '@operon/contracts/integrations/events'
import * as api from '@operon/contracts/integrations/watches'
import { serve } from '@operon/kit/http'
import type { Runtime } from '@operon/kit/service'
import type { Config } from '../config.ts'
import type { CallApp } from '../connections/call.ts'
import type { IntegrationsDb } from '../schema.ts'
import { lookAtWatches } from './look.ts'
import { listTriggers, unwatch, watch } from './watches.ts'

export function watchRoutes(rt: Runtime<IntegrationsDb, Config>, call: CallApp) {
  serve(rt.app, api.listAppTriggers, listTriggers)
  serve(rt.app, api.watchApp, (ctx, input) => watch(ctx, input, call))
  serve(rt.app, api.unwatchApp, unwatch)
  rt.job(watchSweep, () => lookAtWatches(rt, call), { everyMs: 15_000 })
}
