import { z } from 'zod'
import { changing, col, id, oneLine, reading, text, time } from '../../contract.ts'
import { BULK, Tag } from '../contacts.ts'
import { COUNTED_PEOPLE } from './counted.ts'
import { EmailDocument } from './document.ts'
import { exampleId, sender_id, template_id, topic_id } from './shapes.ts'

// Sequences: emails that a contact gets one after another, each some time after the one before. Each email is a campaign of its own that no list
// of campaigns shows: `get-campaign`, `update-campaign`, `send-test-campaign`, `check-email`, `campaign-report` and `list-recipients` take its `step_id`.

export const MOST_SEQUENCES = 50
export const MOST_STEPS = 10
export const sequenceStates = ['draft', 'running', 'paused'] as const
/** Kinds of the timeline's, so that each tool that tells of one ends a sequence. */
export const sequenceEnds = ['reply', 'sale', 'booking'] as const
export const sequencePeopleStates = ['waiting', 'sending', 'done', 'left'] as const

const sequence_id = id('sequence')
const contact_ids = z.array(id('lead')).min(1).max(BULK)
const State = z.enum(sequenceStates)
export const SequenceTrigger = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('hand') }),
  z.object({ kind: z.literal('form'), form_id: id('lead_form') }),
  z.object({ kind: z.literal('tag'), tag: Tag }),
])
const ends_on = z.array(z.enum(sequenceEnds)).max(sequenceEnds.length)
const wait_minutes = z.int().min(0).max(525_600)
const content = {
  subject: oneLine(200).optional(),
  text: text(8000).optional(),
  document: EmailDocument.optional(),
  template_id: template_id.optional(),
}
const NewStep = z.object({ wait_minutes: wait_minutes.default(0), ...content })
const ChangedStep = z.object({ step_id: z.uuid().optional(), wait_minutes, ...content })

const Sequence = z.object({
  sequence_id,
  name: z.string(),
  state: State,
  /** Why it is paused, in words. */
  reason: z.string().nullable(),
  /** Why its emails do not go out although it runs, and what to do; null while they do. Absent from the version before. */
  problem: z.object({ text: z.string(), step_id: z.uuid().nullable(), since: time }).nullable().optional(),
  sender_id: sender_id.nullable(),
  /** Of all of its emails. Absent from the version before. */
  topic_id: topic_id.nullable().optional(),
  trigger: SequenceTrigger,
  ends_on,
  version: z.int(),
  created_at: time,
})
const Step = z.object({
  step_id: z.uuid(),
  subject: z.string(),
  wait_minutes: z.int(),
  /** It has a subject and content. */
  ready: z.boolean(),
  waiting: z.int(),
  sent: z.int(),
  opened: z.int(),
  clicked: z.int(),
  left: z.int(),
})
const Shown = z.object({
  sequence: Sequence,
  steps: z.array(Step),
  people: z.object({ in_it: z.int(), done: z.int(), left: z.int() }),
})
const example: z.output<typeof Sequence> = {
  sequence_id: exampleId,
  name: 'Welcome',
  state: 'draft',
  reason: null,
  sender_id: null,
  trigger: { kind: 'tag', tag: 'new' },
  ends_on: ['reply'],
  version: 1,
  created_at: '2026-11-24T10:00:00.000Z',
}
const exampleStep = {
  step_id: exampleId,
  subject: 'Welcome',
  wait_minutes: 0,
  ready: true,
  waiting: 3,
  sent: 40,
  opened: 21,
  clicked: 6,
  left: 2,
}
const shown: z.output<typeof Shown> = { sequence: example, steps: [exampleStep], people: { in_it: 3, done: 38, left: 2 } }

export const deleteSequence = changing('delete-sequence', {
  summary: 'Deletes a sequence with its emails and figures',
  description: 'A running one has to be paused first. Nobody in it gets another email; suppressions that came of it stay.',
  body: z.object({ sequence_id }),
  reply: z.object({ deleted: z.boolean() }),
  example: { request: { sequence_id: exampleId }, reply: { deleted: true } },
  errors: ['not_found', 'sequence_state', 'sequence_sending'],
  action: {
    title: 'Delete a sequence',
    when: 'The person asks to delete an email sequence',
    effect: 'destroys',
    does: () => 'Deletes the sequence with its emails and figures',
  },
})

