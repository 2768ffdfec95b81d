import { z } from 'zod'
import { changing, col, id, reading, time } from '../contract.ts'

// Two contacts that are one person: merged into one, and taken apart again.

const exampleId = '01931a5c-7d4b-7c3e-9a41-0f6f2f9f4b31'
const contact_id = id('lead')

export const unmergeContacts = changing('unmerge-contacts', {
  summary: 'Takes a merged contact out again, with what it brought along',
  description:
    'Its fields, addresses, timeline, tasks, files and deals are its own again; what the other had no value for before is empty again, unless it was changed since. What happened since the merge stays with the contact that was kept.',
  body: z.object({ merge_id: id('contact_merge') }),
  reply: z.object({ kept_id: contact_id, contact_id }),
  example: { request: { merge_id: exampleId }, reply: { kept_id: exampleId, contact_id: exampleId } },
  errors: ['not_found', 'merge_order', 'contact_exists'],
  action: {
    title: 'Undo a merge of contacts',
    when: 'The person says that two contacts were merged by mistake',
    effect: 'changes',
    does: () => 'Takes the merged contacts apart',
  },
})
export const mergeContacts = changing('merge-contacts', {
  summary: 'Merges one contact into another',
  description:
    'The first is kept, with all addresses, tags, timelines, tasks, files and deals of both. Its fields win; those that are empty are filled by the other’s. `unmerge-contacts` takes them apart again.',
  body: z.object({ keep_id: contact_id, merge_id: contact_id }),
  reply: z.object({ merge_id: id('contact_merge'), contact_id }),
  example: {
    request: { keep_id: exampleId, merge_id: '01931a5c-7d4b-7c3e-9a41-0f6f2f9f4b32' },
    reply: { merge_id: exampleId, contact_id: exampleId },
  },
  errors: ['not_found', 'merge_itself', 'merge_long'],
  action: {
    title: 'Merge two contacts',
    when: 'The person says that two contacts are the same person',
    effect: 'changes',
    does: () => 'Merges the two contacts into one',
  },
})
export const listMerges = reading('list-merges', {
  summary: 'Lists contacts merged into a contact, and others that may be the same person',
  description: 'Others have its name or one of its phone numbers. At most twenty merges and five others.',
  body: z.object({ contact_id }),
  reply: z.object({
    merges: z.array(z.object({ merge_id: z.uuid(), name: z.string(), email: z.string().nullable(), at: time })),
    others: z.array(z.object({ id: contact_id, name: z.string(), email: z.string().nullable(), phone: z.string().nullable() })),
  }),
  example: { request: { contact_id: exampleId }, reply: { merges: [], others: [] } },
  errors: [],
  action: {
    title: 'Find duplicates of a contact',
    when: 'The person asks whether a contact is there twice',
    effect: 'reads',
    evidence: { rows: 'others', columns: { name: col.text('Name'), email: col.text('Email') } },
  },
})
