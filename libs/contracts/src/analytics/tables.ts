import { z } from 'zod'
import { id, table, time } from '../contract.ts'

export const activityLogs = table('activity_logs', {
  access: 'user',
  summary: 'Recent activity of the account, newest first',
  columns: z.object({
    id: id('activity'),
    user_id: z.uuid(),
    command: z.string(),
    status: z.string(),
    link: z.string().nullable(),
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
