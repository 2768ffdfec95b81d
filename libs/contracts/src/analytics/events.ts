import { z } from 'zod'
import { event, job } from '../contract.ts'

/** Sums old facts up and lets them go, with the activity and the read notices of their time. */
export const forgetOld = job('analytics.forget_old', z.object({}))

/** To the sockets of one user; any gateway instance serves any user. */
export const notificationRaised = event(
  'analytics.notification_raised',
  z.object({
    id: z.uuid(),
    user_id: z.uuid(),
    title: z.string(),
    body: z.string(),
    link: z.string().nullable(),
    created_at: z.string(),
    unread: z.int(),
  }),
  'broadcast',
)
export const activityRecorded = event(
  'analytics.activity_recorded',
  z.object({ id: z.uuid(), user_id: z.uuid(), command: z.string(), status: z.string(), created_at: z.string() }),
  'broadcast',
)
/** So that the bell of another tab goes quiet too. */
export const notificationsWereRead = event('analytics.notifications_read', z.object({ user_id: z.uuid(), unread: z.int() }), 'broadcast')
