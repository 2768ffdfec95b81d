import { z } from 'zod'
import { endpoint, event, fn, id, job, table, time } from './contract.ts'

export const leads = table('leads', {
  access: 'user',
  summary: 'People who may become customers',
  columns: z.object({
    id: id('lead'),
    user_id: z.uuid(),
    name: z.string(),
    email: z.string().nullable(),
    status: z.string(),
    source: z.string(),
    created_at: time,
  }),
})
export const appointments = table('appointments', {
  access: 'user',
  summary: 'What is booked',
  columns: z.object({ id: id('appointment'), user_id: z.uuid(), title: z.string(), status: z.string(), starts_at: time, created_at: time }),
})
export const emailCampaigns = table('email_campaigns', {
  access: 'user',
  summary: 'Campaigns and how many mails each has sent',
  columns: z.object({ id: id('campaign'), user_id: z.uuid(), name: z.string(), status: z.string(), sent_count: z.int(), created_at: time }),
})

export const leadCreated = event('crm.lead_created', z.object({ lead_id: z.uuid() }))
export const appointmentBooked = event('crm.appointment_booked', z.object({ appointment_id: z.uuid() }))
export const campaignCreated = event('crm.campaign_created', z.object({ campaign_id: z.uuid(), name: z.string() }))
/** `sent` is how many mails this step added, so that the steps of one campaign sum up in any order. */
export const campaignSent = event('crm.campaign_sent', z.object({ campaign_id: z.uuid(), name: z.string(), sent: z.int() }))

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
  rate: 'auth-strict',
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

/** Carries no token: it is derived from the job's id, so a retry sends the same link. */
export const newsletterMail = job('crm.newsletter_mail', z.object({ subscriber_id: z.uuid(), template: z.enum(['confirm', 'welcome']) }), {
  attempts: 12,
})
export const newsletterSweep = job('crm.newsletter_sweep', z.object({}))

/** A mail about the account itself. The words are settled when the event comes; the address is read when it is sent. */
export const accountMail = job(
  'crm.account_mail',
  z.object({
    user_id: z.uuid(),
    subject: z.string(),
    title: z.string(),
    text: z.string(),
    label: z.string(),
    path: z.string().startsWith('/'),
    after: z.string(),
  }),
  { attempts: 12 },
)
