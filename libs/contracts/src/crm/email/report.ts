import { z } from 'zod'
import { col, reading, text, time } from '../../contract.ts'
import { Counts, campaignStatuses } from './campaigns.ts'
import { campaign_id, exampleId } from './shapes.ts'

// The results of a campaign, and of each of its recipients.

export const recipientStates = ['waiting', 'sending', 'sent', 'unknown', 'failed', 'skipped'] as const

export const campaignReport = reading('campaign-report', {
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
        delivered: col.count('Delivered'),
        opened: col.count('Opened'),
        clicked: col.count('Clicked'),
        unsubscribed: col.count('Unsubscribed'),
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
export const listRecipients = reading('list-recipients', {
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
