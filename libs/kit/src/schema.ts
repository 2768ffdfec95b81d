import type { Generated } from 'kysely'

/** Tables that every service has, made by the kit's own migrations before the service's. */
export type KitDb = {
  outbox: {
    id: string
    kind: 'event' | 'job'
    name: string
    user_id: string | null
    /** An array holds several events of one statement, each `{ id, name, user_id, payload }`. */
    payload: unknown
    trace: string | null
    created_at: Generated<Date>
    /** Not to be sent before; a lease while a relay sends it. */
    available_at: Generated<Date>
    attempts: Generated<number>
    sent_at: Date | null
  }
  inbox: {
    handler: string
    event_id: string
    /** Kept while it is pending or parked. */
    envelope: unknown | null
    received_at: Generated<Date>
    next_at: Generated<Date>
    attempts: Generated<number>
    done_at: Date | null
    parked_at: Date | null
    error: string | null
  }
  idempotency_keys: {
    scope: string
    key: string
    request_hash: string
    status: number | null
    reply: unknown | null
    created_at: Generated<Date>
    /** The caller: their keys are erased with their account. */
    user_id: Generated<string | null>
    expires_at: Generated<Date>
  }
  entitlements: {
    user_id: string
    tier: string
    status: string
    limits: unknown
    /** This service's budget in a period; null where the event named none. */
    budget_microusd: Generated<number | null>
    period_start: Date
    period_end: Date | null
    version: number
  }
  usage_counters: {
    user_id: string
    unit: string
    period_start: Date
    used: Generated<number>
    reserved: Generated<number>
    /** Millionths of a dollar, as `cost_reserved` and `cost_held`. */
    cost_used: Generated<number>
    cost_reserved: Generated<number>
    /** Units of top-ups, and the cost that comes with them, beyond the plan's own; and what that was when they were added. */
    extra: Generated<number>
    extra_cost: Generated<number>
    extra_max: Generated<number | null>
    extra_budget: Generated<number | null>
  }
  /** Bought beside the plan, of the units that this service meters. */
  usage_top_ups: {
    id: string
    user_id: string
    unit: string
    units: number
    unit_microusd: number
    drawn: Generated<number>
    /** Counts the changes of `drawn`. */
    draws: Generated<number>
    /** `held` while a bank disputes the payment; `closed` is final. */
    state: 'open' | 'held' | 'closed'
    version: number
    bought_at: Date
  }
  /** Parked work that somebody put away for good: the audit of `npm run replay -- --discard`. */
  discarded_work: { id: string; what: string; attempts: number; reason: string; discarded_by: string; discarded_at: Generated<Date> }
  /** How many rows of a person an erasure that is under way has dealt with. */
  erased_pieces: { user_id: string; kind: 'deleted' | 'anonymised'; name: string; amount: number }
  usage_reservations: {
    id: string
    user_id: string
    unit: string
    period_start: Date
    amount: number
    state: 'reserved' | 'settled' | 'released' | 'unknown'
    feature: string
    cost_held: Generated<number>
    created_at: Generated<Date>
    expires_at: Date
  }
}
