import { z } from 'zod'
import { event, job, personal, plain } from '../contract.ts'

/** Sums old facts up and lets them go, with the activity and the read notices of their time. */
export const forgetOld = job('analytics.forget_old', z.object({}))

/** To the sockets of one user; any gateway instance serves any user. */
export const notificationRaised = event(
  'analytics.notification_raised',
  z.object({
    id: z.uuid(),
    user_id: z.uuid(),
    title: personal(z.string()),
    body: personal(z.string()),
    link: plain(z.string()).nullable(),
    created_at: plain(z.string()),
    unread: z.int(),
  }),
  { delivery: 'broadcast', live: 'notification' },
)
export const activityRecorded = event(
  'analytics.activity_recorded',
  z.object({
    id: z.uuid(),
    user_id: z.uuid(),
    command: personal(z.string()),
    status: plain(z.string()),
    /** Absent from the version before. */
    link: plain(z.string()).nullish(),
    created_at: plain(z.string()),
  }),
  { delivery: 'broadcast', live: 'activity' },
)
/** So that the bell of another tab goes quiet too. */
export const notificationsWereRead = event('analytics.notifications_read', z.object({ user_id: z.uuid(), unread: z.int() }), {
  delivery: 'broadcast',
  live: 'notification',
})
/** A durable event that the person's open pages hear: sockets know broadcasts alone. */
export const eventTold = event(
  'analytics.event_told',
  z.object({ user_id: z.uuid(), topic: plain(z.string()), event: plain(z.string()), payload: personal(z.record(z.string(), z.unknown())) }),
  { delivery: 'broadcast' },
)
