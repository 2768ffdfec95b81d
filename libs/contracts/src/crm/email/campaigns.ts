import { z } from 'zod'
import { fn, oneLine, text, time } from '../../contract.ts'
import { Tag } from '../contacts.ts'
import { EmailDocument } from './document.ts'
import { SegmentTree } from './segments.ts'
import { address, campaign_id, exampleId, segment_id, sender_id } from './shapes.ts'

// Campaigns: one email to many contacts, each of whom gets it at most once.

export const campaignStatuses = ['draft', 'scheduled', 'sending', 'paused', 'sent', 'cancelled'] as const
export const recipientStates = ['waiting', 'sending', 'sent', 'unknown', 'failed', 'skipped'] as const

/** Which subject does better: a share of the recipients gets one or the other, the rest the winner. */
const Ab = z.object({
  subject: oneLine(200).min(1),
  share_percent: z.int().min(10).max(50).default(20),
  after_hours: z.int().min(1).max(72).default(4),
})
const Counts = z.object({
  recipients: z.int(),
  waiting: z.int(),
  sent: z.int(),
  unknown: z.int(),
  failed: z.int(),
  skipped: z.int(),
})
export const Campaign = z.object({
  campaign_id,
  name: z.string(),
  status: z.enum(campaignStatuses),
  /** Why it is paused, in words. */
  reason: z.string().nullable(),
  subject: z.string(),
  document: EmailDocument,
  sender_id: sender_id.nullable(),
  segment_id: segment_id.nullable(),
  segment: SegmentTree,
  ab: Ab.nullable(),
  scheduled_at: time.nullable(),
  /** Each gets it at this hour of their own day, as far as their time zone is known. */
  reader_hour: z.int().nullable(),
  sent_count: z.int(),
  created_at: time,
  started_at: time.nullable(),
  finished_at: time.nullable(),
  /** Rises with every change; sent back with one, it refuses to overwrite another's. */
  version: z.int(),
})
const documentExample: z.output<typeof EmailDocument> = {
  version: 1,
  preview: '',
  theme: { accent: '#456a00', font: 'sans', frame: 'panel' },
  blocks: [{ kind: 'text', id: 'p1', text: 'Come by and taste it.', align: 'left' }],
}
const example: z.output<typeof Campaign> = {
  campaign_id: exampleId,
  name: 'Spring news',
  status: 'draft',
  reason: null,
  subject: 'New on the menu',
  document: documentExample,
  sender_id: null,
  segment_id: null,
  segment: { match: 'all', conditions: [{ field: 'tag', is: 'has', value: 'vip' }] },
  ab: null,
  scheduled_at: null,
  reader_hour: null,
  sent_count: 0,
  created_at: '2026-11-24T10:00:00.000Z',
  started_at: null,
  finished_at: null,
  version: 1,
}

const fields = {
  subject: oneLine(200),
  document: EmailDocument,
  sender_id: sender_id.nullable(),
  segment_id: segment_id.nullable(),
  segment: SegmentTree,
  ab: Ab.nullable(),
  reader_hour: z.int().min(0).max(23).nullable(),
}

export const deleteCampaign = fn('delete-campaign', {
  access: 'user',
  idempotent: true,
  summary: 'Deletes a campaign with its report',
  description: 'One that is being sent has to be cancelled first. Suppressions that came of it stay.',
  body: z.object({ campaign_id }),
  reply: z.object({ deleted: z.boolean() }),
  example: { request: { campaign_id: exampleId }, reply: { deleted: true } },
  errors: ['not_found', 'campaign_state'],
  action: {
    title: 'Delete a campaign',
    when: 'The person asks to delete a campaign',
    effect: 'destroys',
    does: () => 'Deletes the campaign with its report',
  },
})

export const createCampaign = fn('create-campaign', {
  access: 'user',
  idempotent: true,
  summary: 'Adds a draft of a campaign',
  description:
    '`text` makes a document of one text block; `document` gives its blocks. `tag` is short for a segment of those who have it. Nothing is sent.',
  body: z.object({
    name: oneLine(120).min(1),
    subject: fields.subject.default(''),
    text: text(8000).optional(),
    document: fields.document.optional(),
    tag: Tag.optional(),
    segment_id: segment_id.optional(),
    segment: SegmentTree.optional(),
    sender_id: sender_id.optional(),
  }),
  reply: z.object({ campaign_id }),
  example: {
    request: { name: 'Spring news', subject: 'New on the menu', text: 'Come by and taste it.', tag: 'vip' },
    reply: { campaign_id: exampleId },
  },
  errors: ['not_found', 'campaigns_full'],
  action: {
    title: 'Create a campaign',
    when: 'The person asks to write, draft or prepare an email campaign or a newsletter',
    effect: 'changes',
    does: ({ name }) => `Adds the draft ${name}`,
    undo: { contract: deleteCampaign, seconds: 600 },
  },
})

