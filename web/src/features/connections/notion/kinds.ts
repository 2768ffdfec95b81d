import type { CallReply } from '@operon/contracts/calls'

export type Sync = NonNullable<CallReply<'show-notion-sync'>['sync']>
export type Kind = Sync['kind']
type Found = CallReply<'propose-notion-sync'>
export type Field = keyof Found['proposal']
type Type = Found['columns'][number]['type']

const labels: Record<Field, string> = {
  ...{ name: 'Name', email: 'Email', phone: 'Phone', company: 'Company', job_title: 'Job title' },
  ...{ title: 'Title', done: 'Done', due: 'Due' },
}
const texts: Type[] = ['title', 'email', 'phone_number', 'rich_text', 'url']
const formed: Partial<Record<Field, Type[]>> = { done: ['checkbox', 'status'], due: ['date'] }
export const typesOf = (field: Field) => formed[field] ?? texts

/** The words for each kind of record that can be synced. */
export const words = {
  contacts: {
    ...{ one: 'contact', fields: ['name', 'email', 'phone', 'company', 'job_title'] as Field[], needed: ['name', 'email'] as Field[] },
    ...{ labels, title: 'Your contacts are not synced', counted: 'Contacts in sync' },
    empty: 'Choose a Notion database of people. Contacts and rows with the same email address are kept the same, both ways.',
    skipped: 'no valid email address, or the address of another row. Give each row an address of its own to sync it.',
    missing: 'Contacts and rows are matched by email address, so the database needs a column for it.',
    adds: 'Add contacts with an email address that are not in this database',
    begins: 'Rows with an email address that is new here become contacts.',
  },
  tasks: {
    ...{ one: 'task', fields: ['title', 'done', 'due', 'email'] as Field[], needed: ['title'] as Field[] },
    ...{ labels: { ...labels, email: 'Contact’s email' }, title: 'Your tasks are not synced', counted: 'Tasks in sync' },
    empty: 'Choose a Notion database of tasks. Titles, due dates and what is done are kept the same, both ways.',
    skipped: 'no title, or came when 200 tasks were open, which is the most there can be. Finish some to sync the rest.',
    missing: 'Tasks need a column for their title.',
    adds: 'Add open tasks that are not in this database',
    begins:
      'An open row and an open task that say the same are linked, and other open rows become tasks. A date without a time is due at 9:00 UTC.',
  },
} satisfies Record<Kind, unknown>

/** A value as a person reads it. */
export function readable(field: Field, value: string | null): string {
  if (value === null) return 'Empty'
  if (field === 'done') return { true: 'Done', false: 'Not done' }[value] ?? value
  const isDay = /^\d{4}-\d\d-\d\d$/.test(value)
  if (field !== 'due' || !(isDay || value.endsWith('Z'))) return value
  const at = new Date(isDay ? `${value}T12:00` : value)
  return at.toLocaleString('en-US', { dateStyle: 'medium', ...(isDay ? {} : { timeStyle: 'short' }) })
}
