import { companyOf, numberOf } from './grants.ts'
import { has, iso, limited, type Operation } from './operation.ts'

const notionPage = (id: string, title: string, url = `https://www.notion.so/${id}`) => ({
  object: 'page',
  id,
  url,
  last_edited_time: iso(-30),
  properties: { Name: { id: 'title', type: 'title', title: [{ type: 'text', plain_text: title, text: { content: title } }] } },
})
export const notion: Operation[] = [
  {
    at: 'GET api.notion.com/v1/users/me',
    answer: ({ grant }) => ({
      object: 'user',
      id: `bot-${numberOf(grant.email)}`,
      name: 'Operon',
      type: 'bot',
      bot: { owner: { type: 'workspace', workspace: true }, workspace_id: `ws-${numberOf(grant.email)}`, workspace_name: companyOf(grant) },
    }),
  },
  {
    at: 'POST api.notion.com/v1/search',
    body: ['query', 'filter', 'page_size', 'start_cursor', 'sort'],
    answer: (call) => {
      const databases = ['Tasks', 'Content calendar'].map((title, index) => ({
        object: 'database',
        id: `db-${index + 1}`,
        url: `https://www.notion.so/db-${index + 1}`,
        last_edited_time: iso(-60),
        title: [{ type: 'text', plain_text: title, text: { content: title } }],
      }))
      const pages = [
        ...call.list('page').map(({ id, data }) => notionPage(id, data.properties?.title?.title?.[0]?.text?.content ?? 'Untitled')),
        notionPage('page-1', 'Plan the launch'),
        notionPage('page-2', 'Ideas for posts'),
      ]
      const found =
        call.body.filter?.value === 'database' ? databases : call.body.filter?.value === 'page' ? pages : [...databases, ...pages]
      const titleOf = (each: any) => (each.title ?? each.properties.Name.title)[0].plain_text
      return {
        object: 'list',
        results: found.filter((each) => has(titleOf(each), call.body.query ?? '')).slice(0, call.body.page_size ?? 100),
        next_cursor: null,
        has_more: false,
      }
    },
  },
  {
    at: 'POST api.notion.com/v1/pages',
    body: ['parent', 'properties', 'children', 'icon', 'cover'],
    answer: (call) => {
      const { id } = call.add('page', call.body)
      return notionPage(id, call.body.properties?.title?.title?.[0]?.text?.content ?? 'Untitled')
    },
  },
]

export const slack: Operation[] = [
  {
    at: 'POST slack.com/api/auth.test',
    answer: ({ grant }) => ({
      ok: true,
      url: 'https://sandbox.slack.com/',
      team: companyOf(grant),
      user: 'operon',
      team_id: `T${numberOf(grant.email)}`,
      user_id: 'U0KRQLJ9H',
    }),
  },
  {
    at: 'GET slack.com/api/conversations.list',
    query: ['limit', 'exclude_archived', 'cursor', 'types'],
    answer: (call) => ({
      ok: true,
      channels: limited(
        [
          { id: 'C01GENERAL', name: 'general', num_members: 12 },
          { id: 'C02SALES', name: 'sales', num_members: 5 },
        ],
        call,
      ),
      response_metadata: { next_cursor: '' },
    }),
  },
  {
    at: 'POST slack.com/api/chat.postMessage',
    body: ['channel', 'text', 'blocks', 'thread_ts', 'mrkdwn'],
    answer: (call) => {
      const channel = String(call.body.channel ?? '')
      if (!['C01GENERAL', 'C02SALES', '#general', '#sales'].includes(channel)) return { ok: false, error: 'channel_not_found' }
      const { id } = call.add('message', call.body)
      return { ok: true, channel, ts: `${Math.floor(Date.now() / 1000)}.${id.slice(-6)}`, message: { text: call.body.text } }
    },
  },
]
