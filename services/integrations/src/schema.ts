import type { Generated } from 'kysely'

export type IntegrationsDb = {
  user_integrations: {
    id: string
    user_id: string
    service_name: string
    integration_status: 'connected' | 'disconnected'
    version: Generated<number>
    created_at: Generated<Date>
    updated_at: Generated<Date>
  }
}
