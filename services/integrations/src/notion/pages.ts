import type { Input } from '@operon/contracts/contract'
import type * as api from '@operon/contracts/integrations/notion'
import { notionFields } from '@operon/contracts/integrations/notion'
import { now } from '@operon/kit/clock'
import type { Ctx } from '@operon/kit/context'
import { DomainError } from '@operon/kit/errors'
import type { AppRequest } from '../apps/app.ts'
import { workingConnection } from '../connections/actions.ts'
import type { CallApp } from '../connections/call.ts'
import type { ConnectionRow } from '../connections/keep.ts'
import type { IntegrationsDb } from '../schema.ts'
import { fieldOf, optionsOf, pageOf, plainText, propertyOf, written } from './fields.ts'

type Call = Ctx<IntegrationsDb>

const PAGE_SIZE = 50
const newestFirst = { direction: 'descending', timestamp: 'last_edited_time' }

/** Reads the databases beside the pages, since a page names its database by its id alone. */
export async function findPages(ctx: Call, input: Input<typeof api.findNotionPages>, call: CallApp) {
  const row = await workingConnection(ctx, 'notion', input.connection_id)
  const read = reader(row, call, ctx.signal)
  const [found, databases] = await Promise.all([read('find-pages', listing(input)), databaseNames(read)])
  const words = input.words?.toLowerCase()
  const pages = (found.results ?? []).map((page: any) => pageOf(page, databases))
  return {
    account: row.account,
    // A database is asked without words, so they are looked for here.
    pages: input.database_id && words ? pages.filter(({ title }: { title: string }) => title.toLowerCase().includes(words)) : pages,
    cursor: found.has_more ? found.next_cursor : null,
    read_at: new Date(now()).toISOString(),
  }
}

function listing({ words, database_id, cursor }: Input<typeof api.findNotionPages>): AppRequest {
  const page = { page_size: PAGE_SIZE, ...(cursor && { start_cursor: cursor }) }
  if (!database_id)
    return {
      method: 'POST',
      path: '/search',
      json: { ...page, filter: { property: 'object', value: 'page' }, sort: newestFirst, ...(words && { query: words }) },
    }
  const sorts = [{ direction: newestFirst.direction, timestamp: newestFirst.timestamp }]
  return { method: 'POST', path: `/databases/${encodeURIComponent(database_id)}/query`, json: { ...page, sorts } }
}

type Read = (action: string, request: AppRequest) => Promise<any>
const reader =
  (row: ConnectionRow, call: CallApp, signal: AbortSignal | undefined): Read =>
  (action, request) =>
    call(row, () => request, { action, effect: 'reads', ...(signal && { signal }) })

async function databaseNames(read: Read): Promise<Map<string, string>> {
  const filter = { property: 'object', value: 'database' }
  const { results } = await read('list-databases', { method: 'POST', path: '/search', json: { page_size: 100, filter } })
  return new Map((results ?? []).map((each: any) => [String(each.id), plainText(each.title) || 'Untitled']))
}

const pagePath = (id: string) => `/pages/${encodeURIComponent(id)}`

export async function showPage(ctx: Call, { page_id, connection_id }: Input<typeof api.showNotionPage>, call: CallApp) {
  const row = await workingConnection(ctx, 'notion', connection_id)
  const read = reader(row, call, ctx.signal)
  const page = await read('show-page', { path: pagePath(page_id) })
  const databaseId = page.parent?.database_id
  const database = databaseId ? await read('show-database', { path: `/databases/${encodeURIComponent(databaseId)}` }) : null
  return {
    page: pageOf(page, new Map(database ? [[String(databaseId), plainText(database.title) || 'Untitled']] : [])),
    options: { status: optionsOf(database, 'status'), priority: optionsOf(database, 'priority') },
    read_at: new Date(now()).toISOString(),
  }
}

/** The page is read again right before it is written: what was changed over there since the caller looked is not overwritten unseen. */
export async function updatePage(ctx: Call, { page_id, base, changes, connection_id }: Input<typeof api.updateNotionPage>, call: CallApp) {
  const row = await workingConnection(ctx, 'notion', connection_id)
  const read = reader(row, call, ctx.signal)
  const page = await read('show-page', { path: pagePath(page_id) })
  const wanted = notionFields.filter((field) => changes[field] !== undefined)
  const foreign = wanted.find((field) => !propertyOf(page, field))
  if (foreign) throw new DomainError('app_input', { message: `This page has no ${foreign.replaceAll('_', ' ')} in Notion.` })
  const differing = wanted.filter((field) => fieldOf(page, field) !== (changes[field] ?? null))
  const conflicts = differing
    .filter((field) => base[field] !== undefined && fieldOf(page, field) !== (base[field] ?? null))
    .map((field) => ({ field, yours: changes[field] ?? null, theirs: fieldOf(page, field) }))
  const names = await databaseNames(read)
  if (conflicts.length || !differing.length) return { saved: !conflicts.length, page: pageOf(page, names), conflicts }
  const properties = Object.fromEntries(
    differing.map((field) => {
      const property = propertyOf(page, field)!
      return [property.name, written(property, changes[field] ?? null)]
    }),
  )
  const request: AppRequest = { method: 'PATCH', path: pagePath(page_id), json: { properties } }
  const saved = await call(row, () => request, { action: 'change-page', effect: 'changes', ...(ctx.signal && { signal: ctx.signal }) })
  return { saved: true, page: pageOf(saved, names), conflicts: [] }
}
