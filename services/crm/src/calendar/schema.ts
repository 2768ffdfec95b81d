import type { BookingState } from '@operon/contracts/crm/appointments'
import type { EventTypeShape, ScheduleShape } from '@operon/contracts/crm/calendar'
import type { ColumnType, Generated, JSONColumnType } from 'kysely'

type Shape = EventTypeShape

export type CalendarDb = {
  /** The public side of a person who can be booked: the address that marketplace gave them, and their name. */
  hosts: { user_id: string; slug: string | null; slug_version: Generated<number>; name: Generated<string>; name_version: Generated<number> }
  schedules: {
    user_id: string
    zone: string
    hours: JSONColumnType<ScheduleShape['hours']>
    exceptions: JSONColumnType<ScheduleShape['exceptions']>
    version: Generated<number>
  }
  event_types: {
    id: string
    user_id: string
    slug: string
    title: string
    description: string
    minutes: number
    step_minutes: number
    before_minutes: number
    after_minutes: number
    notice_minutes: number
    days_ahead: number
    /** How long before the start both sides are reminded; 0 is never. */
    remind_minutes: number
    place_kind: Shape['place_kind']
    place: string
    questions: JSONColumnType<Shape['questions']>
    needs_approval: boolean
    active: boolean
    version: Generated<number>
    created_at: Generated<Date>
  }
  /** Everything in a calendar: what visitors booked, and what its owner put there. `appointments` has the specified columns of each. */
  bookings: {
    id: string
    user_id: string
    event_type_id: string | null
    title: string
    starts_at: Date
    ends_at: Date
    /** Start to end with the buffers around them, as a range of PostgreSQL. */
    during: string
    state: BookingState
    /** Whether nothing else can be at that time. */
    blocks: Generated<boolean>
    guest_name: string | null
    guest_email: string | null
    guest_phone: string | null
    guest_zone: string | null
    answers: ColumnType<{ label: string; answer: string }[], string | undefined, string>
    place: Generated<string>
    notes: Generated<string>
    reason: Generated<string>
    /** Counts changes. Calendars take it as the sequence of an invitation. */
    version: Generated<number>
    remind_at: Date | null
    created_at: Generated<Date>
  }
}
