import { z } from 'zod'
import { event, job, personal, plain } from '../../contract.ts'
import type { ActivityKind } from '../heat.ts'

/** How far a campaign is, to the open pages of its owner. */
export const campaignProgress = event(
  'crm.campaign_progress',
  z.object({
    user_id: z.uuid(),
    campaign_id: z.uuid(),
    status: plain(z.string()),
    sent: z.int(),
    recipients: z.int(),
    opened: z.int(),
    clicked: z.int(),
  }),
  { delivery: 'broadcast', live: 'campaign' },
)

const campaign = { campaign_id: z.uuid(), name: personal(z.string()) }
const link = ({ campaign_id }: { campaign_id: string }) => `/dashboard/email-studio?campaign=${campaign_id}` as const

export const campaignFinished = event(
  'crm.campaign_finished',
  z.object({ ...campaign, sent: z.int(), unknown: z.int(), failed: z.int(), skipped: z.int() }),
  {
    activity: ({ name, sent }) => `Sent the campaign ${name} to ${sent.toLocaleString('en-US')}`,
    link,
    notice: ({ campaign_id, name, sent, unknown }) => [
      {
        kind: 'campaign',
        title: `${name} was sent`,
        body: `${sent.toLocaleString('en-US')} emails went out.${unknown ? ` ${unknown} may not have arrived: see the report.` : ''}`,
        link: link({ campaign_id }),
        about: campaign_id,
      },
    ],
    trigger: { title: 'A campaign has finished', description: 'When everyone in it was emailed.' },
    live: 'campaigns',
  },
)
export const campaignPaused = event('crm.campaign_paused', z.object({ ...campaign, reason: plain(z.string()), at: z.iso.datetime() }), {
  link,
  notice: ({ campaign_id, name, reason, at }) => [
    { kind: 'campaign', title: `${name} is paused`, body: reason, link: link({ campaign_id }), about: `${campaign_id}:${at}` },
  ],
  live: 'campaigns',
})

export const sequencePaused = event(
  'crm.sequence_paused',
  z.object({ sequence_id: z.uuid(), name: personal(z.string()), reason: plain(z.string()), at: z.iso.datetime() }),
  {
    link: ({ sequence_id }) => `/dashboard/email-studio?tab=sequences&sequence=${sequence_id}` as const,
    notice: ({ sequence_id, name, reason, at }) => [
      {
        ...{ kind: 'campaign', title: `${name} is paused`, body: reason, about: `${sequence_id}:${at}` },
        link: `/dashboard/email-studio?tab=sequences&sequence=${sequence_id}`,
      },
    ],
    live: 'campaigns',
  },
)

/** It runs, and its emails do not go out. Told when that begins, and once a day at most. */
export const sequenceFailing = event(
  'crm.sequence_failing',
  z.object({ sequence_id: z.uuid(), name: personal(z.string()), problem: personal(z.string()), at: z.iso.datetime() }),
  {
    link: ({ sequence_id }) => `/dashboard/email-studio?tab=sequences&sequence=${sequence_id}` as const,
    notice: ({ sequence_id, name, problem, at }) => [
      {
        ...{
          kind: 'campaign',
          title: `Emails of ${name} are not going out`,
          body: problem,
          about: `${sequence_id}:problem:${at.slice(0, 10)}`,
        },
        link: `/dashboard/email-studio?tab=sequences&sequence=${sequence_id}`,
      },
    ],
    live: 'campaigns',
  },
)

const mail = z.object({ ...campaign, recipient_id: z.uuid(), email: personal(z.string()), detail: personal(z.string()).nullable() })
type Mail = z.output<typeof mail>
const timeline =
  (text: (mail: Mail) => string, kind: ActivityKind) =>
  (of: Mail): { email: string; kind: ActivityKind; text: string } => ({ email: of.email, kind, text: text(of) })

/** By a person, as far as that can be told: once for a recipient. */
export const mailOpened = event('crm.mail_opened', mail, {
  timeline: timeline(({ name }) => `Opened ${name}`, 'open'),
  trigger: { title: 'An email was opened', description: 'Of a campaign, by a person and not by a machine, the first time.' },
})
export const mailClicked = event('crm.mail_clicked', mail, {
  timeline: timeline(({ name, detail }) => `Clicked ${detail ?? 'a link'} in ${name}`, 'click'),
  trigger: { title: 'A link in an email was clicked', description: 'Of a campaign, the first time a recipient clicks one.' },
})
export const mailReplied = event('crm.mail_replied', mail, {
  timeline: timeline(({ name }) => `Answered ${name}`, 'reply'),
  trigger: { title: 'A campaign was answered', description: 'By a recipient, as far as the provider tells.' },
})
export const mailUnsubscribed = event('crm.mail_unsubscribed', mail, {
  timeline: timeline(({ name }) => `Unsubscribed from ${name}`, 'change'),
  trigger: { title: 'Someone unsubscribed', description: 'By the link in a campaign, or the button of their mail program.' },
})
export const mailBounced = event('crm.mail_bounced', mail, {
  timeline: timeline(({ name, detail }) => `${name} bounced${detail ? `: ${detail}` : ''}`, 'change'),
  trigger: { title: 'An email bounced', description: 'For good: the address gets no more campaigns.' },
})
export const mailComplained = event('crm.mail_complained', mail, {
  timeline: timeline(({ name }) => `Marked ${name} as spam`, 'change'),
  trigger: { title: 'Someone marked an email as spam', description: 'The address gets no more campaigns.' },
})

/** Starts what is due, takes back what a dead worker held, and looks after what is unknown. */
export const campaignTick = job('crm.campaign_tick', z.object({}))
/** Closes holds of emails that nothing settles any more. */
export const settleEmails = job('crm.settle_emails', z.object({}))
/** Asks the owner of an address for consent. The link is made when it is sent. */
export const optInMail = job('crm.opt_in_mail', z.object({ consent_id: z.uuid(), user_id: z.uuid() }), { attempts: 12 })
