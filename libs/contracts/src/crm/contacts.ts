import { z } from 'zod'
import { changing, col, id, oneLine, reading, text, time } from '../contract.ts'
import { FieldValue, FieldValues } from './fields.ts'
import { temperatures } from './heat.ts'
import { Mention, Mentioned } from './mentions.ts'

// Contacts: the people of one account, what happened with each, and what is to be done next.

const contact_id = id('lead')
export const contactStatuses = ['new', 'contacted', 'qualified', 'won', 'lost'] as const
const Status = z.enum(contactStatuses)
export const Tag = oneLine(40).min(1)
const Tags = z.array(Tag).max(20)
export const EmailAddress = z
  .string()
  .trim()
  .toLowerCase()
  .pipe(z.email().max(254))
  .meta({ examples: ['ines@harbour-cafe.example'] })
export const Phone = z
  .string()
  .trim()
  .regex(/^\+?[\d ().\-/]{5,30}$/, 'A phone number has digits, as +351 910 000 000.')
  .meta({ examples: ['+351 910 000 000'] })

export const Contact = z.object({
  id: contact_id,
  name: z.string(),
  email: z.string().nullable(),
  phone: z.string().nullable(),
  company: z.string().nullable(),
  company_id: z.uuid().nullable(),
  job_title: z.string().nullable(),
  status: z.string(),
  source: z.string(),
  tags: z.array(z.string()),
  /** Fields of one's own, by their ids. */
  fields: z.record(z.string(), FieldValue),
  /** Computed from what the person did lately: `show-contact` says from what. */
  temperature: z.enum(temperatures),
  last_activity_at: time,
  created_at: time,
  /** Rises with every change; sent back with one, it refuses to overwrite another's. */
  version: z.int(),
})
export const Activity = z.object({
  id: z.uuid(),
  kind: z.string(),
  text: z.string(),
  at: time,
  /** Absent where there are none. */
  mentions: z.array(Mention).optional(),
})
export const Task = z.object({
  id: z.uuid(),
  contact_id: contact_id.nullable(),
  contact_name: z.string().nullable(),
  title: z.string(),
  due_at: time.nullable(),
  done_at: time.nullable(),
})
const exampleId = '01931a5c-7d4b-7c3e-9a41-0f6f2f9f4b31'
const example: z.output<typeof Contact> = {
  id: exampleId,
  name: 'Ines Ortega',
  email: 'ines@harbour-cafe.example',
  phone: '+351 910 000 000',
  company: 'Harbour Café',
  company_id: exampleId,
  job_title: 'Owner',
  status: 'qualified',
  source: 'website',
  tags: ['vip'],
  fields: {},
  temperature: 'hot',
  last_activity_at: '2026-11-24T10:00:00.000Z',
  created_at: '2026-11-20T10:00:00.000Z',
  version: 3,
}

const fields = {
  name: oneLine(120).min(1),
  email: EmailAddress.optional(),
  phone: Phone.optional(),
  company: oneLine(120).min(1).optional(),
  job_title: oneLine(120).min(1).optional(),
  status: Status.optional(),
  tags: Tags.optional(),
  fields: FieldValues.optional(),
}

export const deleteContact = changing('delete-contact', {
  summary: 'Deletes a contact with its timeline and tasks',
  description: 'For 30 days `restore-contact` brings it back with everything.',
  body: z.object({ contact_id }),
  reply: z.object({ deletion_id: z.uuid(), name: z.string() }),
  example: { request: { contact_id: exampleId }, reply: { deletion_id: exampleId, name: 'Ines Ortega' } },
  errors: ['not_found'],
  action: { title: 'Delete a contact', when: 'The person asks to delete a contact', effect: 'destroys', does: () => 'Deletes the contact' },
})
export const restoreContact = changing('restore-contact', {
  summary: 'Brings a deleted contact back',
  body: z.object({ deletion_id: id('deletion') }),
  reply: z.object({ contact_id: z.uuid() }),
  errors: ['not_found', 'contact_exists'],
})

export const createContact = changing('create-contact', {
  summary: 'Adds a contact',
  description: 'An email address belongs to one contact: with one that is known, it is refused as `contact_exists`.',
  body: z.object(fields),
  reply: z.object({ contact_id }),
  example: { request: { name: 'Ines Ortega', email: 'ines@harbour-cafe.example', tags: ['vip'] }, reply: { contact_id: exampleId } },
  errors: ['contact_exists', 'contacts_full', 'field_value'],
  action: {
    title: 'Add a contact',
    when: 'The person asks to add or note down a contact, a lead or a customer',
    effect: 'changes',
    does: ({ name }) => `Adds the contact ${name}`,
    undo: { contract: deleteContact, seconds: 600 },
  },
})

