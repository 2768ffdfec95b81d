import { webhookSweep } from '@operon/contracts/integrations/events'
import { webhookEvents } from '@operon/contracts/webhooks'
import { createGuardedFetch } from '@operon/kit/fetch'
import { startLane } from '@operon/kit/lanes'
import type { Runtime } from '@operon/kit/service'
import type { Config } from '../config.ts'
import type { IntegrationsDb } from '../schema.ts'
import { addDeliveries, LANE, type Try } from './deliveries.ts'
import { mayCallLoopback } from './routes.ts'
import { sendTry } from './send.ts'
import { forgetDeliveries, renewSecrets } from './sweep.ts'

/** Every event with a trigger, so that a new one needs nothing here. */
export function webhookConsumers(rt: Runtime<IntegrationsDb, Config>) {
  for (const event of webhookEvents())
    rt.on(event, `webhooks-${event.name.replaceAll('.', '-')}`, (trx, envelope) => addDeliveries(trx, event, envelope))
  // Strangers share hosts such as an automation service's: one dead address there must not stop the others'.
  const fetch = createGuardedFetch({ loopback: mayCallLoopback(rt), breaks: false })
  rt.onStart(() => {
    const lane = startLane<Try>(rt.db, rt.log, { lane: LANE, width: 16, perTenant: 4 }, ({ payload }) => sendTry(rt, fetch, payload))
    rt.onStop(lane.stop)
  })
  rt.job(
    webhookSweep,
    async ({ db }) => {
      await forgetDeliveries(db)
      await renewSecrets(db, rt.vault)
    },
    { cron: '20 3 * * *' },
  )
}
