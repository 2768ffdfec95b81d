import { z } from 'zod'
import { changing, col, oneLine, reading, text } from '../../contract.ts'
import { exampleId, topic_id } from './shapes.ts'

// Topics: what the emails of an account are about. Readers see title and description, and leave one without leaving the others.

export const MOST_TOPICS = 20
export const COUNTED_LEAVERS = 10_000
const Topic = z.object({
  topic_id,
  title: z.string(),
  description: z.string(),
  /** Addresses that have left it, 10,000 at most. */
  left: z.int(),
})
const example: z.output<typeof Topic> = { topic_id: exampleId, title: 'Events', description: 'Tastings, once a month', left: 3 }

export const listEmailTopics = reading('list-email-topics', {
  summary: 'Lists the topics of the emails, and how many readers have left each',
  description: 'At most 20. `left` counts up to 10,000.',
  body: z.object({}).prefault({}),
  reply: z.object({ topics: z.array(Topic).max(MOST_TOPICS) }),
  example: { request: {}, reply: { topics: [example] } },
  errors: [],
  action: {
    title: 'List email topics',
    when: 'The person asks which topics their newsletter or emails have, or before a campaign is given one',
    effect: 'reads',
    evidence: { rows: 'topics', columns: { title: col.text('Topic'), left: col.count('Left') } },
  },
})

export const deleteEmailTopic = changing('delete-email-topic', {
  summary: 'Deletes a topic',
  description: 'Campaigns and sequences that have it go on without one, and so reach those who had left it too.',
  body: z.object({ topic_id }),
  reply: z.object({ deleted: z.boolean() }),
  example: { request: { topic_id: exampleId }, reply: { deleted: true } },
  errors: ['not_found', 'topic_in_use'],
  action: {
    title: 'Delete an email topic',
    when: 'The person asks to delete a topic of their emails',
    effect: 'destroys',
    does: () => 'Deletes the topic',
  },
})

export const saveEmailTopic = changing('save-email-topic', {
  summary: 'Adds a topic, or changes the one that is named',
  description: 'Readers see its title and description on the page where they choose what they get.',
  body: z.object({ topic_id: topic_id.optional(), title: oneLine(60).min(1), description: text(200).trim().default('') }),
  reply: z.object({ topic_id }),
  example: { request: { title: 'Events', description: 'Tastings, once a month' }, reply: { topic_id: exampleId } },
  errors: ['not_found', 'topics_full', 'topic_exists'],
  action: {
    title: 'Save an email topic',
    when: 'The person asks for a topic that readers of their emails can leave by itself',
    effect: 'changes',
    does: ({ title }) => `Saves the topic “${title}”, which readers see`,
  },
})
