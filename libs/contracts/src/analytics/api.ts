import { z } from 'zod'
import { changing, col, id, reading, time } from '../contract.ts'

/** Lists come newest first, in pages: `cursor` is what the page before answered with. */
const page = { limit: z.int().min(1).max(50).default(20), cursor: z.string().max(100).nullish() }

export const listActivity = reading('list-activity', {
  summary: 'Lists what happened in the account, newest first',
  description: 'One line for each thing that was done, with its status: completed, cut, failed or stopped.',
  body: z.object(page).prefault({}),
  reply: z.object({
    activity: z.array(
      z.object({ id: id('activity'), command: z.string(), status: z.string(), link: z.string().nullish(), created_at: time }),
    ),
    cursor: z.string().nullable(),
  }),
  example: {
    request: { limit: 1 },
    reply: {
      activity: [
        {
          id: '01931a5c-7d4b-7c3e-9a41-0f6f2f9f4b10',
          command: 'Write a haiku about invoices',
          status: 'completed',
          link: '/dashboard/operon-ai?c=01931a5c-7d4b-7c3e-9a41-0f6f2f9f4b11',
          created_at: '2026-11-21T10:00:00.000Z',
        },
      ],
      cursor: null,
    },
  },
  errors: [],
  action: {
    title: 'List recent activity',
    when: 'The person asks what they or their workspace did lately',
    effect: 'reads',
    evidence: { rows: 'activity', columns: { created_at: col.time('When'), command: col.text('What'), status: col.text('Status') } },
  },
})

export const listNotifications = reading('list-notifications', {
  summary: 'Lists the notifications behind the bell, newest first',
  description: 'A notification that was not read yet has no `read_at`. With `unread: true` only those are listed.',
  body: z.object({ ...page, unread: z.boolean().optional() }).prefault({}),
  reply: z.object({
    notifications: z.array(
      z.object({
        id: id('notification'),
        title: z.string(),
        body: z.string(),
        link: z.string().nullable(),
        created_at: time,
        read_at: time.nullable(),
      }),
    ),
    unread: z.int(),
    cursor: z.string().nullable(),
  }),
  example: {
    request: { unread: true, limit: 1 },
    reply: {
      notifications: [
        {
          id: '01931a5c-7d4b-7c3e-9a41-0f6f2f9f4b10',
          title: '80% of your AI prompts are used',
          body: '2,400 of 3,000 AI prompts are used in this period. Upgrade before you run out.',
          link: '/pricing',
          created_at: '2026-11-21T10:00:00.000Z',
          read_at: null,
        },
      ],
      unread: 1,
      cursor: null,
    },
  },
  errors: [],
  action: {
    title: 'List notifications',
    when: 'The person asks what is new, or what they have been notified of',
    effect: 'reads',
    evidence: { rows: 'notifications', columns: { created_at: col.time('When'), title: col.text('Title'), body: col.text('Text') } },
  },
})

const read_at = time.nullable().describe('When they were marked: with it they are marked as unread again')
export const notificationsUnread = changing('notifications-unread', {
  summary: 'Marks as unread again what was marked as read at one time',
  description: 'The time is `read_at` of the answer that marked them.',
  body: z.object({ read_at }),
  reply: z.object({ unread: z.int() }),
  example: { request: { read_at: '2026-11-21T10:00:00.000Z' }, reply: { unread: 2 } },
  errors: [],
  action: {
    title: 'Mark notifications as unread',
    when: 'The person asks to take back that notifications were marked as read',
    effect: 'changes',
    does: () => 'Marks those notifications as unread again',
  },
})

export const notificationsRead = changing('notifications-read', {
  summary: 'Marks notifications as read: those named, or all of them',
  description: 'Without `ids` every unread notification is marked. Notifications read earlier stay as they are and are not counted.',
  body: z.object({ ids: z.array(id('notification')).max(200).optional() }).nullish(),
  reply: z.object({ read: z.int(), unread: z.int(), read_at: read_at.optional() }),
  example: { request: {}, reply: { read: 2, unread: 0, read_at: '2026-11-21T10:00:00.000Z' } },
  errors: [],
  action: {
    title: 'Mark notifications as read',
    when: 'The person asks to clear the bell or to mark notifications as read',
    effect: 'changes',
    undo: { contract: notificationsUnread, seconds: 3600 },
    does: (input) => (input?.ids ? `Marks ${input.ids.length} notifications as read` : 'Marks all notifications as read'),
  },
})

const Stat = z.object({
  total: z.int(),
  /** Totals of the last 30 days and of the 30 before them. */
  current: z.int(),
  previous: z.int(),
  /** From the previous 30 days to these; 0 where there is nothing to compare with. */
  change_pct: z.int(),
})
export const dashboardStats = reading('dashboard-stats', {
  summary: 'Counts leads, appointments, campaigns and sent emails, with their change over 30 days',
  description: 'Each figure has its total, the last 30 days, the 30 days before them and the change in percent.',
  body: z.object({}).nullish(),
  reply: z.object({ leads: Stat, appointments: Stat, campaigns: Stat, emails_sent: Stat, period_days: z.int() }),
  example: {
    request: {},
    reply: {
      leads: { total: 7, current: 4, previous: 2, change_pct: 100 },
      appointments: { total: 1, current: 0, previous: 1, change_pct: -100 },
      campaigns: { total: 0, current: 0, previous: 0, change_pct: 0 },
      emails_sent: { total: 150, current: 150, previous: 0, change_pct: 0 },
      period_days: 30,
    },
  },
  errors: [],
  action: {
    title: 'Show the dashboard figures',
    when: 'The person asks how many leads, appointments, campaigns or sent emails they have, or how that changed',
    effect: 'reads',
    evidence: {
      columns: {
        'leads.total': col.count('Leads'),
        'appointments.total': col.count('Appointments'),
        'campaigns.total': col.count('Campaigns'),
        'emails_sent.total': col.count('Emails sent'),
      },
    },
  },
})