export const createSequence = changing('create-sequence', {
  summary: 'Adds a draft of a sequence: emails that go out one after another, with waits between them',
  description:
    '`wait_minutes` counts from the email before, and for the first from when a person enters. `text` makes a document of one text block. People enter by `add-to-sequence`, and by the trigger: a lead form they send, or a tag they are given. `ends_on` takes them out: when they answer an email, buy or book. Nothing is sent until `start-sequence`.',
  body: z.object({
    name: oneLine(100).min(1),
    sender_id: sender_id.optional(),
    topic_id: topic_id.optional(),
    trigger: SequenceTrigger.default({ kind: 'hand' }),
    ends_on: ends_on.default([]),
    steps: z.array(NewStep).max(MOST_STEPS).default([]),
  }),
  reply: z.object({ sequence_id }),
  example: {
    request: {
      name: 'Welcome',
      trigger: { kind: 'tag', tag: 'new' },
      steps: [
        { wait_minutes: 0, subject: 'Welcome', text: 'Good to have you here.' },
        { wait_minutes: 2880, subject: 'How it works', text: 'Three things to try.' },
      ],
    },
    reply: { sequence_id: exampleId },
  },
  errors: ['not_found', 'sequences_full'],
  action: {
    title: 'Create an email sequence',
    when: 'The person asks for a drip, a welcome series, or several emails that follow each other with waits',
    effect: 'changes',
    does: ({ name, steps }) =>
      `Adds the draft of the sequence ${name}${steps?.length ? ` with ${steps.length} ${steps.length === 1 ? 'email' : 'emails'}` : ''}`,
    undo: { contract: deleteSequence, seconds: 600 },
  },
})

export const updateSequence = changing('update-sequence', {
  summary: 'Changes the fields of a sequence that are given',
  description:
    '`steps` is the whole list in its new order: those with a `step_id` stay, those without are added, those that are missing are removed. While it runs, texts and waits can be changed and emails added at the end; the rest needs a pause. A changed text goes to people who have not had that email.',
  body: z.object({
    sequence_id,
    version: z.int().min(1).optional(),
    name: oneLine(100).min(1).optional(),
    sender_id: sender_id.nullable().optional(),
    topic_id: topic_id.nullable().optional(),
    trigger: SequenceTrigger.optional(),
    ends_on: ends_on.optional(),
    steps: z.array(ChangedStep).max(MOST_STEPS).optional(),
  }),
  reply: z.object({ sequence_id, version: z.int() }),
  example: { request: { sequence_id: exampleId, name: 'Welcome' }, reply: { sequence_id: exampleId, version: 2 } },
  errors: ['not_found', 'conflict', 'sequence_running', 'sequence_incomplete'],
  action: {
    title: 'Change an email sequence',
    when: 'The person asks to change, add, move or remove emails or waits of a sequence, how people enter it, or when they leave it',
    effect: 'changes',
    does: ({ sequence_id, version, ...changed }) => `Changes ${Object.keys(changed).join(', ').replaceAll('_', ' ')} of the sequence`,
  },
})

export const showSequence = reading('show-sequence', {
  summary: 'Shows a sequence with its emails, and for each how many people wait for it, were sent it, opened it, clicked and left',
  description: `\`opened\` counts people, not machines. \`problem\` says why emails of a running sequence do not go out, and what to do. Counts of people end at ${COUNTED_PEOPLE.toLocaleString('en-US')}.`,
  body: z.object({ sequence_id }),
  reply: Shown,
  example: { request: { sequence_id: exampleId }, reply: shown },
  errors: ['not_found'],
  action: {
    title: 'Show an email sequence',
    when: 'The person asks how a sequence does, or what is in it',
    effect: 'reads',
    evidence: {
      rows: 'steps',
      columns: {
        subject: col.text('Email'),
        waiting: col.count('Waiting'),
        sent: col.count('Sent'),
        opened: col.count('Opened'),
        clicked: col.count('Clicked'),
      },
    },
  },
})