export const updateCampaign = fn('update-campaign', {
  access: 'user',
  idempotent: true,
  summary: 'Changes the fields of a draft that are given',
  description:
    'With `version` it is refused when the draft was changed since. What is scheduled goes back to a draft first: see `cancel-campaign`.',
  body: z.object({
    campaign_id,
    version: z.int().min(1).optional(),
    name: oneLine(120).min(1).optional(),
    subject: fields.subject.optional(),
    document: fields.document.optional(),
    sender_id: fields.sender_id.optional(),
    segment_id: fields.segment_id.optional(),
    segment: fields.segment.optional(),
    ab: fields.ab.optional(),
    reader_hour: fields.reader_hour.optional(),
  }),
  reply: Campaign,
  example: { request: { campaign_id: exampleId, subject: 'New on the menu' }, reply: example },
  errors: ['not_found', 'conflict', 'campaign_state'],
  action: {
    title: 'Change a campaign',
    when: 'The person asks to change the subject, the text or the recipients of a draft',
    effect: 'changes',
    does: ({ campaign_id, version, ...changed }) => `Changes ${Object.keys(changed).join(', ').replaceAll('_', ' ')} of the campaign`,
  },
})

export const getCampaign = fn('get-campaign', {
  access: 'user',
  rate: 'read',
  summary: 'Shows a campaign with its document and how far it is',
  body: z.object({ campaign_id }),
  reply: z.object({ campaign: Campaign, counts: Counts }),
  errors: ['not_found'],
})

const Listed = Campaign.pick({
  campaign_id: true,
  name: true,
  status: true,
  reason: true,
  subject: true,
  sent_count: true,
  scheduled_at: true,
  created_at: true,
}).extend({
  recipients: z.int(),
  opened: z.int(),
  clicked: z.int(),
})
export const findCampaigns = fn('find-campaigns', {
  access: 'user',
  rate: 'read',
  summary: 'Lists the campaigns, newest first',
  description: '`opened` counts people; opens by machines are in `campaign-report`.',
  body: z
    .object({
      query: text(100).optional(),
      status: z.enum(campaignStatuses).optional(),
      limit: z.int().min(1).max(100).default(50),
      cursor: text(200).optional(),
    })
    .prefault({}),
  reply: z.object({ campaigns: z.array(Listed), cursor: z.string().nullable() }),
  example: {
    request: {},
    reply: {
      campaigns: [
        {
          campaign_id: exampleId,
          name: 'Spring news',
          status: 'sent',
          reason: null,
          subject: 'New on the menu',
          sent_count: 120,
          scheduled_at: null,
          created_at: '2026-11-24T10:00:00.000Z',
          recipients: 121,
          opened: 48,
          clicked: 12,
        },
      ],
      cursor: null,
    },
  },
  errors: [],
  action: {
    title: 'Find campaigns',
    when: 'The person asks about their email campaigns, what was sent, or how one did',
    effect: 'reads',
    evidence: {
      rows: 'campaigns',
      columns: {
        name: { label: 'Campaign', as: 'text' },
        status: { label: 'Status', as: 'text' },
        sent_count: { label: 'Sent', as: 'count' },
        opened: { label: 'Opened', as: 'count' },
        clicked: { label: 'Clicked', as: 'count' },
      },
    },
  },
})

export const duplicateCampaign = fn('duplicate-campaign', {
  access: 'user',
  idempotent: true,
  summary: 'Copies a campaign into a new draft',
  body: z.object({ campaign_id }),
  reply: z.object({ campaign_id }),
  errors: ['not_found', 'campaigns_full'],
})

