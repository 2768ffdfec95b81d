import { z } from 'zod'
import { fn, oneLine, text, time } from '../contract.ts'

// Apps that people miss in the library.

/** The most that one person may ask for. */
export const MOST_WISHES = 20
const reason = z.string().trim().min(3).max(500)

export const requestApp = fn('request-app', {
  access: 'user',
  rate: 'write',
  summary: 'Asks for an app that is not in the App Library',
  description: `Those who run this site see which apps are asked for, and how often. Asking for the same app again changes what is wanted of it. At most ${MOST_WISHES}.`,
  body: z.object({ name: oneLine(60).min(2), wanted: text(500).default('') }),
  reply: z.object({ requested: z.literal(true) }),
  example: { request: { name: 'Shopify', wanted: 'New orders as contacts' }, reply: { requested: true as const } },
  errors: ['app_exists', 'app_requests_full'],
  idempotent: true,
  action: {
    title: 'Ask for an app',
    when: 'The person wants an app to be added that cannot be connected yet',
    effect: 'changes',
    noPreview: 'Only this name is kept.',
    does: ({ name }) => `Asks those who run this site to add ${name}`,
  },
})

export const staffAppRequests = fn('staff-app-requests', {
  access: 'staff',
  rate: 'read',
  summary: 'Lists the apps that people ask for, the most wanted first',
  description: 'Of the newest 5,000 requests, at most a hundred apps, each with what was wanted of it lately.',
  body: z.object({ reason }),
  reply: z.object({ apps: z.array(z.object({ name: z.string(), people: z.int(), wanted: z.array(z.string()), last_at: time })) }),
  example: {
    request: { reason: 'Planning the next apps' },
    reply: { apps: [{ name: 'Shopify', people: 12, wanted: ['New orders as contacts'], last_at: '2026-11-24T10:00:00.000Z' }] },
  },
})
