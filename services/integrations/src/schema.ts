import type { LaneDb } from '@operon/kit/lanes'
import type { Generated } from 'kysely'

export type IntegrationsDb = LaneDb & {
  user_integrations: {
    id: string
    user_id: string
    service_name: string
    integration_status: 'connected' | 'disconnected'
    version: Generated<number>
    created_at: Generated<Date>
    updated_at: Generated<Date>
  }
  webhook_endpoints: {
    id: string
    user_id: string
    url: string
    name: string
    events: string[]
    /** `paused` by its owner; `failing`: paused by us. */
    state: Generated<'active' | 'paused' | 'failing'>
    sealed_secret: string
    sealed_old_secret: string | null
    old_secret_until: Date | null
    /** Since when no delivery has got through. */
    failing_since: Date | null
    created_at: Generated<Date>
  }
  webhook_deliveries: {
    id: string
    user_id: string
    endpoint_id: string
    message_id: string
    type: string
    /** As it is sent, so that every try has the same bytes. */
    body: string
    state: Generated<'waiting' | 'delivered' | 'failed'>
    attempts: Generated<number>
    status: number | null
    error: string | null
    duration_ms: number | null
    request_id: string | null
    answer: string | null
    next_at: Date | null
    created_at: Generated<Date>
  }
}
