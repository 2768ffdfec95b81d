import type { AppId } from '@operon/contracts/integrations/apps'
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
  connections: {
    id: string
    user_id: string
    app: AppId
    account_id: string
    account: string
    state: Generated<'connected' | 'degraded' | 'broken' | 'disconnected'>
    failure: string | null
    scopes: string[]
    sealed: string | null
    /** Made with the stand-in: its tokens never go to the vendor, and the vendor's never to it. */
    sandbox: boolean
    /** Rises with each new token: who read an older one reads again. */
    generation: Generated<number>
    /** While one process asks for a new token. */
    lease_id: string | null
    lease_until: Date | null
    expires_at: Date | null
    refresh_at: Date | null
    last_call_at: Date | null
    checked_at: Date | null
    /** Of a mailbox: whether its emails may be shown with contacts. */
    on_timelines: Generated<boolean>
    created_at: Generated<Date>
    updated_at: Generated<Date>
  }
  oauth_attempts: {
    state_hash: string
    user_id: string
    app: AppId
    sealed_verifier: string | null
    sandbox: boolean
    return_to: string | null
    expires_at: Date
    created_at: Generated<Date>
  }
  rate_buckets: { connection_id: string; next_at: Date }
  connection_calls: {
    id: string
    connection_id: string
    user_id: string
    action: string
    outcome: string
    duration_ms: number
    created_at: Generated<Date>
  }
  app_effects: {
    id: string
    user_id: string
    key: string
    connection_id: string
    action: string
    /** Null while the answer is not known. */
    reply: unknown
    created_at: Generated<Date>
  }
  /** A list of ads as it was fetched. */
  ad_lists: { id: string; connection_id: string; user_id: string; list: string; rows: unknown; fetched_at: Generated<Date> }
  ad_rules: {
    id: string
    user_id: string
    connection_id: string
    campaign_id: string
    campaign: string
    currency: string
    most_cents: number
    state: Generated<'watching' | 'applied'>
    last_cents: number | null
    checked_at: Date | null
    check_at: Generated<Date>
    applied_at: Date | null
    created_at: Generated<Date>
  }
  /** Where a vendor tells that something has changed; its secret follows from the id. */
  app_hooks: {
    id: string
    user_id: string
    connection_id: string
    kind: string
    /** The watch over there. */
    remote: string | null
    resource: string | null
    until: Date | null
    renew_at: Generated<Date>
    told_at: Date | null
    /** Something was heard that is not told yet. */
    again: Generated<boolean>
    created_at: Generated<Date>
  }
  /** A watch on a connected app, and how far it has been seen. */
  app_watches: {
    id: string
    user_id: string
    connection_id: string
    trigger: string
    input: unknown
    seen_until: Date
    /** The entries listed last, so that they are not told again. */
    seen: string[]
    version: Generated<number>
    next_at: Date
    failure: string | null
    looked_at: Date | null
    told_at: Date | null
    missed_at: Date | null
    created_at: Generated<Date>
  }
  /** The operations of an API of the person's own; its id is the connection's. */
  custom_apis: {
    id: string
    user_id: string
    base: string
    auth: string
    kind: Generated<'api' | 'mcp'>
    /** Of an MCP server: its tools. */
    operations: unknown
    created_at: Generated<Date>
  }
  app_requests: { id: string; user_id: string; name: string; app_key: string; wanted: string; created_at: Generated<Date> }
  revocations: {
    id: string
    generation: number
    user_id: string
    app: AppId
    sealed: string
    sandbox: boolean
    tries: Generated<number>
    /** Watches to be stopped there with this token. */
    hooks: unknown
    /** The token itself is still in use by another app of the vendor. */
    hooks_only: Generated<boolean>
    created_at: Generated<Date>
  }
}
