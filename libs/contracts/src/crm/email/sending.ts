import { z } from 'zod'
import { changing, col, fn, reading, time } from '../../contract.ts'
import { campaignStatuses, ReaderHour } from './campaigns.ts'
import { campaign_id, exampleId } from './shapes.ts'

// A campaign on its way: looked at, sent, scheduled, paused, cancelled.

export const sendTestCampaign = fn('send-test-campaign', {
  access: 'user',
  summary: 'Sends a campaign to your own address, to see it as recipients will',
  description: 'Goes to the email address of the account. Its links are not counted.',
  body: z.object({ campaign_id }),
  reply: z.object({ to: z.string() }),
  errors: ['not_found', 'mailersend_first', 'campaign_incomplete', 'test_mail_limit', 'campaign_provider'],
})

export const previewCampaign = reading('preview-campaign', {
  summary: 'Says how many a campaign would reach, what it uses of the plan, and shows the first email',
  description: 'Sends nothing. Says too what keeps the campaign from being sent.',
  body: z.object({ campaign_id }),
  reply: z.object({
    name: z.string(),
    subject: z.string(),
    recipients: z.int(),
    /** Contacts of the segment that are left out: no address, unsubscribed, bounced or complained. */
    left_out: z.int(),
    /** Those among them who have left its topic. Absent from the version before. */
    left_topic: z.int().optional(),
    emails_left: z.int().nullable(),
    from: z.string().nullable(),
    /** The reason why it cannot be sent, in words. */
    missing: z.string().nullable(),
    first: z.object({ to: z.string(), subject: z.string(), html: z.string(), text: z.string() }).nullable(),
  }),
  example: {
    request: { campaign_id: exampleId },
    reply: {
      name: 'Spring news',
      subject: 'New on the menu',
      recipients: 120,
      left_out: 2,
      emails_left: 2880,
      from: 'Harbour Café <news@harbour-cafe.example>',
      missing: null,
      first: {
        to: 'ines@harbour-cafe.example',
        subject: 'New on the menu',
        html: '<p>Come by and taste it.</p>',
        text: 'Come by and taste it.',
      },
    },
  },
  errors: ['not_found'],
  action: {
    title: 'Preview a campaign',
    when: 'The person asks who a campaign would go to, or how it looks',
    effect: 'reads',
    evidence: { columns: { recipients: col.count('Recipients'), left_out: col.count('Left out'), subject: col.text('Subject') } },
  },
})

export const pauseCampaign = changing('pause-campaign', {
  summary: 'Pauses a campaign that is being sent',
  description: 'Emails that are on their way arrive. `resume-campaign` goes on with the others.',
  body: z.object({ campaign_id }),
  reply: z.object({ status: z.enum(campaignStatuses) }),
  errors: ['not_found', 'campaign_state'],
})
export const resumeCampaign = changing('resume-campaign', {
  summary: 'Goes on with a paused campaign',
  body: z.object({ campaign_id }),
  reply: z.object({ status: z.enum(campaignStatuses) }),
  errors: ['not_found', 'campaign_state', 'mailersend_first', 'limit_emails'],
})
export const cancelCampaign = changing('cancel-campaign', {
  summary: 'Ends a campaign that is being sent, or makes a scheduled one a draft again',
  description: 'Recipients who were not emailed yet are not emailed.',
  body: z.object({ campaign_id }),
  reply: z.object({ status: z.enum(campaignStatuses) }),
  example: { request: { campaign_id: exampleId }, reply: { status: 'cancelled' } },
  errors: ['not_found', 'campaign_state', 'campaign_of_sequence'],
  action: {
    title: 'Cancel a campaign',
    when: 'The person asks to stop a campaign that is being sent or is scheduled',
    effect: 'destroys',
    does: () => 'Ends the campaign: nobody else is emailed',
  },
})

const sendErrors = [
  'not_found',
  'mailersend_first',
  'campaign_state',
  'campaign_of_sequence',
  'campaign_incomplete',
  'campaign_empty',
  'limit_emails',
  'campaigns_busy',
] as const
export const sendCampaign = changing('send-campaign', {
  summary: 'Sends a campaign to everyone in its segment, each at most once',
  description:
    'The recipients are settled now: who joins the segment later does not get it. Each email counts against the plan. The sending goes on in the background; `get-campaign` and the live channel `campaign` tell how far it is.',
  body: z.object({ campaign_id }),
  reply: z.object({ recipients: z.int(), status: z.enum(campaignStatuses) }),
  example: { request: { campaign_id: exampleId }, reply: { recipients: 120, status: 'sending' } },
  errors: sendErrors,
  action: {
    title: 'Send a campaign',
    when: 'The person asks to send a campaign that is ready',
    effect: 'sends',
    unit: 'emails',
    preview: previewCampaign,
    does: () => 'Sends the campaign to everyone in its segment',
  },
})
export const scheduleCampaign = changing('schedule-campaign', {
  summary: 'Sends a campaign at a later time',
  description: 'The recipients are settled then. `cancel-campaign` makes it a draft again.',
  body: z.object({ campaign_id, at: time, reader_hour: ReaderHour.optional() }),
  reply: z.object({ scheduled_at: time, status: z.enum(campaignStatuses) }),
  example: {
    request: { campaign_id: exampleId, at: '2026-12-01T09:00:00.000Z' },
    reply: { scheduled_at: '2026-12-01T09:00:00.000Z', status: 'scheduled' },
  },
  errors: [...sendErrors, 'campaign_time'],
  action: {
    title: 'Schedule a campaign',
    when: 'The person asks to send a campaign at a later time',
    effect: 'sends',
    preview: previewCampaign,
    unit: 'emails',
    does: ({ at }) => `Sends the campaign to its segment at ${at}`,
  },
})
