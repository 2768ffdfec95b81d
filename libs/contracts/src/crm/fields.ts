import { z } from 'zod'
import { changing, col, id, oneLine, reading } from '../contract.ts'
import { exampleId } from './calendar.ts'

// Fields of one's own on contacts.

export const fieldKinds = ['text', 'number', 'date', 'choice', 'yes_no'] as const
export type FieldKind = (typeof fieldKinds)[number]
export const MOST_FIELDS = 30

const field_id = id('contact_field')
const line = (max: number) => oneLine(max).min(1)
export const FieldValue = z.union([z.string().max(400), z.number(), z.boolean()])
/** By the ids of the fields; null empties one. */
export const FieldValues = z.record(z.uuid(), FieldValue.nullable())
export const ContactField = z.object({
  id: field_id,
  name: z.string(),
  kind: z.enum(fieldKinds),
  /** The options of a choice. */
  options: z.array(z.string()),
})
const example: z.output<typeof ContactField> = { id: exampleId, name: 'Budget', kind: 'number', options: [] }
const options = z.array(line(80)).max(50)

export const listContactFields = reading('list-contact-fields', {
  summary: 'Lists the fields that contacts have beside the usual ones',
  description: '`show-contact` has their values.',
  body: z.object({}).prefault({}),
  reply: z.object({ fields: z.array(ContactField).max(MOST_FIELDS) }),
  example: { request: {}, reply: { fields: [example] } },
  errors: [],
  action: {
    title: 'List contact fields',
    when: 'A custom field of contacts is to be read or set, so that its id is needed',
    effect: 'reads',
    evidence: { rows: 'fields', columns: { name: col.text('Field'), kind: col.text('Kind') } },
  },
})
export const deleteContactField = changing('delete-contact-field', {
  summary: 'Deletes a field with what contacts have in it',
  description: 'It does not come back.',
  body: z.object({ field_id }),
  reply: z.object({ deleted: z.boolean() }),
  example: { request: { field_id: exampleId }, reply: { deleted: true } },
  errors: ['not_found'],
  action: {
    title: 'Delete a contact field',
    when: 'The person asks to delete a custom field',
    effect: 'destroys',
    does: () => 'Deletes the field with what contacts have in it',
  },
})
export const createContactField = changing('create-contact-field', {
  summary: 'Adds a field that contacts have from now on',
  description: 'At most thirty. The kind stays. A choice needs `options`.',
  body: z.object({ name: line(60), kind: z.enum(fieldKinds), options: options.default([]) }),
  reply: z.object({ field_id }),
  example: { request: { name: 'Budget', kind: 'number' }, reply: { field_id: exampleId } },
  errors: ['field_exists', 'fields_full', 'field_options'],
  action: {
    title: 'Add a contact field',
    when: 'The person asks for a custom field on contacts',
    effect: 'changes',
    does: ({ name }) => `Adds the field ${name} to contacts`,
    undo: { contract: deleteContactField, seconds: 600 },
  },
})
export const updateContactField = changing('update-contact-field', {
  summary: 'Renames a field, or changes what can be chosen',
  description: 'Contacts keep an option that is not offered any more.',
  body: z.object({ field_id, name: line(60), options: options.default([]) }),
  reply: ContactField,
  example: { request: { field_id: exampleId, name: 'Budget' }, reply: example },
  errors: ['not_found', 'field_exists', 'field_options'],
  action: {
    title: 'Change a contact field',
    when: 'The person asks to rename a custom field or to change its options',
    effect: 'changes',
    does: ({ name }) => `Changes the field ${name}`,
  },
})
