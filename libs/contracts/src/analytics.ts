import { z } from 'zod'
import { event, fn, id, job, table, time } from './contract.ts'

export const activityLogs = table('activity_logs', {
  access: 'user',
  summary: 'What happened in the account, newest first',
  columns: z.object({
    id: id('activity'),
    user_id: z.uuid(),
    command: z.string(),
    status: z.string(),
    created_at: time,
  }),
})

export const notifications = table('notifications', {
  access: 'user',
  summary: 'The inbox behind the bell; unread where read_at is null',
  columns: z.object({
    id: id('notification'),
    user_id: z.uuid(),
    kind: z.string(),
    title: z.string(),
    body: z.string(),
    link: z.string().nullable(),
    created_at: time,
    read_at: time.nullable(),
  }),
})

export const notificationsRead = fn('notifications-read', {
  access: 'user',
  summary: 'Marks notifications as read: those named, or all of them',
  body: z.object({ ids: z.array(id('notification')).max(200).optional() }).nullish(),
  reply: z.object({ read: z.int(), unread: z.int() }),
})

const Stat = z.object({
  total: z.int(),
  /** What the last 30 days brought, and the 30 before them. */
  current: z.int(),
  previous: z.int(),
  /** From the previous 30 days to these; 0 where there is nothing to compare with. */
  change_pct: z.int(),
})
export const dashboardStats = fn('dashboard-stats', {
  access: 'user',
  rate: 'read',
  summary: 'The four figures of the dashboard with their change over 30 days',
  body: z.object({}).nullish(),
  reply: z.object({ leads: Stat, appointments: Stat, campaigns: Stat, emails_sent: Stat, period_days: z.int() }),
})

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
