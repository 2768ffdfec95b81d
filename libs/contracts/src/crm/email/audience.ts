import { z } from 'zod'
import { changing, col, endpoint, reading, text, time } from '../../contract.ts'
import { address, exampleId } from './shapes.ts'

// The people who may be emailed: consents and suppressions, and the pages where the recipients decide themselves.

const Suppression = z.object({
  id: z.uuid(),
  email: z.string(),
  state: z.enum(['withdrawn', 'bounced', 'complained']),
  reason: z.string(),
  at: time,
})
export const listSuppressions = reading('list-suppressions', {
  summary: 'Lists the addresses that get no campaigns, with the reason, newest first',
  description: 'People who unsubscribed, addresses that bounced and readers who complained.',
  body: z.object({ query: text(100).optional(), limit: z.int().min(1).max(100).default(50), cursor: text(200).optional() }).prefault({}),
  reply: z.object({ suppressions: z.array(Suppression), cursor: z.string().nullable() }),
  example: {
    request: {},
    reply: {
      suppressions: [
        {
          id: exampleId,
          email: 'bo@example.com',
          state: 'withdrawn',
          reason: 'Unsubscribed from Spring news',
          at: '2026-11-24T10:00:00.000Z',
        },
      ],
      cursor: null,
    },
  },
  errors: [],
  action: {
    title: 'List suppressed addresses',
    when: 'The person asks who unsubscribed, bounced or complained',
    effect: 'reads',
    evidence: { rows: 'suppressions', columns: { email: col.text('Address'), reason: col.text('Reason'), at: col.time('When') } },
  },
})
export const addSuppression = changing('add-suppression', {
  summary: 'Stops campaigns to an address',
  description: 'An address is suppressed once; twice is as good as once.',
  body: z.object({ email: address }),
  reply: z.object({ id: z.uuid() }),
  errors: [],
})
export const removeSuppression = changing('remove-suppression', {
  summary: 'Lets campaigns go to an address again that bounced or that you stopped yourself',
  description: 'People who unsubscribed or complained can only subscribe again themselves.',
  body: z.object({ email: address }),
  reply: z.object({ removed: z.boolean() }),
  errors: ['not_found', 'suppression_theirs'],
})

/** Answers the same whether or not the address is known. */
export const askOptIn = changing('ask-opt-in', {
  summary: 'Emails an address once, to ask whether it wants your campaigns',
  description: 'Nothing changes before its owner confirms. An address is asked once a day at most, and three times in all.',
  body: z.object({ email: address }),
  reply: z.object({ asked: z.boolean() }),
  errors: ['opt_in_asked', 'opt_in_enough', 'opt_in_inbox', 'address_suppressed', 'anonymous_no_letters'],
})

const token = z.object({ token: text(100) })
const page = { access: 'public', rate: 'read', params: token, reply: z.string(), raw: true, contentType: 'text/html' } as const
// Mail programs post one click from few addresses of their own, and no token can be guessed.
const change = {
  access: 'public',
  rate: 'webhook',
  params: token,
  body: z.looseObject({ choice: text(20).optional() }).nullish(),
  reply: z.object({ ok: z.boolean(), message: z.string() }),
  raw: true,
} as const

export const mailUnsubscribePage = endpoint({
  ...page,
  method: 'GET',
  path: '/mail/unsubscribe/:token',
  summary: 'The page of the unsubscribe link. Opening it changes nothing',
})
export const mailUnsubscribe = endpoint({
  ...change,
  method: 'POST',
  path: '/mail/unsubscribe/:token',
  summary: 'Ends the campaigns of one account to one address, in one click (RFC 8058)',
})
export const mailPreferencesPage = endpoint({
  ...page,
  method: 'GET',
  path: '/mail/preferences/:token',
  summary: 'Shows what an address has agreed to, and how to change it',
})
export const mailPreferences = endpoint({
  ...change,
  method: 'POST',
  path: '/mail/preferences/:token',
  summary: 'Ends or takes up again the campaigns of one account to one address',
})
export const mailOptInPage = endpoint({
  ...page,
  method: 'GET',
  path: '/mail/confirm/:token',
  summary: 'The page of the link that asks for consent',
})
export const mailOptIn = endpoint({
  ...change,
  method: 'POST',
  path: '/mail/confirm/:token',
  summary: 'Gives the consent of the owner of an address',
})

export const mailClick = endpoint({
  method: 'GET',
  path: '/mail/click',
  access: 'public',
  rate: 'read',
  summary: 'Leads to the address that a link of an email names',
  description: 'The token is signed and holds the address, so it leads to nowhere else than the email did.',
  query: z.object({ token: text(4000).default('') }),
  reply: z.string(),
  raw: true,
  contentType: 'text/html',
  status: 302,
})
export const mailOpen = endpoint({
  method: 'GET',
  path: '/mail/open/:token',
  access: 'public',
  rate: 'read',
  summary: 'The picture of one pixel that tells that an email was opened',
  params: token,
  reply: z.string(),
  raw: true,
  contentType: 'image/gif',
})

export const mailersendWebhook = endpoint({
  method: 'POST',
  path: '/webhooks/mailersend/:sender',
  access: 'public',
  rate: 'webhook',
  summary: 'What MailerSend tells about delivered, bounced and complained emails',
  description: 'Signed by MailerSend with the secret of the sender’s webhook.',
  params: z.object({ sender: z.uuid() }),
  bytes: true,
  reply: z.object({ taken: z.int() }),
  errors: ['webhook_signature'],
})
