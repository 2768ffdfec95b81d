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
/** The app does not take what we hold any more: what used it stands still until its owner connects it again. */
export const connectionBroken = event(
  'integrations.connection_broken',
  z.object({ version: z.int(), connection_id: z.uuid(), service_name: plain(z.string()), account: personal(z.string()) }),
  {
    activity: ({ service_name }) => `${appName(service_name)} has to be connected again`,
    link: () => '/dashboard/app-library',
    notice: ({ connection_id, version, service_name, account }) => [
      {
        kind: 'connection',
        title: `${appName(service_name)} has to be connected again`,
        body: `It does not accept the connection to ${account} any more. What uses it stands still until you connect it again in the App Library.`,
        link: '/dashboard/app-library',
        about: `${connection_id}:${version}`,
      },
    ],
    trigger: { title: 'A connected app has to be connected again', description: 'With the app.' },
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

/** Takes our access back at an app whose connection has ended. */
export const revokeAccess = job('integrations.revoke_access', z.object({ connection_id: z.uuid(), generation: z.int() }), { attempts: 12 })
export const connectionSweep = job('integrations.connection_sweep', z.object({}))
