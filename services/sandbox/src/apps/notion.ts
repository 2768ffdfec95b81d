import type {
  BotUserObjectResponse,
  DatabaseObjectResponse,
  PageObjectResponse,
  TextRichTextItemResponse,
} from '@notionhq/client/build/src/api-endpoints.js'
import { html, page } from '../core/page.ts'
import type { Table } from '../core/state.ts'
import { form, type Route, redirect, route } from '../core/wire.ts'
import { type AppGrant, type AppObject, companyOf, numberOf } from './grants.ts'
import { type ApiCall, has, iso, type Operation, Refused } from './operation.ts'

const HOST = 'api.notion.com'
const statuses = ['Not started', 'In progress', 'Done']
const priorities = ['Low', 'Medium', 'High']
const databases = [
  { id: 'db-1', title: 'Tasks' },
  { id: 'db-2', title: 'Content calendar' },
  { id: 'db-3', title: 'People' },
  { id: 'db-4', title: 'To do' },
]
type Column = { id: string; type: 'email' | 'phone_number' | 'rich_text' | 'checkbox' | 'date' }
/** The columns beside the title of those that are no plan of pages. A checkbox is `1`, or nothing. */
const ownColumns: Record<string, Record<string, Column>> = {
  'db-3': { Email: { id: 'em', type: 'email' }, Phone: { id: 'ph', type: 'phone_number' }, Company: { id: 'co', type: 'rich_text' } },
  'db-4': { Done: { id: 'dn', type: 'checkbox' }, Due: { id: 'du', type: 'date' }, Contact: { id: 'em', type: 'email' } },
}
type Kept = {
  database: string
  title: string
  status: string | null
  priority: string | null
  assignee: string | null
  due: string | null
  edited: string
  /** Of the columns of its own. */
  values?: Record<string, string | null>
  archived?: boolean
}
const inDays = (days: number) => iso(days * 1440).slice(0, 10)
const first = (): Record<string, Kept> => ({
  'page-1': {
    database: 'db-1',
    title: 'Plan the launch',
    status: 'In progress',
    priority: 'High',
    assignee: 'Maya Patel',
    due: inDays(5),
    edited: iso(-30),
  },
  'page-2': {
    database: 'db-2',
    title: 'Ideas for posts',
    status: 'Not started',
    priority: 'Medium',
    assignee: 'Jonas Weber',
    due: inDays(12),
    edited: iso(-90),
  },
  'page-3': {
    database: 'db-1',
    title: 'Answer the survey replies',
    status: 'Done',
    priority: 'Low',
    assignee: null,
    due: null,
    edited: iso(-2880),
  },
})

const pagesIn = (kept: AppObject[]): Map<string, Kept> =>
  new Map([...Object.entries(first()), ...[...kept].reverse().map(({ data }): [string, Kept] => [data.key, data as unknown as Kept])])
const newest = (pages: Map<string, Kept>) =>
  [...pages].filter(([, { archived }]) => !archived).sort(([, one], [, other]) => other.edited.localeCompare(one.edited))

const plainly = { bold: false, italic: false, strikethrough: false, underline: false, code: false, color: 'default' } as const
const rich = (content: string): TextRichTextItemResponse[] => [
  { type: 'text', plain_text: content, text: { content, link: null }, annotations: plainly, href: null },
]
const option = (name: string) => ({ id: name.toLowerCase().replaceAll(' ', '-'), name, color: 'default' as const })
const described = (name: string) => ({ ...option(name), description: null })
const bot = { object: 'user', id: 'bot-sandbox' } as const
/** Fields that a page and a database share. */
const common = (id: string, edited: string) =>
  ({
    ...{ id, url: `https://www.notion.so/${id}`, public_url: null, icon: null, cover: null },
    ...{ created_by: bot, last_edited_by: bot, created_time: edited, last_edited_time: edited, archived: false, in_trash: false },
  }) as const
