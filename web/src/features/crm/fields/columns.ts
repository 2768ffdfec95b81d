import { day } from '../../../ui/format.ts'
import { type OwnField, shownValue } from '../../../ui/ownFields.ts'
import type { Contact } from '../queries.ts'
import { capital } from '../words.ts'

export const MOST_COLUMNS = 4
export const usualColumns = { phone: 'Phone', job_title: 'Job title', source: 'Source', created: 'Added' }

export type Column = { id: string; label: string; of: (row: Contact) => string }
const usual: Record<keyof typeof usualColumns, Column['of']> = {
  phone: ({ phone }) => phone ?? '',
  job_title: ({ job_title }) => job_title ?? '',
  source: ({ source }) => capital(source),
  created: ({ created_at }) => day(created_at),
}

/** The columns that the address names, in its order; a field that was deleted has none. */
export const columnsOf = (ids: readonly string[], fields: readonly OwnField[]): Column[] =>
  ids.slice(0, MOST_COLUMNS).flatMap((id) => {
    if (id in usual) return [{ id, label: usualColumns[id as keyof typeof usual], of: usual[id as keyof typeof usual] }]
    const field = fields.find((each) => each.id === id)
    return field ? [{ id, label: field.name, of: (row: Contact) => shownValue(field, row.fields[id]) }] : []
  })
