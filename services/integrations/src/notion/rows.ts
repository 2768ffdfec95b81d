import type { Input, Output } from '@operon/contracts/contract'
import type * as api from '@operon/contracts/integrations/notion-rows'
import { rowColumnTypes } from '@operon/contracts/integrations/notion-rows'
import type { Ctx } from '@operon/kit/context'
import { DomainError } from '@operon/kit/errors'
import type { AppRequest } from '../apps/app.ts'
import { workingConnection } from '../connections/actions.ts'
import type { CallApp } from '../connections/call.ts'
import type { ConnectionRow } from '../connections/keep.ts'
import type { IntegrationsDb } from '../schema.ts'
import { plainText } from './fields.ts'

type Call = Ctx<IntegrationsDb>
type Row = Output<typeof api.listNotionChanges>['rows'][number]
type Values = Row['values']
type Type = (typeof rowColumnTypes)[number]
type Property = { id: string; name: string; type: Type; value: unknown }
type Ask = (action: string, request: AppRequest, effect?: 'reads' | 'changes') => Promise<any>

const PAGE_SIZE = 100
const MOST_COLUMNS = 100
/** As much as Notion takes in one piece of text. */
const LONGEST = 2000

const asker =
  (ctx: Call, row: ConnectionRow, call: CallApp): Ask =>
  (action, request, effect = 'reads') =>
    call(row, () => request, { action, effect, ...(ctx.signal && { signal: ctx.signal }) })
const statusOf = (error: unknown): number =>
  (error instanceof DomainError && error.code === 'app_refused' && (error.details as { status?: number } | undefined)?.status) || 0

function propertiesOf(object: any): Property[] {
  return Object.entries<any>(object?.properties ?? {})
    .filter(([, { type }]) => rowColumnTypes.includes(type))
    .map(([name, property]) => ({ id: String(property.id), name, type: property.type, value: property[property.type] }))
}
/** A time has an offset; one of a zone alone stays as it is, since no instant can be read from it. */
const dateOf = (start = '') => (/T.*(?:Z|[+-]\d\d:?\d\d)$/.test(start) ? new Date(start).toISOString() : start)
function textOf({ type, value }: Property): string | null {
  const texts: Partial<Record<Type, () => string>> = {
    ...{ title: () => plainText(value), rich_text: () => plainText(value) },
    ...{ status: () => (value as any)?.name ?? '', date: () => dateOf((value as any)?.start) },
  }
  return (texts[type]?.() ?? String(value ?? '')).trim().slice(0, LONGEST) || null
}

function written({ type, value: before }: Property, value: string | null): object {
  if (type === 'title' || type === 'rich_text') return { [type]: value === null ? [] : [{ text: { content: value } }] }
  if (type === 'checkbox') return { checkbox: value === 'true' }
  if (type === 'status') return { status: value === null ? null : { name: value } }
  if (type === 'date') {
    const end = (before as { end?: string | null } | null)?.end
    // Notion takes two days or two times, in their order.
    const fits = value && end && end.includes('T') === value.includes('T') && Date.parse(end) >= Date.parse(value)
    return { date: value === null ? null : { start: value, ...(fits && { end }) } }
  }
  return { [type]: value }
}

/** Notion's last group of a status is the complete one. */
function optionsOf(status: any): { name: string; complete: boolean }[] {
  const [groups, options]: [any[], any[]] = [status?.groups ?? [], status?.options ?? []]
  const complete: string[] = groups.at(-1)?.option_ids ?? []
  const place = ({ id }: any) => groups.findIndex(({ option_ids }) => option_ids?.includes(id))
  return options
    .toSorted((one, other) => place(one) - place(other))
    .slice(0, MOST_COLUMNS)
    .map(({ id, name }) => ({ name: String(name), complete: complete.includes(id) }))
}

const sameId = (one: unknown, other: string) => String(one ?? '').replaceAll('-', '') === other.replaceAll('-', '')
function rowOf(page: any, databaseId: string, columns: readonly string[]): Row {
  const values = Object.fromEntries(
    propertiesOf(page)
      .filter(({ id }) => columns.includes(id))
      .map((property) => [property.id, textOf(property)]),
  )
  const gone = Boolean(page.archived || page.in_trash) || !sameId(page.parent?.database_id, databaseId)
  return { id: String(page.id), gone, values, last_edited: new Date(page.last_edited_time).toISOString() }
}

const at = (kind: 'databases' | 'pages', id: string) => `/${kind}/${encodeURIComponent(id)}`

