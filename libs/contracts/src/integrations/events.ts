import { z } from 'zod'
import { event, plain } from '../contract.ts'
import { appName } from '../words.ts'
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
