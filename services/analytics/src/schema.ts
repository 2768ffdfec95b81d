import type { Generated } from 'kysely'

export type AnalyticsDb = {
  /** Every event, once. */
  facts: {
    event_id: string
    name: string
    user_id: string | null
    at: Date
    payload: unknown
  }
  /** Sums of deleted facts, for the figures that count from the beginning. */
  fact_sums: { user_id: string; name: string; amount: number }
  /** The sum of `fact_days`, kept by the trigger that keeps those. */
  fact_all_time: { user_id: string; name: string; amount: number }
  /** Sums of the counted facts of a day; a trigger adds them up as facts arrive. */
  fact_days: { user_id: string; name: string; day: Date; amount: number }
  activity_logs: {
    id: string
    user_id: string
    event_id: string
    command: string
    status: string
    /** The page of the app that it opens. */
    link: string | null
    created_at: Date
  }
  notifications: {
    id: string
    user_id: string
    kind: string
    /** The subject of the notice: a person gets one notice about it. */
    about: string
    title: string
    body: string
    link: string | null
    created_at: Date
    read_at: Date | null
  }
  /** The newest state that an event left for an account, to tell a change from a renewal. */
  states: { user_id: string; event: string; state: string; version: number }
  erased_people: { user_id: string; at: Generated<Date> }
}
