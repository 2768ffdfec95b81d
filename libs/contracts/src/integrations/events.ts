import { z } from 'zod'
import { event, plain } from '../contract.ts'
import { integrationStatuses } from './tables.ts'

export const connectionChanged = event(
  'integrations.connection_changed',
  z.object({ version: z.int(), service_name: plain(z.string()), status: z.enum(integrationStatuses) }),
)
