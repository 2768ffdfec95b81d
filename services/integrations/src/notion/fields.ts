import type { NotionPage, notionFields } from '@operon/contracts/integrations/notion'
import type { z } from 'zod'

type Page = z.output<typeof NotionPage>
export type Field = (typeof notionFields)[number]
export type Value = string | null

/** Databases name their properties as they like: each field is taken from the property of its type whose name fits best. */
const found: Record<Field | 'assignee', { types: string[]; name: RegExp; anyName?: true }> = {
  title: { types: ['title'], name: /./, anyName: true },
  status: { types: ['status', 'select'], name: /^(?:status|state|stage)$/i },
  priority: { types: ['select', 'status'], name: /^(?:priority|urgency|importance)$/i },
  due_date: { types: ['date'], name: /due|deadline|date|until/i, anyName: true },
  assignee: { types: ['people'], name: /assign|owner|person|who/i, anyName: true },
}

type Property = { name: string; type: string; [value: string]: any }
const propertiesOf = (object: any): Property[] =>
  Object.entries<any>(object?.properties ?? {}).map(([name, property]) => ({ ...property, name }))

export function propertyOf(object: any, field: Field | 'assignee'): Property | undefined {
  const { types, name, anyName } = found[field]
  const fitting = propertiesOf(object).filter(({ type }) => types.includes(type))
  return fitting.find((property) => name.test(property.name)) ?? (anyName ? fitting[0] : undefined)
}

export const plainText = (parts: unknown): string =>
  Array.isArray(parts) ? parts.map((part) => part?.plain_text ?? part?.text?.content ?? '').join('') : ''

export function fieldOf(object: any, field: Field | 'assignee'): Value {
  const property = propertyOf(object, field)
  if (!property) return null
  const value = property[property.type]
  if (property.type === 'title') return plainText(value)
  if (property.type === 'people')
    return (
      (value ?? [])
        .map((person: any) => person?.name ?? '')
        .filter(Boolean)
        .join(', ') || null
    )
  return (property.type === 'date' ? value?.start?.slice(0, 10) : value?.name) ?? null
}

/** The property as Notion takes it. */
export function written({ type }: Property, value: Value): object {
  if (type === 'title') return { title: [{ text: { content: value ?? '' } }] }
  if (type === 'date') return { date: value === null ? null : { start: value } }
  return { [type]: value === null ? null : { name: value } }
}

export const optionsOf = (database: any, field: 'status' | 'priority'): string[] => {
  const property = propertyOf(database, field)
  return property ? (property[property.type]?.options ?? []).slice(0, 100).map(({ name }: any) => String(name)) : []
}

export function pageOf(page: any, databases: Map<string, string>): Page {
  const editable = (['title', 'status', 'priority', 'due_date'] as const).filter((field) => propertyOf(page, field))
  const databaseId: string | null = page.parent?.database_id ?? null
  return {
    id: String(page.id),
    title: fieldOf(page, 'title')?.slice(0, 300) || 'Untitled',
    database: databaseId && (databases.get(databaseId) ?? null),
    database_id: databaseId,
    status: fieldOf(page, 'status'),
    priority: fieldOf(page, 'priority'),
    assignee: fieldOf(page, 'assignee'),
    due_date: fieldOf(page, 'due_date'),
    last_edited: page.last_edited_time ? new Date(page.last_edited_time).toISOString() : null,
    url: safeUrl(page.url),
    editable,
  }
}
const safeUrl = (url: unknown) => (typeof url === 'string' && url.startsWith('https://') ? url : null)

export type { Page }
