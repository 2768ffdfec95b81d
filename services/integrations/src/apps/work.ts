import { z } from 'zod'
import { type AppDefinition, does, field, listOf, made, pagedBy, reads, row } from './app.ts'

const NOTION_VERSION = '2022-06-28'
const plain = (parts: unknown) =>
  listOf(parts)
    .map((part) => part.plain_text ?? part.text?.content ?? '')
    .join('')
export const notionTitle = (object: any) =>
  object.object === 'database'
    ? plain(object.title)
    : plain(Object.values<any>(object.properties ?? {}).find((property) => property.type === 'title')?.title)

export const notion: AppDefinition = {
  id: 'notion',
  vendor: 'notion',
  api: 'https://api.notion.com/v1',
  headers: { 'notion-version': NOTION_VERSION },
  who: { path: '/users/me', read: ({ id, name, bot }) => ({ id: bot?.workspace_id ?? id, name: bot?.workspace_name ?? name ?? id }) },
  // Three a second on average, less the five that may come at once.
  perMinute: 150,
  paging: pagedBy('start_cursor', ({ has_more, next_cursor }) => has_more && next_cursor),
  actions: {
    'find-pages': reads(
      'Find pages',
      z.object({ words: field.words, limit: field.limit }),
      ({ words, limit }) => ({
        method: 'POST',
        path: '/search',
        json: { query: words, page_size: limit, filter: { property: 'object', value: 'page' } },
      }),
      ({ results }) => listOf(results).map((page) => row(page.id, notionTitle(page), { url: page.url, at: page.last_edited_time })),
    ),
    'list-databases': reads(
      'List databases',
      z.object({ limit: field.limit }),
      ({ limit }) => ({ method: 'POST', path: '/search', json: { page_size: limit, filter: { property: 'object', value: 'database' } } }),
      ({ results }) => listOf(results).map((each) => row(each.id, notionTitle(each), { url: each.url, at: each.last_edited_time })),
    ),
    'add-page': does(
      'Add a page',
      'changes',
      z.object({ database: field.text('Database', 60), title: field.text('Title', 200), text: field.optional('Text', 2000) }),
      ({ database, title, text }) => ({
        method: 'POST',
        path: '/pages',
        json: {
          parent: { database_id: database },
          properties: { title: { title: [{ text: { content: title } }] } },
          ...(text && {
            children: [{ object: 'block', type: 'paragraph', paragraph: { rich_text: [{ type: 'text', text: { content: text } }] } }],
          }),
        },
      }),
      ({ id, url }) => made(id, url),
    ),
  },
}

export const trello: AppDefinition = {
  id: 'trello',
  api: 'https://api.trello.com/1',
  sign: ({ access, fields }, request) => ({ ...request, query: { ...request.query, key: fields?.api_key ?? '', token: access } }),
  who: {
    path: '/members/me',
    query: { fields: 'id,username,fullName' },
    read: ({ id, fullName, username }) => ({ id, name: fullName ?? username }),
  },
  perMinute: 600,
  actions: {
    'list-boards': reads(
      'List boards',
      z.object({}),
      () => ({ path: '/members/me/boards', query: { fields: 'id,name,url', filter: 'open' } }),
      (boards) => listOf(boards).map((each) => row(each.id, each.name, { url: each.url })),
    ),
    'list-lists': reads(
      'List the lists of a board',
      z.object({ board: field.text('Board', 60) }),
      ({ board }) => ({ path: `/boards/${encodeURIComponent(board)}/lists`, query: { fields: 'id,name' } }),
      (lists) => listOf(lists).map((each) => row(each.id, each.name)),
    ),
    'list-cards': reads(
      'List the cards of a list',
      z.object({ list: field.text('List', 60) }),
      ({ list }) => ({ path: `/lists/${encodeURIComponent(list)}/cards`, query: { fields: 'id,name,desc,shortUrl,due' } }),
      (cards) => listOf(cards).map((each) => row(each.id, each.name, { detail: each.desc, url: each.shortUrl, at: each.due })),
    ),
    'add-card': does(
      'Add a card',
      'changes',
      z.object({ list: field.text('List', 60), title: field.text('Title', 500), text: field.optional('Description') }),
      ({ list, title, text }) => ({ method: 'POST', path: '/cards', json: { idList: list, name: title, desc: text } }),
      ({ id, shortUrl }) => made(id, shortUrl),
    ),
  },
}

export const asana: AppDefinition = {
  id: 'asana',
  vendor: 'asana',
  scopes: ['default'],
  api: 'https://app.asana.com/api/1.0',
  who: { path: '/users/me', read: ({ data }) => ({ id: data.gid, name: data.email ?? data.name }) },
  perMinute: 150,
  paging: pagedBy('offset', ({ next_page }) => next_page?.offset),
  actions: {
    'list-projects': reads(
      'List projects',
      z.object({ limit: field.limit }),
      ({ limit }) => ({ path: '/projects', query: { limit, opt_fields: 'gid,name,permalink_url' } }),
      ({ data }) => listOf(data).map((each) => row(each.gid, each.name, { url: each.permalink_url })),
    ),
    'list-tasks': reads(
      'List the tasks of a project',
      z.object({ project: field.text('Project', 60), limit: field.limit }),
      ({ project, limit }) => ({ path: '/tasks', query: { project, limit, opt_fields: 'gid,name,due_on,completed,permalink_url' } }),
      ({ data }) =>
        listOf(data).map((each) =>
          row(each.gid, each.name, { detail: each.completed ? 'Done' : 'Open', url: each.permalink_url, at: each.due_on }),
        ),
    ),
    'add-task': does(
      'Add a task',
      'changes',
      z.object({ project: field.text('Project', 60), title: field.text('Title', 500), notes: field.optional('Notes') }),
      ({ project, title, notes }) => ({ method: 'POST', path: '/tasks', json: { data: { projects: [project], name: title, notes } } }),
      ({ data }) => made(data?.gid, data?.permalink_url),
    ),
  },
}

const workspaceEnded = ['invalid_auth', 'token_revoked', 'token_expired', 'account_inactive', 'not_authed'] as const
export const slack: AppDefinition = {
  id: 'slack',
  vendor: 'slack',
  scopes: ['channels:read', 'channels:join', 'channels:history', 'chat:write'],
  api: 'https://slack.com/api',
  who: { method: 'POST', path: '/auth.test', read: ({ team_id, team }) => ({ id: team_id, name: team ?? team_id }) },
  perMinute: 50,
  refusal: ({ ok, error }) => (ok === false ? (error ?? 'unknown_error') : null),
  ended: workspaceEnded,
  paging: pagedBy('cursor', ({ response_metadata }) => response_metadata?.next_cursor),
  actions: {
    'list-channels': reads(
      'List channels',
      z.object({ limit: field.limit }),
      ({ limit }) => ({ path: '/conversations.list', query: { limit, exclude_archived: 'true' } }),
      ({ channels }) => listOf(channels).map((each) => row(each.id, `#${each.name}`, { detail: `${each.num_members ?? 0} members` })),
    ),
    'post-message': does(
      'Post a message',
      'sends',
      z.object({ channel: field.text('Channel, as #sales or its id', 100), text: field.text('Message', 4000) }),
      ({ channel, text }) => ({ method: 'POST', path: '/chat.postMessage', json: { channel, text } }),
      ({ ts }) => made(ts),
    ),
  },
}
