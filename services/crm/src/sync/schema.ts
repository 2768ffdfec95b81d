import type { CALDAV, calendarApps } from '@operon/contracts/integrations/calendars'
import type { Generated } from 'kysely'

export type SyncDb = {
  /** A calendar at Google, Microsoft or a CalDAV server that this one is held level with. */
  synced_calendars: {
    id: string
    user_id: string
    connection_id: string
    app: (typeof calendarApps)[number] | typeof CALDAV
    account: string
    /** Where the next page begins; null: all is listed anew. */
    cursor: string | null
    /** Counts full lists. What a finished one did not name is gone over there. */
    mark: Generated<number>
    listing: Generated<boolean>
    listed_at: Date | null
    /** Whether its events take their time on booking pages. */
    busy: Generated<boolean>
    /** Whether confirmed appointments are written into it. */
    copies: Generated<boolean>
    /** Whether appointments that are moved or deleted over there are moved or cancelled here. */
    follows: Generated<boolean>
    /** Whether it tells us of changes. */
    told: Generated<boolean>
    synced_at: Date | null
    due_at: Generated<Date>
    failure: string | null
    created_at: Generated<Date>
  }
  external_events: {
    id: string
    user_id: string
    calendar_id: string
    remote_id: string
    title: string | null
    starts_at: Date
    ends_at: Date
    /** Midnights in UTC; which hours they are is decided by the zone of the schedule. */
    all_day: boolean
    busy: boolean
    mark: number
    /** Of one date of a series: what `anew` names it by. */
    series: string | null
  }
  /** The version of an appointment that was last written to the other calendar. */
  event_copies: {
    id: string
    user_id: string
    calendar_id: string
    booking_id: string
    remote_id: string | null
    version: number
    /** When it was last changed over there, by the clock over there: what is older or as old is our own writing. */
    updated_at: Date | null
  }
}
