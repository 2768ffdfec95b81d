import { z } from 'zod'
import { changing, col, oneLine, reading, text, time } from '../../contract.ts'
import { Tag } from '../contacts.ts'
import { EmailDocument } from './document.ts'
import { SegmentTree } from './segments.ts'
import { campaign_id, exampleId, segment_id, sender_id, template_id, topic_id } from './shapes.ts'

// Campaigns: one email to many contacts, each of whom gets it at most once.

export const campaignStatuses = ['draft', 'scheduled', 'sending', 'paused', 'sent', 'cancelled'] as const

/** A test of two subjects: a share of the recipients gets one or the other, the rest the winner. */
const Ab = z.object({
  subject: oneLine(200).min(1),
  share_percent: z.int().min(10).max(50).default(20),
  after_hours: z.int().min(1).max(72).default(4),
})
export const Counts = z.object({
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
  /** Readers who left it get none. Absent from the version before. */
  topic_id: topic_id.nullable().optional(),
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
export const documentExample: z.output<typeof EmailDocument> = {
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

/** Each gets it at this hour of their own day. */
export const ReaderHour = z.int().min(0).max(23).nullable()
const fields = {
  subject: oneLine(200),
  document: EmailDocument,
  sender_id: sender_id.nullable(),
  segment_id: segment_id.nullable(),
  segment: SegmentTree,
  topic_id: topic_id.nullable(),
  ab: Ab.nullable(),
  reader_hour: ReaderHour,
}

export const deleteCampaign = changing('delete-campaign', {
  summary: 'Deletes a campaign with its report',
  description: 'One that is being sent has to be cancelled first. Suppressions that came of it stay.',
  body: z.object({ campaign_id }),
  reply: z.object({ deleted: z.boolean() }),
  example: { request: { campaign_id: exampleId }, reply: { deleted: true } },
  errors: ['not_found', 'campaign_state', 'campaign_of_sequence'],
  action: {
    title: 'Delete a campaign',
    when: 'The person asks to delete a campaign',
    effect: 'destroys',
    does: () => 'Deletes the campaign with its report',
  },
})

export const createCampaign = changing('create-campaign', {
  summary: 'Adds a draft of a campaign',
  description:
    '`text` makes a document of one text block; `document` gives its blocks; `template_id` begins from a template. `tag` is short for a segment of those who have it. Nothing is sent.',
  body: z.object({
    name: oneLine(120).min(1),
    subject: fields.subject.default(''),
    text: text(8000).optional(),
    document: fields.document.optional(),
    template_id: template_id.optional(),
    tag: Tag.optional(),
    segment_id: segment_id.optional(),
    segment: SegmentTree.optional(),
    sender_id: sender_id.optional(),
    topic_id: topic_id.optional(),
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

export const updateCampaign = changing('update-campaign', {
  summary: 'Changes the fields of a draft that are given',
  description:
    'With `version` it is refused when the draft was changed since. What is scheduled goes back to a draft first: see `cancel-campaign`. Of an email of a sequence (its `step_id`), subject and document can be changed at any time.',
  body: z.object({
    campaign_id,
    version: z.int().min(1).optional(),
    name: oneLine(120).min(1).optional(),
    subject: fields.subject.optional(),
    document: fields.document.optional(),
    topic_id: fields.topic_id.optional(),
    sender_id: fields.sender_id.optional(),
    segment_id: fields.segment_id.optional(),
    segment: fields.segment.optional(),
    ab: fields.ab.optional(),
    reader_hour: fields.reader_hour.optional(),
  }),
  reply: Campaign,
  example: { request: { campaign_id: exampleId, subject: 'New on the menu' }, reply: example },
  errors: ['not_found', 'conflict', 'campaign_state', 'campaign_of_sequence', 'campaign_incomplete'],
  action: {
    title: 'Change a campaign',
    when: 'The person asks to change the subject, the text or the recipients of a draft',
    effect: 'changes',
    does: ({ campaign_id, version, ...changed }) => `Changes ${Object.keys(changed).join(', ').replaceAll('_', ' ')} of the campaign`,
  },
})

export const getCampaign = reading('get-campaign', {
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
export const findCampaigns = reading('find-campaigns', {
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
        name: col.text('Campaign'),
        status: col.text('Status'),
        sent_count: col.count('Sent'),
        opened: col.count('Opened'),
        clicked: col.count('Clicked'),
      },
    },
  },
})

export const duplicateCampaign = changing('duplicate-campaign', {
  summary: 'Copies a campaign into a new draft',
  body: z.object({ campaign_id }),
  reply: z.object({ campaign_id }),
  errors: ['not_found', 'campaigns_full'],
})
export const followUpCampaign = changing('follow-up-campaign', {
  summary: 'Drafts the same email for those who got a campaign and have not opened it',
  description: 'The recipients are settled when the draft is sent. Nothing is sent by this.',
  body: z.object({ campaign_id }),
  reply: z.object({ campaign_id }),
  example: { request: { campaign_id: exampleId }, reply: { campaign_id: exampleId } },
  errors: ['not_found', 'campaign_state', 'campaigns_full'],
  action: {
    title: 'Follow up on a campaign',
    when: 'The person asks to write once more to those who did not open a campaign',
    effect: 'changes',
    does: () => 'Adds a draft of the campaign for those who have not opened it',
    undo: { contract: deleteCampaign, seconds: 600 },
  },
})
