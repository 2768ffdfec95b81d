import { z } from 'zod'
import { event, job, personal, plain } from '../contract.ts'
import { appName, day } from '../words.ts'
import { integrationStatuses } from './tables.ts'

export const connectionChanged = event(
  'integrations.connection_changed',
  z.object({ version: z.int(), service_name: plain(z.string()), status: z.enum(integrationStatuses) }),
  {
    activity: ({ service_name, status }) => `${status === 'connected' ? 'Connected' : 'Disconnected'} ${appName(service_name)}`,
    trigger: { title: 'An app was connected or disconnected', description: 'With the app and whether it is connected now.' },
    live: 'connection',
  },
)
/** Nothing reached it for days, so nothing is sent any more until its owner resumes it. */
export const webhookPaused = event(
  'integrations.webhook_paused',
  z.object({ endpoint_id: z.uuid(), name: personal(z.string()), failing_since: z.iso.datetime() }),
  {
    notice: ({ name, failing_since }) => [
      {
        kind: 'webhook',
        title: `The webhook ${name} is paused`,
        body: `Every delivery has failed since ${day(failing_since)}. Fix the address, resume the webhook and replay the failed deliveries.`,
        link: '/dashboard/settings?section=webhooks',
      },
    ],
  },
)

export const webhookSweep = job('integrations.webhook_sweep', z.object({}))
