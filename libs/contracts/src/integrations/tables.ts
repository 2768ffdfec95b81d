import { z } from 'zod'
import { id, table, time } from '../contract.ts'

export const integrationStatuses = ['connected', 'disconnected'] as const

export const userIntegrations = table('user_integrations', {
  access: 'user',
  summary: 'Connected apps. A connection is made by its own flow; here it can only be ended',
  columns: z.object({
    id: id('integration'),
    user_id: z.uuid(),
    service_name: z.string(),
    integration_status: z.enum(integrationStatuses),
    created_at: time,
    updated_at: time,
  }),
  update: z.object({ integration_status: z.literal('disconnected') }),
})
