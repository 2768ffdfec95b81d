import type { Generated } from 'kysely'

export type DealsDb = {
  pipelines: { id: string; user_id: string; name: string; version: Generated<number>; created_at: Generated<Date> }
  pipeline_stages: { id: string; user_id: string; pipeline_id: string; name: string; place: number }
  deals: {
    id: string
    user_id: string
    pipeline_id: string
    stage_id: string
    contact_id: string | null
    title: string
    amount_cents: number
    currency: string
    expected_close: string | null
    owner: string | null
    state: Generated<'open' | 'won' | 'lost'>
    lost_reason: string | null
    stage_since: Generated<Date>
    created_at: Generated<Date>
    /** It can be brought back for 30 days. */
    deleted_at: Date | null
    version: Generated<number>
  }
  /** The steps of each deal, the first included. */
  deal_stage_history: {
    id: string
    user_id: string
    deal_id: string
    /** The version of the deal that it made: their order. */
    n: number
    stage_id: string
    /** The name that the stage had then. */
    stage: string
    state: 'open' | 'won' | 'lost'
    reason: string | null
    at: Generated<Date>
  }
}