export async function listColumns(ctx: Call, { connection_id, database_id }: Input<typeof api.listNotionColumns>, call: CallApp) {
  const ask = asker(ctx, await workingConnection(ctx, 'notion', connection_id), call)
  const database = await ask('show-database', { path: at('databases', database_id) })
  const columns = propertiesOf(database).slice(0, MOST_COLUMNS)
  return { title: plainText(database.title) || 'Untitled', columns: columns.map(columnOf) }
}

const columnOf = ({ id, name, type, value }: Property) => ({ id, name, type, ...(type === 'status' && { options: optionsOf(value) }) })

export async function listChanges(ctx: Call, input: Input<typeof api.listNotionChanges>, call: CallApp) {
  const { connection_id, database_id, columns, since, cursor } = input
  const ask = asker(ctx, await workingConnection(ctx, 'notion', connection_id), call)
  const list = async (from: string | null | undefined, reset: boolean) => {
    const json = {
      page_size: PAGE_SIZE,
      sorts: [{ timestamp: 'last_edited_time', direction: 'ascending' }],
      ...(since && { filter: { timestamp: 'last_edited_time', last_edited_time: { on_or_after: since } } }),
      ...(from && { start_cursor: from }),
    }
    const found = await ask('list-changes', { method: 'POST', path: `${at('databases', database_id)}/query`, json })
    const rows = (found.results ?? []).map((page: any) => rowOf(page, database_id, columns)) as Row[]
    return { rows, cursor: found.has_more && found.next_cursor ? String(found.next_cursor) : null, reset }
  }
  try {
    return await list(cursor, false)
  } catch (error) {
    if (!cursor || ![400, 410].includes(statusOf(error))) throw error
    return list(null, true)
  }
}

/** The row is read again right before it is written: what was changed over there since the caller looked is not overwritten unseen. */
export async function writeRow(ctx: Call, input: Input<typeof api.writeNotionRow>, call: CallApp) {
  const ask = asker(ctx, await workingConnection(ctx, 'notion', input.connection_id), call)
  return input.row_id ? changeRow(ask, input, input.row_id) : addRow(ask, input)
}

async function changeRow(ask: Ask, { database_id, base, changes }: Input<typeof api.writeNotionRow>, rowId: string) {
  const columns = Object.keys(changes)
  const gone = { outcome: 'gone' as const, row: null }
  let page: any
  try {
    page = await ask('show-page', { path: at('pages', rowId) })
  } catch (error) {
    // Deleted for good, or not shared any more.
    if ([404, 410].includes(statusOf(error))) return gone
    throw error
  }
  const row = rowOf(page, database_id, columns)
  if (row.gone) return gone
  const differing = columns.filter((column) => (row.values[column] ?? null) !== (changes[column] ?? null))
  if (!differing.length) return { outcome: 'written' as const, row }
  if (differing.some((column) => (row.values[column] ?? null) !== (base[column] ?? null))) return { outcome: 'conflict' as const, row }
  const properties = propertiesTo(page, Object.fromEntries(differing.map((column) => [column, changes[column] ?? null])))
  const saved = await ask('change-page', { method: 'PATCH', path: at('pages', rowId), json: { properties } }, 'changes')
  return { outcome: 'written' as const, row: rowOf(saved, database_id, columns) }
}

/** Looks for the row first: a call whose answer was lost may have added it. */
async function addRow(ask: Ask, { database_id, changes, unique }: Input<typeof api.writeNotionRow>) {
  const columns = Object.keys(changes)
  const database = await ask('show-database', { path: at('databases', database_id) })
  const key = unique === undefined ? undefined : propertiesOf(database).find(({ id }) => id === unique)
  if (key && changes[key.id]) {
    const filter = { property: key.id, [key.type]: { equals: changes[key.id] } }
    const path = `${at('databases', database_id)}/query`
    const found = await ask('find-row', { method: 'POST', path, json: { page_size: 1, filter } })
    const [first] = found.results ?? []
    if (first) return { outcome: 'found' as const, row: rowOf(first, database_id, columns) }
  }
  const json = { parent: { database_id }, properties: propertiesTo(database, changes) }
  const made = await ask('add-page', { method: 'POST', path: '/pages', json }, 'changes')
  return { outcome: 'added' as const, row: rowOf(made, database_id, columns) }
}

function propertiesTo(object: any, changes: Values): Record<string, object> {
  const known = propertiesOf(object)
  return Object.fromEntries(
    Object.entries(changes).map(([column, value]) => {
      const property = known.find(({ id }) => id === column)
      if (!property)
        throw new DomainError('app_input', {
          message: 'A column that was chosen is not in the Notion database any more. Choose the columns again.',
        })
      return [property.name, written(property, value)]
    }),
  )
}