const person = (name: string) => ({
  ...{ object: 'user' as const, id: numberOf(name), name, avatar_url: null, type: 'person' as const, person: {} },
})
const pageObject = (
  id: string,
  { database, title, status, priority, assignee, due, edited, values, archived }: Kept,
): PageObjectResponse => ({
  ...common(id, edited),
  ...(archived && { archived, in_trash: archived }),
  object: 'page',
  parent: { type: 'database_id', database_id: database },
  properties:
    database in ownColumns
      ? ownProperties(database, title, values ?? {})
      : {
          Name: { id: 'title', type: 'title', title: rich(title) },
          Status: { id: 'st', type: 'status', status: status ? option(status) : null },
          Priority: { id: 'pr', type: 'select', select: priority ? option(priority) : null },
          Assignee: { id: 'as', type: 'people', people: assignee ? [person(assignee)] : [] },
          'Due date': { id: 'du', type: 'date', date: dated(due) },
        },
})
/** Notion gives a time back with its offset in digits. */
const dated = (start: string | null) => (start ? { start: start.replace(/Z$/, '+00:00'), end: null, time_zone: null } : null)
const columnObject = (name: string, { id, type }: Column) => ({ id, name, description: null, type, [type]: {} })
const ownSchema = (database: string) =>
  ({
    Name: { id: 'title', name: 'Name', description: null, type: 'title', title: {} },
    ...Object.fromEntries(Object.entries(ownColumns[database]!).map(([name, column]) => [name, columnObject(name, column)])),
  }) as DatabaseObjectResponse['properties']
const valueObject = ({ id, type }: Column, value: string | null) => ({
  ...{ id, type },
  [type]: { checkbox: Boolean(value), date: dated(value), rich_text: value ? rich(value) : [], email: value, phone_number: value }[type],
})
const ownProperties = (database: string, title: string, values: Record<string, string | null>) =>
  ({
    Name: { id: 'title', type: 'title', title: rich(title) },
    ...Object.fromEntries(Object.entries(ownColumns[database]!).map(([name, column]) => [name, valueObject(column, values[name] ?? null)])),
  }) as PageObjectResponse['properties']
const group = (name: string, ...of: string[]) => ({
  id: name,
  name,
  color: 'default' as const,
  option_ids: of.map((each) => option(each).id),
})
const groups = [group('To-do', statuses[0]!), group('In progress', statuses[1]!), group('Complete', statuses[2]!)]
const databaseObject = ({ id, title }: (typeof databases)[number]): DatabaseObjectResponse => ({
  ...common(id, iso(-60)),
  object: 'database',
  title: rich(title),
  description: [],
  is_inline: false,
  parent: { type: 'workspace', workspace: true },
  properties:
    id in ownColumns
      ? ownSchema(id)
      : {
          Name: { id: 'title', name: 'Name', description: null, type: 'title', title: {} },
          Status: { id: 'st', name: 'Status', description: null, type: 'status', status: { options: statuses.map(described), groups } },
          Priority: { id: 'pr', name: 'Priority', description: null, type: 'select', select: { options: priorities.map(described) } },
          Assignee: { id: 'as', name: 'Assignee', description: null, type: 'people', people: {} },
          'Due date': { id: 'du', name: 'Due date', description: null, type: 'date', date: {} },
        },
})

const refused = (status: number, code: string, message: string) => new Refused(status, { object: 'error', status, code, message })
const unknown = (what: string, id: string) =>
  refused(
    404,
    'object_not_found',
    `Could not find ${what} with ID: ${id}. Make sure the relevant pages and databases are shared with your integration.`,
  )
const listed = <T>(call: ApiCall, rows: T[]) => {
  const from = Number(call.body.start_cursor ?? 0)
  const size = Number(call.body.page_size ?? 100)
  const more = from + size < rows.length
  return {
    ...{ object: 'list', type: 'page_or_database', page_or_database: {} },
    ...{ results: rows.slice(from, from + size), next_cursor: more ? String(from + size) : null, has_more: more },
  }
}

const sorted = (pages: [string, Kept][], sorts: { direction?: string }[] = []) =>
  sorts[0]?.direction === 'ascending' ? pages.reverse() : pages
