import type { BookingPayment, BookingState, TextState } from '@operon/contracts/crm/appointments'
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
    /** The same for a text message to the guest. */
    sms_minutes: Generated<number>
    place_kind: Shape['place_kind']
    place: string
    questions: JSONColumnType<Shape['questions']>
    needs_approval: boolean
    price_cents: Generated<number>
    refund_hours: Generated<number>
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
    /** The number that its guest has agreed to be texted at, in digits. */
    sms_to: string | null
    sms_at: Date | null
    /** When a text was last handed on, whatever became of it. The day's limits count these. */
    texted_at: Date | null
    sms_state: TextState | null
    /** Set while it is held for a guest who has not paid: `pending` then, and nothing that was booked. */
    hold_until: Date | null
    created_at: Generated<Date>
  }
  /** Of a booking with a price, under its id. */
  booking_payments: {
    id: string
    user_id: string
    amount_cents: number
    currency: string
    state: Generated<BookingPayment['state']>
    refund_until: Date
    /** When the seller's share starts to wait for its payout: the end of the appointment. Null once that was told. */
    kept_at: Date | null
    sale_id: string | null
    sale_version: Generated<number>
    paid_cents: Generated<number>
    refunded_cents: Generated<number>
    created_at: Generated<Date>
  }
}
