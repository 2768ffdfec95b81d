import { z } from 'zod'
import { fn, id } from '../contract.ts'

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