/** The two filters that we ask with: edits since a time, and a value of a column. */
function passes({ database, edited, values }: Kept, filter?: Record<string, any>): boolean {
  if (!filter) return true
  if (filter.timestamp) return edited >= filter.last_edited_time.on_or_after
  const [name, { type }] = Object.entries(ownColumns[database] ?? {}).find(([, { id }]) => id === filter.property) ?? ['', { type: '' }]
  return (values?.[name] ?? null) === filter[type]?.equals
}

/** Takes the properties that a request gives; null where Notion would refuse one. */
function changed(before: Kept, properties: Record<string, any>): Kept | string {
  const after = { ...before }
  for (const [name, value] of Object.entries(properties)) {
    const column = ownColumns[before.database]?.[name]
    if (column && column.type in value) {
      const given = value[column.type]
      const plain = Array.isArray(given) ? given.map((part: any) => part.text?.content ?? '').join('') : given === true ? '1' : given
      after.values = { ...after.values, [name]: (column.type === 'date' ? plain?.start : plain) || null }
    } else if (['Name', 'title'].includes(name)) after.title = (value.title ?? []).map((part: any) => part.text?.content ?? '').join('')
    else if (name === 'Status' && 'status' in value) {
      if (value.status && !statuses.includes(value.status.name))
        return `Invalid status option. Status option "${value.status.name}" does not exist".`
      after.status = value.status?.name ?? null
    } else if (name === 'Priority' && 'select' in value) after.priority = value.select?.name ?? null
    else if (name === 'Due date' && 'date' in value) after.due = value.date?.start ?? null
    else return `${name} is not a property that exists.`
  }
  return { ...after, edited: new Date().toISOString() }
}

export const notion: Operation[] = [
  {
    at: `GET ${HOST}/v1/users/me`,
    // The id of the workspace is in Notion's documentation and not yet in the types of its client.
    answer: ({ grant }): BotUserObjectResponse & { bot: { workspace_id: string } } => ({
      object: 'user',
      id: `bot-${numberOf(grant.email)}`,
      name: 'Operon',
      avatar_url: null,
      type: 'bot',
      bot: { owner: { type: 'workspace', workspace: true }, workspace_id: `ws-${numberOf(grant.email)}`, workspace_name: companyOf(grant) },
    }),
  },
  {
    at: `POST ${HOST}/v1/search`,
    body: ['query', 'filter', 'page_size', 'start_cursor', 'sort'],
    answer: (call) => {
      const kind = call.body.filter?.value
      const query = call.body.query ?? ''
      const found = [
        ...(kind === 'page' ? [] : databases.filter(({ title }) => has(title, query)).map(databaseObject)),
        ...(kind === 'database'
          ? []
          : newest(pagesIn(call.list('page')))
              .filter(([, { title }]) => has(title, query))
              .map(([id, kept]) => pageObject(id, kept))),
      ]
      return listed<object>(call, found)
    },
  },
  {
    at: `GET ${HOST}/v1/databases/:id`,
    answer: ({ params }) => {
      const database = databases.find(({ id }) => id === params.id)
      return database ? databaseObject(database) : unknown('database', params.id!)
    },
  },
  {
    at: `POST ${HOST}/v1/databases/:id/query`,
    body: ['filter', 'sorts', 'page_size', 'start_cursor'],
    answer: (call) =>
      databases.some(({ id }) => id === call.params.id)
        ? listed(
            call,
            sorted(newest(pagesIn(call.list('page'))), call.body.sorts)
              .filter(([, kept]) => kept.database === call.params.id && passes(kept, call.body.filter))
              .map(([id, kept]) => pageObject(id, kept)),
          )
        : unknown('database', call.params.id!),
  },
  {
    at: `GET ${HOST}/v1/pages/:id`,
    answer: ({ params, list }) => {
      const kept = pagesIn(list('page')).get(params.id!)
      return kept ? pageObject(params.id!, kept) : unknown('page', params.id!)
    },
  },
  {
    at: `PATCH ${HOST}/v1/pages/:id`,
    body: ['properties', 'archived', 'icon', 'cover'],
    answer: ({ params, body, list, set }) => {
      const before = pagesIn(list('page')).get(params.id!)
      if (!before) return unknown('page', params.id!)
      const after = changed(before, body.properties ?? {})
      if (typeof after === 'string') return refused(400, 'validation_error', after)
      set(params.id!, 'page', after)
      return pageObject(params.id!, after)
    },
  },
  {
    at: `POST ${HOST}/v1/pages`,
    body: ['parent', 'properties', 'children', 'icon', 'cover'],
    answer: (call) => {
      const database = call.body.parent?.database_id
      if (!databases.some(({ id }) => id === database)) return unknown('database', String(database))
      const empty: Kept = { database, title: '', status: statuses[0]!, priority: null, assignee: null, due: null, edited: '' }
      const kept = changed(empty, call.body.properties ?? {})
      if (typeof kept === 'string') return refused(400, 'validation_error', kept)
      const { id } = call.add('made', {})
      call.set(id, 'page', kept)
      return pageObject(id, kept)
    },
  },
]

