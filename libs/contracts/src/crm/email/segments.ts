import { z } from 'zod'
import { changing, col, id, oneLine, reading, text, time } from '../../contract.ts'
import { contactStatuses, Tag } from '../contacts.ts'
import { FieldValue } from '../fields.ts'
import { temperatures } from '../heat.ts'
import { campaign_id, exampleId, segment_id } from './shapes.ts'

// Segments: which contacts a campaign goes to, as a tree of conditions.

const days = z.int().min(1).max(3650)
const Condition = z.discriminatedUnion('field', [
  z.object({ field: z.literal('tag'), is: z.enum(['has', 'has_not']), value: Tag }),
  z.object({ field: z.literal('temperature'), is: z.enum(['is', 'is_not']), value: z.enum(temperatures) }),
  z.object({ field: z.literal('status'), is: z.enum(['is', 'is_not']), value: z.enum(contactStatuses) }),
  z.object({ field: z.literal('source'), is: z.enum(['is', 'is_not']), value: text(40) }),
  z.object({ field: z.literal('created'), is: z.enum(['within_days', 'before_days']), value: days }),
  z.object({ field: z.literal('activity'), is: z.enum(['within_days', 'before_days']), value: days }),
  /** A field of the account's own, by its id. */
  z.object({ field: z.literal('own'), is: z.enum(['is', 'is_not']), id: id('contact_field'), value: FieldValue }),
  z.object({
    field: z.literal('campaign'),
    is: z.enum(['received', 'opened', 'clicked', 'not_opened', 'not_clicked']),
    value: campaign_id,
  }),
])
const match = z.enum(['all', 'any']).default('all')
const Group = z.object({ match, conditions: z.array(Condition).min(1).max(20) })
/** Two levels say everything that people build by hand. Without conditions it is every contact with an address. */
export const SegmentTree = z.object({
  match,
  conditions: z
    .array(z.union([Condition, Group]))
    .max(20)
    .default([]),
})
export type Condition = z.output<typeof Condition>
export type SegmentTree = z.output<typeof SegmentTree>

const treeExample = { match: 'all' as const, conditions: [{ field: 'tag' as const, is: 'has' as const, value: 'vip' }] }
const Segment = z.object({ segment_id, name: z.string(), tree: SegmentTree, created_at: time })
const example: z.output<typeof Segment> = { segment_id: exampleId, name: 'VIPs', tree: treeExample, created_at: '2026-11-24T10:00:00.000Z' }

export const previewSegment = reading('preview-segment', {
  summary: 'Counts who is in a segment, and shows the first of them',
  description:
    '`reachable` leaves out those without an address and those who unsubscribed, bounced or complained. A condition on a field or a campaign that was deleted matches nobody, and `note` says so.',
  body: z.object({ tree: SegmentTree.optional(), segment_id: segment_id.optional() }),
  reply: z.object({
    contacts: z.int(),
    reachable: z.int(),
    first: z.array(z.object({ contact_id: z.uuid(), name: z.string(), email: z.string() })).max(10),
    /** Said when a condition names a field or a campaign that was deleted: it matches nobody. */
    note: z.string().optional(),
  }),
  example: {
    request: { tree: treeExample },
    reply: { contacts: 42, reachable: 40, first: [{ contact_id: exampleId, name: 'Ines Ortega', email: 'ines@harbour-cafe.example' }] },
  },
  errors: ['not_found'],
  action: {
    title: 'Count a segment',
    when: 'The person asks how many contacts a campaign or a segment would reach',
    effect: 'reads',
    evidence: { columns: { contacts: col.count('Contacts'), reachable: col.count('Can be emailed') } },
  },
})

export const listSegments = reading('list-segments', {
  summary: 'Lists the saved segments, newest first',
  description: 'Each with its conditions; whom it holds is counted when a campaign is previewed.',
  body: z.object({}).prefault({}),
  reply: z.object({ segments: z.array(Segment).max(100) }),
  example: { request: {}, reply: { segments: [example] } },
  errors: [],
  action: {
    title: 'List segments',
    when: 'The person asks which segments there are, or before a campaign is sent to one',
    effect: 'reads',
    evidence: { rows: 'segments', columns: { name: col.text('Segment') } },
  },
})

export const deleteSegment = changing('delete-segment', {
  summary: 'Deletes a saved segment',
  description: 'Campaigns that were made with it keep their conditions.',
  body: z.object({ segment_id }),
  reply: z.object({ deleted: z.boolean() }),
  errors: ['not_found'],
})

export const saveSegment = changing('save-segment', {
  summary: 'Saves a segment under a name, or changes the one that is named',
  body: z.object({ segment_id: segment_id.optional(), name: oneLine(80).min(1), tree: SegmentTree }),
  reply: Segment,
  example: { request: { name: 'VIPs', tree: treeExample }, reply: example },
  errors: ['not_found', 'segments_full'],
})
