import { z } from 'zod'
import { col, endpoint, fn, reading, time } from '../contract.ts'

// The platform's own newsletter. Every address is confirmed by its owner, and one click ends it.
// A link that a mail program cut short is answered by the page as well, in words.
const token = z.string().max(200)
const letterPage = {
  access: 'public',
  rate: 'auth-strict',
  query: z.object({ token: token.default('') }),
  reply: z.string(),
  raw: true,
  contentType: 'text/html',
} as const
/** A button in a page posts a form; a mail program posts RFC 8058's one click; the web app posts JSON. */
const letterAction = {
  access: 'public',
  rate: 'auth-strict',
  query: z.object({ token: token.optional() }),
  body: z.looseObject({ token: token.optional() }).nullish(),
  reply: z.object({ ok: z.boolean(), message: z.string() }),
  raw: true,
} as const

export const newsletterSubscribe = fn('newsletter-subscribe', {
  access: 'public',
  rate: 'public-send',
  summary: 'Asks for the newsletter. The answer is the same whether or not the address is on the list',
  body: z.object({ email: z.email().max(254) }),
  reply: z.object({ ok: z.boolean(), message: z.string() }),
})
export const newsletterConfirmPage = endpoint({
  ...letterPage,
  method: 'GET',
  path: '/functions/v1/newsletter-confirm',
  summary: 'The page of the confirmation link',
})
export const newsletterConfirm = endpoint({
  ...letterAction,
  method: 'POST',
  path: '/functions/v1/newsletter-confirm',
  summary: 'Confirms the address that the link was sent to',
})
export const newsletterUnsubscribePage = endpoint({
  ...letterPage,
  method: 'GET',
  path: '/functions/v1/newsletter-unsubscribe',
  summary: 'The page of the unsubscribe link',
})
export const newsletterUnsubscribe = endpoint({
  ...letterAction,
  method: 'POST',
  path: '/functions/v1/newsletter-unsubscribe',
  summary: 'Ends the newsletter for one address, in one click',
})

export const countContacts = reading('count-contacts', {
  summary: 'Counts the contacts of the account',
  description: 'Also counts those with an email address, and says when the newest was added.',
  body: z.object({}).prefault({}),
  reply: z.object({ contacts: z.int(), with_email: z.int(), newest_at: time.nullable() }),
  example: { request: {}, reply: { contacts: 42, with_email: 37, newest_at: '2026-11-21T10:00:00.000Z' } },
  errors: [],
  action: {
    title: 'Count contacts',
    when: 'The person asks how many contacts or leads they have',
    effect: 'reads',
    evidence: {
      columns: { contacts: col.count('Contacts'), with_email: col.count('With an email address'), newest_at: col.time('Newest') },
    },
  },
})
