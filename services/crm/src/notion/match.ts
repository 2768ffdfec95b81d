import { EmailAddress, Phone } from '@operon/contracts/crm/contacts'
import { notionFields } from '@operon/contracts/crm/notion-sync'
import type { NotionColumn } from '@operon/contracts/integrations/notion-rows'
import { cleanName } from '@operon/contracts/names'
import { DomainError } from '@operon/kit/errors'
import type { z } from 'zod'
import type { Field, Fields, NotionDb, Statuses, SyncRow } from './schema.ts'

type Column = z.output<typeof NotionColumn>
type Columns = NotionDb['notion_syncs']['columns']['__select__']
type Fit = { types: Column['type'][]; name: RegExp; anyName?: true; needed?: true }

/** These hold no text. */
const formed: Partial<Record<Field, Column['type'][]>> = { done: ['checkbox', 'status'], due: ['date'] }
const fits: Record<SyncRow['kind'], Partial<Record<Field, Fit>>> = {
  contacts: {
    name: { types: ['title'], name: /./, anyName: true, needed: true },
    email: { types: ['email'], name: /e-?mail/i, anyName: true, needed: true },
    phone: { types: ['phone_number'], name: /phone|mobile|tel/i, anyName: true },
    company: { types: ['rich_text'], name: /company|organi[sz]ation|employer|account/i },
    job_title: { types: ['rich_text'], name: /job|position|role/i },
  },
  tasks: {
    title: { types: ['title'], name: /./, anyName: true, needed: true },
    done: { types: formed.done!, name: /done|complete|finished|status|state/i, anyName: true },
    due: { types: formed.due!, name: /due|deadline|date|until/i, anyName: true },
    email: { types: ['email'], name: /e-?mail|contact/i, anyName: true },
  },
}
export const fieldsOf = (kind: SyncRow['kind']) => Object.keys(fits[kind]) as Field[]

/** Of each field the column of its type whose name fits best. */
export function proposed(kind: SyncRow['kind'], columns: Column[]): Fields {
  const columnOf = ({ types, name, anyName }: Fit) => {
    const fitting = columns.filter(({ type }) => types.includes(type))
    return (fitting.find((column) => name.test(column.name)) ?? (anyName ? fitting[0] : undefined))?.id ?? null
  }
  return Object.fromEntries(Object.entries(fits[kind]).map(([field, fit]) => [field, columnOf(fit)]))
}

const refuse = (message: string) => new DomainError('app_input', { message })
const textless = Object.values(formed).flat()

/** The columns of the kind's own fields, where each can hold its values. */
export function chosen(kind: SyncRow['kind'], wanted: Columns, columns: Column[]): Columns {
  const fields = fieldsOf(kind)
  const own = Object.fromEntries(Object.entries(wanted).filter(([field]) => fields.includes(field as Field))) as Columns
  const missing = fields.find((field) => fits[kind][field]?.needed && !own[field])
  if (missing) throw refuse(`Choose a column for the ${missing}.`)
  for (const [field, id] of mapped(own)) {
    const column = columns.find((each) => each.id === id)
    if (!column) throw refuse('A column that was chosen is not in the database. Choose the columns again.')
    if (formed[field] ? !formed[field].includes(column.type) : textless.includes(column.type))
      throw refuse(`The column “${column.name}” cannot hold this field. Choose another one.`)
  }
  const ids = mapped(own).map(([, id]) => id)
  if (new Set(ids).size < ids.length) throw refuse('Two fields have the same column. Choose a column of its own for each.')
  return own
}

/** Null: a checkbox says what is done, or nothing does. */
export function statusesOf(columns: Columns, found: Column[]): Statuses | null {
  const column = found.find(({ id }) => id === columns.done)
  if (column?.type !== 'status') return null
  const named = (complete: boolean) => (column.options ?? []).filter((option) => option.complete === complete).map(({ name }) => name)
  const statuses = { done: named(true), open: named(false) }
  if (!statuses.done.length || !statuses.open.length)
    throw refuse(
      `The status “${column.name}” needs an option that is complete and one that is not. Add it in Notion, or choose another column.`,
    )
  return statuses
}

/** As Notion keeps it. */
export const outward = ({ statuses }: SyncRow, field: Field, value: string | null): string | null =>
  field === 'done' && statuses ? statuses[value === 'true' ? 'done' : 'open'][0]! : value

/** The fields that have a column. */
export const mapped = (columns: Columns): [Field, string][] =>
  notionFields.flatMap((field): [Field, string][] => (columns[field] ? [[field, columns[field]]] : []))

/** The row's value of each field whose column was read. */
export const fieldsIn = (columns: Columns, values: Record<string, string | null>): Fields =>
  Object.fromEntries(mapped(columns).flatMap(([field, column]) => (column in values ? [[field, values[column] ?? null]] : [])))

/** The value as one line of text is taken here, or undefined where it cannot. */
export function taken(field: Field, value: string | null): string | null | undefined {
  if (field === 'email' || field === 'phone') {
    if (value === null) return null
    return (field === 'email' ? EmailAddress : Phone).safeParse(value).data
  }
  const line = cleanName(value ?? '')
    .slice(0, field === 'title' ? 200 : 120)
    .trim()
  return line || (field === 'name' || field === 'title' ? undefined : null)
}