const Listed = Sequence.omit({ version: true, sender_id: true, ends_on: true }).extend({
  steps: z.int(),
  in_it: z.int(),
  sent: z.int(),
  opened: z.int(),
  clicked: z.int(),
})
const listed: z.output<typeof Listed> = {
  sequence_id: exampleId,
  name: 'Welcome',
  state: 'running',
  reason: null,
  trigger: { kind: 'tag', tag: 'new' },
  created_at: '2026-11-24T10:00:00.000Z',
  steps: 2,
  in_it: 3,
  sent: 78,
  opened: 40,
  clicked: 9,
}
export const listSequences = reading('list-sequences', {
  summary: 'Lists the sequences, newest first',
  description: `At most ${MOST_SEQUENCES}. \`in_it\` counts people who still get emails, up to ${COUNTED_PEOPLE.toLocaleString('en-US')}.`,
  body: z.object({}).prefault({}),
  reply: z.object({ sequences: z.array(Listed).max(MOST_SEQUENCES) }),
  example: { request: {}, reply: { sequences: [listed] } },
  errors: [],
  action: {
    title: 'List email sequences',
    when: 'The person asks which sequences there are, or before somebody is added to one',
    effect: 'reads',
    evidence: {
      rows: 'sequences',
      columns: { name: col.text('Sequence'), state: col.text('State'), in_it: col.count('People in it'), sent: col.count('Sent') },
    },
  },
})

const Person = z.object({
  contact_id: z.uuid(),
  name: z.string().nullable(),
  email: z.string().nullable(),
  state: z.enum(sequencePeopleStates),
  /** Which email comes next, or was the last one. */
  step_id: z.uuid(),
  next_at: time.nullable(),
  /** Why they left. */
  reason: z.string().nullable(),
  entered_at: time,
})
const person: z.output<typeof Person> = {
  contact_id: exampleId,
  name: 'Ines Ortega',
  email: 'ines@harbour-cafe.example',
  state: 'waiting',
  step_id: exampleId,
  next_at: '2026-11-26T10:00:00.000Z',
  reason: null,
  entered_at: '2026-11-24T10:00:00.000Z',
}
export const listSequencePeople = reading('list-sequence-people', {
  summary: 'Lists the people of a sequence, a page at a time',
  description: '`waiting` for their next email, `sending` it now, `done` with all of them, or `left` early with the reason.',
  body: z.object({
    sequence_id,
    state: z.enum(sequencePeopleStates).optional(),
    limit: z.int().min(1).max(200).default(50),
    cursor: text(200).optional(),
  }),
  reply: z.object({ people: z.array(Person), cursor: z.string().nullable() }),
  example: { request: { sequence_id: exampleId, state: 'waiting' }, reply: { people: [person], cursor: null } },
  errors: ['not_found'],
  action: {
    title: 'List the people in a sequence',
    when: 'The person asks who is in a sequence, or who left it',
    effect: 'reads',
    evidence: {
      rows: 'people',
      columns: { name: col.text('Name'), email: col.text('Email'), state: col.text('State'), next_at: col.time('Next email') },
    },
  },
})