const Nullable = <T extends z.ZodType>(schema: T) => schema.nullable().optional()
export const updateContact = changing('update-contact', {
  summary: 'Changes the fields of a contact that are given; null empties one',
  description: 'With `version` it is refused when the contact was changed since.',
  body: z.object({
    contact_id,
    version: z.int().min(1).optional(),
    name: fields.name.optional(),
    email: Nullable(EmailAddress),
    phone: Nullable(Phone),
    company: Nullable(oneLine(120).min(1)),
    job_title: Nullable(oneLine(120).min(1)),
    status: Status.optional(),
    tags: Tags.optional(),
    fields: FieldValues.optional(),
  }),
  reply: Contact,
  example: { request: { contact_id: exampleId, status: 'qualified' }, reply: example },
  errors: ['not_found', 'conflict', 'contact_exists', 'field_value'],
  action: {
    title: 'Change a contact',
    when: 'The person asks to change a field, the status or the tags of a contact',
    effect: 'changes',
    does: ({ contact_id, version, ...changed }) => `Changes ${Object.keys(changed).join(', ').replaceAll('_', ' ')} of the contact`,
  },
})

/** The most contacts that one change takes. */
export const BULK = 500
export const editContacts = changing('edit-contacts', {
  summary: 'Changes the status or the tags of many contacts at once',
  description: `At most ${BULK}. Those that are not there any more are skipped; \`changed\` counts the others.`,
  body: z.object({
    contact_ids: z.array(contact_id).min(1).max(BULK),
    status: Status.optional(),
    add_tags: Tags.optional(),
    remove_tags: Tags.optional(),
    fields: FieldValues.optional(),
  }),
  reply: z.object({ changed: z.int() }),
  example: { request: { contact_ids: [exampleId], add_tags: ['spring'] }, reply: { changed: 1 } },
  errors: ['field_value'],
  action: {
    title: 'Change many contacts',
    when: 'The person asks to tag or move several contacts at once',
    effect: 'changes',
    does: ({ contact_ids }) => `Changes ${contact_ids.length} contacts`,
  },
})

export const contactSorts = ['newest', 'name', 'activity', 'heat'] as const
export const findContacts = reading('find-contacts', {
  summary: 'Finds contacts by name, email address, company or phone number, or lists them',
  description: 'Without `query` it lists them all, a page at a time. `cursor` is null on the last page.',
  body: z
    .object({
      query: text(100).optional(),
      tag: Tag.optional(),
      status: Status.optional(),
      temperature: z.enum(temperatures).optional(),
      company_id: id('company').optional(),
      /** Those that have exactly this in a field of one's own. */
      field: z.object({ id: id('contact_field'), value: FieldValue }).optional(),
      sort: z.enum(contactSorts).default('newest'),
      limit: z.int().min(1).max(100).default(50),
      cursor: text(400).optional(),
    })
    .prefault({}),
  reply: z.object({ contacts: z.array(Contact), cursor: z.string().nullable() }),
  example: { request: { query: 'harbour' }, reply: { contacts: [example], cursor: null } },
  errors: [],
  action: {
    title: 'Find contacts',
    when: 'The person asks for a contact, for hot or warm leads, or for contacts with a tag',
    effect: 'reads',
    evidence: {
      rows: 'contacts',
      columns: {
        name: col.text('Name'),
        email: col.text('Email'),
        temperature: col.text('Temperature'),
        last_activity_at: col.time('Last activity'),
      },
    },
  },
})

export const showContact = reading('show-contact', {
  summary: 'Shows a contact with the reasons for its temperature, its open tasks and what happened last',
  description: 'Points halve every 14 days. 30 and more are hot, 8 and more warm.',
  body: z.object({ contact_id }),
  reply: z.object({
    contact: Contact,
    points: z.int(),
    /** The three kinds of activity that count most now. */
    reasons: z.array(z.object({ kind: z.string(), count: z.int(), points: z.int(), last_at: time })),
    emails: z.array(z.string()),
    tasks: z.array(Task),
    activities: z.array(Activity),
    cursor: z.string().nullable(),
    email_consent: z.object({ state: z.string(), evidence: z.string(), at: time }).nullable(),
  }),
  example: {
    request: { contact_id: exampleId },
    reply: {
      contact: example,
      points: 59,
      reasons: [{ kind: 'sale', count: 1, points: 59, last_at: '2026-11-24T10:00:00.000Z' }],
      emails: ['ines@harbour-cafe.example'],
      tasks: [],
      activities: [{ id: exampleId, kind: 'sale', text: 'Bought Five questions', at: '2026-11-24T10:00:00.000Z' }],
      cursor: null,
      email_consent: null,
    },
  },
  errors: ['not_found'],
  action: {
    title: 'Show a contact',
    when: 'The person asks about one contact, why it is hot, or what happened with it',
    effect: 'reads',
    evidence: { rows: 'activities', columns: { at: col.time('When'), text: col.text('Activity') } },
  },
})
export const contactTimeline = reading('contact-timeline', {
  summary: 'Older entries of a contact’s timeline',
  body: z.object({ contact_id, cursor: text(400).optional() }),
  reply: z.object({ activities: z.array(Activity), cursor: z.string().nullable() }),
  errors: [],
})