export const sendTestCampaign = fn('send-test-campaign', {
  access: 'user',
  summary: 'Sends a campaign to your own address, to see it as recipients will',
  description: 'Goes to the email address of the account. Its links are not counted.',
  body: z.object({ campaign_id }),
  reply: z.object({ to: z.string() }),
  errors: ['not_found', 'mailersend_first', 'campaign_incomplete', 'test_mail_limit', 'campaign_provider'],
})

export const previewCampaign = fn('preview-campaign', {
  access: 'user',
  rate: 'read',
  summary: 'Says how many a campaign would reach, what it uses of the plan, and shows the first email',
  description: 'Sends nothing. Says too what keeps the campaign from being sent.',
  body: z.object({ campaign_id }),
  reply: z.object({
    name: z.string(),
    subject: z.string(),
    recipients: z.int(),
    /** Contacts of the segment that are left out: no address, unsubscribed, bounced or complained. */
    left_out: z.int(),
    emails_left: z.int().nullable(),
    from: z.string().nullable(),
    /** What keeps it from being sent, in words. */
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
    evidence: {
      columns: {
        recipients: { label: 'Recipients', as: 'count' },
        left_out: { label: 'Left out', as: 'count' },
        subject: { label: 'Subject', as: 'text' },
      },
    },
  },
})

export const pauseCampaign = fn('pause-campaign', {
  access: 'user',
  idempotent: true,
  summary: 'Pauses a campaign that is being sent',
  description: 'Emails that are on their way arrive. `resume-campaign` goes on with the others.',
  body: z.object({ campaign_id }),
  reply: z.object({ status: z.enum(campaignStatuses) }),
  errors: ['not_found', 'campaign_state'],
})
export const resumeCampaign = fn('resume-campaign', {
  access: 'user',
  idempotent: true,
  summary: 'Goes on with a paused campaign',
  body: z.object({ campaign_id }),
  reply: z.object({ status: z.enum(campaignStatuses) }),
  errors: ['not_found', 'campaign_state', 'mailersend_first', 'limit_emails'],
})
export const cancelCampaign = fn('cancel-campaign', {
  access: 'user',
  idempotent: true,
  summary: 'Ends a campaign that is being sent, or makes a scheduled one a draft again',
  description: 'Who was not emailed yet is not emailed any more.',
  body: z.object({ campaign_id }),
  reply: z.object({ status: z.enum(campaignStatuses) }),
  example: { request: { campaign_id: exampleId }, reply: { status: 'cancelled' } },
  errors: ['not_found', 'campaign_state'],
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
  'campaign_incomplete',
  'campaign_empty',
  'limit_emails',
  'campaigns_busy',
] as const
export const sendCampaign = fn('send-campaign', {
  access: 'user',
  idempotent: true,
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
export const scheduleCampaign = fn('schedule-campaign', {
  access: 'user',
  idempotent: true,
  summary: 'Sends a campaign at a later time',
  description: 'The recipients are settled then. `cancel-campaign` makes it a draft again.',
  body: z.object({ campaign_id, at: time, reader_hour: fields.reader_hour.optional() }),
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
    unit: 'emails',
    preview: previewCampaign,
    does: ({ at }) => `Sends the campaign to its segment at ${at}`,
  },
})

export const campaignReport = fn('campaign-report', {
  access: 'user',
  rate: 'read',
  summary: 'How a campaign did: delivered, opened, clicked, bounced, unsubscribed',
  description:
    'Opens by machines (mail programs that load pictures beforehand, scanners) are told apart as well as they can be; `opened` leaves them out. Each person counts once.',
  body: z.object({ campaign_id }),
  reply: z.object({
    name: z.string(),
    status: z.enum(campaignStatuses),
    counts: Counts,
    delivered: z.int(),
    opened: z.int(),
    machine_opened: z.int(),
    clicked: z.int(),
    bounced: z.int(),
    complained: z.int(),
    unsubscribed: z.int(),
    links: z.array(z.object({ url: z.string(), people: z.int() })).max(50),
    variants: z.array(z.object({ subject: z.string(), sent: z.int(), opened: z.int(), clicked: z.int(), winner: z.boolean() })).max(2),
    by_hour: z.array(z.object({ at: time, opened: z.int(), clicked: z.int() })).max(96),
  }),
  example: {
    request: { campaign_id: exampleId },
    reply: {
      name: 'Spring news',
      status: 'sent',
      counts: { recipients: 121, waiting: 0, sent: 120, unknown: 0, failed: 1, skipped: 0 },
      delivered: 119,
      opened: 48,
      machine_opened: 30,
      clicked: 12,
      bounced: 1,
      complained: 0,
      unsubscribed: 1,
      links: [{ url: 'https://harbour-cafe.example/menu', people: 12 }],
      variants: [],
      by_hour: [{ at: '2026-11-24T10:00:00.000Z', opened: 40, clicked: 10 }],
    },
  },
  errors: ['not_found'],
  action: {
    title: 'Show the report of a campaign',
    when: 'The person asks how a campaign did',
    effect: 'reads',
    evidence: {
      columns: {
        delivered: { label: 'Delivered', as: 'count' },
        opened: { label: 'Opened', as: 'count' },
        clicked: { label: 'Clicked', as: 'count' },
        unsubscribed: { label: 'Unsubscribed', as: 'count' },
      },
    },
  },
})

const Recipient = z.object({
  recipient_id: z.uuid(),
  contact_id: z.uuid().nullable(),
  name: z.string(),
  email: z.string(),
  state: z.enum(recipientStates),
  /** Why it failed, was skipped or is unknown. */
  reason: z.string().nullable(),
  sent_at: time.nullable(),
  opened_at: time.nullable(),
  clicked_at: time.nullable(),
  bounced_at: time.nullable(),
  unsubscribed_at: time.nullable(),
})
export const recipientFilters = [...recipientStates, 'opened', 'clicked', 'bounced', 'unsubscribed'] as const
export const listRecipients = fn('list-recipients', {
  access: 'user',
  rate: 'read',
  summary: 'Lists the recipients of a campaign and what became of each',
  description: '`unknown` are those whose email may or may not have been accepted: they are not sent again.',
  body: z.object({
    campaign_id,
    filter: z.enum(recipientFilters).optional(),
    limit: z.int().min(1).max(200).default(100),
    cursor: text(200).optional(),
  }),
  reply: z.object({ recipients: z.array(Recipient), cursor: z.string().nullable() }),
  errors: ['not_found'],
})

const oneEmail = z.object({
  to: address,
  name: oneLine(120).default(''),
  subject: oneLine(200).min(1),
  text: text(8000).optional(),
  document: EmailDocument.optional(),
  fields: z.record(z.string().max(60), z.string().max(2000)).default({}),
  sender_id: sender_id.optional(),
})
export const previewEmail = fn('preview-email', {
  access: 'user',
  rate: 'read',
  summary: 'Shows an email to one address as it would be sent',
  description: 'Sends nothing. Refuses what `send-email` would refuse.',
  body: oneEmail,
  reply: z.object({ from: z.string(), to: z.string(), subject: z.string(), text: z.string() }),
  example: {
    request: { to: 'ines@harbour-cafe.example', subject: 'Your receipt', text: 'Thank you for your order.' },
    reply: {
      from: 'Harbour Café <news@harbour-cafe.example>',
      to: 'ines@harbour-cafe.example',
      subject: 'Your receipt',
      text: 'Thank you for your order.',
    },
  },
  errors: ['mailersend_first', 'not_found', 'address_suppressed', 'campaign_incomplete'],
  action: {
    title: 'Preview an email',
    when: 'The person asks how an email to one address would look',
    effect: 'reads',
  },
})
export const sendEmail = fn('send-email', {
  access: 'user',
  idempotent: 'two-phase',
  summary: 'Sends one email, as from an app of your own',
  description:
    'For receipts, codes and the like: it goes to addresses that unsubscribed from campaigns. Addresses that bounced, complained or unsubscribed by the link in such an email are refused. Counts against the plan; under the same `Idempotency-Key` it is sent once.',
  body: oneEmail,
  reply: z.object({ email_id: z.uuid(), state: z.enum(['sent', 'unknown']) }),
  example: {
    request: { to: 'ines@harbour-cafe.example', subject: 'Your receipt', text: 'Thank you for your order.' },
    reply: { email_id: exampleId, state: 'sent' },
  },
  errors: ['mailersend_first', 'not_found', 'address_suppressed', 'limit_emails', 'email_pace', 'campaign_incomplete', 'campaign_provider'],
  action: {
    title: 'Send an email',
    when: 'The person asks to email one address',
    effect: 'sends',
    unit: 'emails',
    preview: previewEmail,
    does: ({ to, subject }) => `Emails ${to}: ${subject}`,
  },
})