/** The workspace as its owner sees it over there, where a page can be changed behind our back. */
export function notionPages(objects: Table<AppObject>, grants: Table<AppGrant>): Route[] {
  const account = (email: string) => `${HOST}:${email}`
  const keptOf = (email: string) => objects.newest().filter((each) => each.account === account(email) && each.kind === 'page')
  const emails = () =>
    [
      ...new Set(
        grants
          .newest()
          .filter(({ vendor, used }) => vendor === 'notion' && used)
          .map(({ email }) => email),
      ),
    ].slice(0, 20)
  const choose = (name: string, values: string[], chosen: string | null) =>
    html`<select name="${name}" aria-label="${name}">${values.map((value) => (value === chosen ? html`<option selected>${value}</option>` : html`<option>${value}</option>`))}</select>`
  const show = () =>
    page({
      title: 'Notion workspaces',
      body: html`<h1>Notion workspaces</h1><p class="muted">The pages as they stand in Notion. Change one here to see what happens on the other side.</p>${emails().map(
        (email) =>
          html`<h2>${email}</h2><table><tbody>${newest(pagesIn(keptOf(email)))
            .slice(0, 50)
            .map(
              ([id, kept]) =>
                html`<tr><td><form method="post" action="/sandbox/apps/notion/${id}" class="row"><input type="hidden" name="email" value="${email}"><input name="title" aria-label="Title" value="${kept.title}">${choose('status', statuses, kept.status)}${choose('priority', priorities, kept.priority)}<button>Save in Notion</button></form></td></tr>`,
            )}</tbody></table>`,
      )}`,
    })
  return [
    route('GET', '/sandbox/apps/notion', show),
    route('POST', '/sandbox/apps/notion/:page', (request) => {
      const fields = form(request)
      const email = fields.get('email') ?? ''
      const id = request.params.page!
      const database = fields.get('database') ?? ''
      const unknownYet: Kept | undefined = databases.some((each) => each.id === database)
        ? { database, title: '', status: null, priority: null, assignee: null, due: null, edited: '' }
        : undefined
      const before = pagesIn(keptOf(email)).get(id) ?? unknownYet
      if (!before || !emails().includes(email)) return { status: 404, body: 'There is no such page.' }
      const given = Object.fromEntries(
        ['title', 'status', 'priority', 'due'].filter((name) => fields.has(name)).map((name) => [name, fields.get(name)!]),
      )
      objects.put({
        id: `${account(email)}/${id}`,
        account: account(email),
        kind: 'page',
        data: {
          ...before,
          ...given,
          values: {
            ...before.values,
            ...Object.fromEntries(
              Object.keys(ownColumns[before.database] ?? {}).flatMap((name) =>
                fields.has(name) ? [[name, fields.get(name) || null]] : [],
              ),
            ),
          },
          ...(fields.has('archived') && { archived: fields.get('archived') === '1' }),
          edited: new Date().toISOString(),
          key: id,
        },
      })
      return redirect('/sandbox/apps/notion')
    }),
  ]
}