export const deleteActivity = changing('delete-note', {
  summary: 'Deletes a note from a contact’s timeline',
  description: 'It does not come back.',
  body: z.object({ activity_id: id('activity') }),
  reply: z.object({ deleted: z.boolean() }),
  example: { request: { activity_id: exampleId }, reply: { deleted: true } },
  errors: ['not_found'],
  action: {
    title: 'Delete a note',
    when: 'The person asks to delete a note',
    effect: 'destroys',
    does: () => 'Deletes the note',
  },
})
export const addNote = changing('add-note', {
  summary: 'Adds a note to a contact’s timeline',
  description:
    'A call or a meeting can be noted as its kind: it warms the contact. Contacts, companies and deals that `text` mentions as @Name go into `mentions` by their ids: the name becomes a link there, and each of them shows the note.',
  body: z.object({
    contact_id,
    text: z.string().trim().min(1).max(4000),
    kind: z.enum(['note', 'call']).default('note'),
    mentions: z.array(Mentioned).max(20).optional(),
  }),
  reply: z.object({ activity_id: id('activity') }),
  example: { request: { contact_id: exampleId, text: 'Wants a quote by Friday' }, reply: { activity_id: exampleId } },
  errors: ['not_found', 'mention_missing'],
  action: {
    title: 'Add a note to a contact',
    when: 'The person asks to note something about a contact',
    effect: 'changes',
    does: ({ text }) => `Notes: ${text.slice(0, 80)}`,
    undo: { contract: deleteActivity, seconds: 600 },
  },
})

export const deleteTask = changing('delete-task', {
  summary: 'Deletes a task',
  description: 'It does not come back.',
  body: z.object({ task_id: id('task') }),
  reply: z.object({ deleted: z.boolean() }),
  example: { request: { task_id: exampleId }, reply: { deleted: true } },
  errors: ['not_found'],
  action: {
    title: 'Delete a task',
    when: 'The person asks to delete a task',
    effect: 'destroys',
    does: () => 'Deletes the task',
  },
})
export const createTask = changing('create-task', {
  summary: 'Adds a task, for a contact or by itself',
  description: 'When it is due, a notice reminds of it.',
  body: z.object({ title: oneLine(200).min(1), contact_id: contact_id.optional(), due_at: time.optional() }),
  reply: z.object({ task_id: id('task') }),
  example: { request: { title: 'Send the quote', due_at: '2026-11-27T09:00:00.000Z' }, reply: { task_id: exampleId } },
  errors: ['not_found', 'tasks_full'],
  action: {
    title: 'Add a task',
    when: 'The person asks to be reminded of something or to plan a follow-up',
    effect: 'changes',
    does: ({ title }) => `Adds the task ${title}`,
    undo: { contract: deleteTask, seconds: 600 },
  },
})
export const updateTask = changing('update-task', {
  summary: 'Changes the title of a task, or when it is due',
  description: 'What is left out stays. A task whose time changes reminds once more.',
  body: z.object({ task_id: id('task'), title: oneLine(200).min(1).optional(), due_at: time.nullish() }),
  reply: z.object({ updated: z.boolean() }),
  example: { request: { task_id: exampleId, due_at: '2026-11-28T09:00:00.000Z' }, reply: { updated: true } },
  errors: ['not_found'],
  action: {
    title: 'Change a task',
    when: 'The person asks to rename a task, or to put it off',
    effect: 'changes',
    does: ({ title }) => (title ? `Changes the task to ${title}` : 'Changes when the task is due'),
  },
})
export const completeTask = changing('complete-task', {
  summary: 'Marks a task as done, or as open again',
  description: 'Twice is as good as once.',
  body: z.object({ task_id: id('task'), done: z.boolean().default(true) }),
  reply: z.object({ done: z.boolean() }),
  example: { request: { task_id: exampleId }, reply: { done: true } },
  errors: ['not_found'],
  action: {
    title: 'Finish a task',
    when: 'The person says that a task is done',
    effect: 'changes',
    does: ({ done }) => (done ? 'Marks the task as done' : 'Opens the task again'),
  },
})
export const listTasks = reading('list-tasks', {
  summary: 'Lists the open tasks, the next due first',
  description: 'At most 200: more cannot be open at a time.',
  body: z.object({}).prefault({}),
  reply: z.object({ tasks: z.array(Task) }),
  example: {
    request: {},
    reply: {
      tasks: [
        { id: exampleId, contact_id: null, contact_name: null, title: 'Send the quote', due_at: '2026-11-27T09:00:00.000Z', done_at: null },
      ],
    },
  },
  errors: [],
  action: {
    title: 'List tasks',
    when: 'The person asks what is to be done or due',
    effect: 'reads',
    evidence: { rows: 'tasks', columns: { title: col.text('Task'), due_at: col.time('Due') } },
  },
})
export const listTags = reading('list-tags', {
  summary: 'The tags in use, the most used first',
  body: z.object({}).prefault({}),
  reply: z.object({ tags: z.array(z.object({ tag: z.string(), contacts: z.int() })) }),
})