export const previewSequenceEntry = reading('preview-sequence-entry', {
  summary: 'Says how many of some contacts would enter a sequence, who is left out and why, and which email comes first',
  description: 'Changes nothing.',
  body: z.object({ sequence_id, contact_ids }),
  reply: z.object({
    name: z.string(),
    enters: z.int(),
    left_out: z.array(z.object({ reason: z.string(), people: z.int() })),
    /** Null where the sequence has no emails yet. `at` is null until the sequence is started. */
    first: z.object({ subject: z.string(), at: time.nullable() }).nullable(),
  }),
  example: {
    request: { sequence_id: exampleId, contact_ids: [exampleId] },
    reply: {
      name: 'Welcome',
      enters: 1,
      left_out: [{ reason: 'Unsubscribed, bounced or stopped', people: 1 }],
      first: { subject: 'Welcome', at: '2026-11-24T10:00:00.000Z' },
    },
  },
  errors: ['not_found'],
  action: {
    title: 'Preview adding people to a sequence',
    when: 'The person asks who would get a sequence',
    effect: 'reads',
    evidence: { columns: { name: col.text('Sequence'), enters: col.count('Would enter') } },
  },
})
export const addToSequence = changing('add-to-sequence', {
  summary: 'Adds contacts to a sequence',
  description: `At most ${BULK} at once. Nobody is in a sequence twice: people who are in it or have finished are left out, and somebody who left continues with the first email they have not had. People who may not be emailed are left out.`,
  body: z.object({ sequence_id, contact_ids }),
  reply: z.object({ added: z.int(), left_out: z.int() }),
  example: { request: { sequence_id: exampleId, contact_ids: [exampleId] }, reply: { added: 1, left_out: 0 } },
  errors: ['not_found', 'sequence_incomplete'],
  action: {
    title: 'Add people to a sequence',
    when: 'The person asks to add contacts to an email sequence',
    effect: 'sends',
    unit: 'emails',
    preview: previewSequenceEntry,
    does: ({ contact_ids }) => `Adds ${contact_ids.length} ${contact_ids.length === 1 ? 'contact' : 'contacts'} to the sequence`,
  },
})
const removed_ids = z.array(z.uuid()).max(BULK)
export const returnToSequence = changing('return-to-sequence', {
  summary: 'Puts people back where they were in a sequence before they were removed',
  description: 'The way back of `remove-from-sequence`. Others are skipped.',
  body: z.object({ sequence_id, removed_ids }),
  reply: z.object({ returned: z.int() }),
  example: { request: { sequence_id: exampleId, removed_ids: [exampleId] }, reply: { returned: 1 } },
  errors: ['not_found'],
  action: {
    title: 'Put people back into a sequence',
    when: 'The person wants people who were just removed from a sequence to be in it again, where they were',
    effect: 'sends',
    does: ({ removed_ids }) => `Puts ${removed_ids.length} ${removed_ids.length === 1 ? 'contact' : 'contacts'} back into the sequence`,
  },
})
export const removeFromSequence = changing('remove-from-sequence', {
  summary: 'Takes contacts out of a sequence',
  description: 'They get none of its emails any more. One that is on its way arrives.',
  body: z.object({ sequence_id, contact_ids }),
  reply: z.object({ removed_ids }),
  example: { request: { sequence_id: exampleId, contact_ids: [exampleId] }, reply: { removed_ids: [exampleId] } },
  errors: ['not_found'],
  action: {
    title: 'Remove people from a sequence',
    when: 'The person asks to take contacts out of an email sequence',
    effect: 'changes',
    does: ({ contact_ids }) => `Removes ${contact_ids.length} ${contact_ids.length === 1 ? 'contact' : 'contacts'} from the sequence`,
    undo: { contract: returnToSequence, seconds: 600 },
  },
})

export const startSequence = changing('start-sequence', {
  summary: 'Starts a sequence, or resumes a paused one',
  description:
    'From then on each person gets the emails at their times, and each email counts against the plan. Emails that came due in a pause go out at the pace that the plan allows an hour.',
  body: z.object({ sequence_id }),
  reply: z.object({ state: State }),
  example: { request: { sequence_id: exampleId }, reply: { state: 'running' } },
  errors: ['not_found', 'sequence_state', 'sequence_incomplete', 'mailersend_first'],
  action: {
    title: 'Start a sequence',
    when: 'The person asks to start or resume an email sequence',
    effect: 'sends',
    unit: 'emails',
    preview: showSequence,
    does: () => 'Starts the sequence: people in it get its emails at their times',
  },
})
export const pauseSequence = changing('pause-sequence', {
  summary: 'Pauses a sequence',
  description: 'Nobody moves and nobody is lost. People still enter, and wait. `start-sequence` resumes.',
  body: z.object({ sequence_id }),
  reply: z.object({ state: State }),
  example: { request: { sequence_id: exampleId }, reply: { state: 'paused' } },
  errors: ['not_found', 'sequence_state'],
  action: {
    title: 'Pause a sequence',
    when: 'The person asks to pause or stop an email sequence',
    effect: 'changes',
    does: () => 'Pauses the sequence: nobody gets its next email until it is resumed',
  },
})
