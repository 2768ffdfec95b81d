import { z } from 'zod'
import { col, fn, id, reading, text, time } from '../contract.ts'
import { wordsForNotion, writesToNotion } from './said.ts'

// Pages of a connected Notion workspace, read there at each call. A write is checked against what the page says by then.

const connection_id = id('connection')
const page_id = text(100).min(1)
const Fields = z.object({
  title: text(300).min(1).optional(),
  status: text(100).nullish(),
  priority: text(100).nullish(),
  due_date: z.iso.date().nullish(),
})
export const notionFields = ['title', 'status', 'priority', 'due_date'] as const

export const NotionPage = z.object({
  id: z.string(),
  title: z.string(),
  database: z.string().nullable(),
  database_id: z.string().nullable(),
  status: z.string().nullable(),
  priority: z.string().nullable(),
  assignee: z.string().nullable(),
  due_date: z.string().nullable(),
  last_edited: time.nullable(),
  url: z.string().nullable(),
  /** The fields that can be written: a page has those of its database. */
  editable: z.array(z.enum(notionFields)),
})
const example = {
  id: '1b6f0c2e-0d0c-4f3c-9a53-7f4a1c9d0a11',
  title: 'Plan the launch',
  database: 'Tasks',
  database_id: '7c1f0c2e-0d0c-4f3c-9a53-7f4a1c9d0a22',
  status: 'In progress',
  priority: 'High',
  assignee: 'Ada Seller',
  due_date: '2026-12-01',
  last_edited: '2026-11-24T10:00:00.000Z',
  url: 'https://www.notion.so/1b6f0c2e',
  editable: ['title' as const, 'status' as const],
}
const callErrors = ['app_not_connected', 'app_busy', 'app_refused', 'connection_broken', 'upstream_failed', 'upstream_timeout'] as const

export const findNotionPages = reading('find-notion-pages', {
  summary: 'Finds pages of the connected Notion workspace, the last edited first',
  description: 'By words of their titles, or those of one database. Only pages that were shared with the connection are found.',
  body: z.object({
    words: text(200).optional(),
    database_id: text(100).optional(),
    cursor: text(200).nullish(),
    connection_id: connection_id.optional(),
  }),
  reply: z.object({ account: z.string(), pages: z.array(NotionPage), cursor: z.string().nullable(), read_at: time }),
  example: {
    request: { words: 'launch' },
    reply: { account: 'Northwind', pages: [example], cursor: null, read_at: '2026-11-24T10:00:00.000Z' },
  },
  errors: callErrors,
  action: {
    title: 'Find Notion pages',
    when: 'The person asks for a page, a note or a task that is in Notion',
    effect: 'reads',
    needs: ['notion'],
    evidence: {
      rows: 'pages',
      columns: {
        title: col.text('Title'),
        database: col.text('Database'),
        status: col.text('Status'),
        due_date: col.text('Due'),
        last_edited: col.time('Last edited'),
      },
    },
    typed: {
      as: 'notion',
      input: (said) => ({ words: wordsForNotion(said) }),
      says: ({ account, pages }, said) => {
        const words = wordsForNotion(said)
        const write = `/dashboard/notion?${new URLSearchParams({ tab: 'pages', new: words })}`
        const found = pages
          .slice(0, 5)
          .map(({ id, title }) => `- [${plainTitle(title)}](/dashboard/notion?${new URLSearchParams({ tab: 'pages', page: id })})`)
        const list = found.length
          ? `${found.length === 1 ? 'This page' : 'These pages'} in ${account} may be the one:\n\n${found.join('\n')}`
          : ''
        if (writesToNotion(said))
          return [`I can write this to Notion: [start the page](${write}). Nothing is written until you save it.`, list]
            .filter(Boolean)
            .join('\n\n')
        return (
          list ||
          `No page in ${account} has these words in its title. You can [write one](${write}), or share more pages with the connection in Notion.`
        )
      },
      failed: "I couldn't reach your Notion workspace. Please make sure it is connected on the Notion page.",
    },
  },
})
/** A title may hold what Markdown would read as a link. */
const plainTitle = (title: string) => title.replace(/[[\]()\\`*_<>!|#]/g, ' ').trim() || 'Untitled'

export const showNotionPage = reading('show-notion-page', {
  summary: 'Shows one Notion page with the values that its fields may take',
  description: 'Read from Notion at this call.',
  body: z.object({ page_id, connection_id: connection_id.optional() }),
  reply: z.object({ page: NotionPage, options: z.object({ status: z.array(z.string()), priority: z.array(z.string()) }), read_at: time }),
  example: {
    request: { page_id: example.id },
    reply: { page: example, options: { status: ['Not started', 'Done'], priority: ['High'] }, read_at: '2026-11-24T10:00:00.000Z' },
  },
  errors: callErrors,
  action: {
    title: 'Show a Notion page',
    when: 'The person asks about one page of Notion',
    effect: 'reads',
    needs: ['notion'],
    evidence: {
      columns: {
        'page.title': col.text('Title'),
        'page.status': col.text('Status'),
        'page.due_date': col.text('Due'),
        'page.last_edited': col.time('Last edited'),
      },
    },
  },
})

export const updateNotionPage = fn('update-notion-page', {
  access: 'user',
  idempotent: 'two-phase',
  summary: 'Writes fields of a Notion page, unless they were changed in Notion meanwhile',
  description:
    '`base` holds the values that the caller saw. A field that has another value in Notion by now is a conflict: nothing is written and both values are answered. Send it again with the newer value in `base` to overwrite it.',
  body: z.object({ page_id, base: Fields.default({}), changes: Fields, connection_id: connection_id.optional() }),
  reply: z.object({
    saved: z.boolean(),
    page: NotionPage,
    conflicts: z.array(z.object({ field: z.enum(notionFields), yours: z.string().nullable(), theirs: z.string().nullable() })),
  }),
  example: {
    request: { page_id: example.id, base: { status: 'Not started' }, changes: { status: 'In progress' } },
    reply: { saved: true, page: example, conflicts: [] },
  },
  errors: [...callErrors, 'app_unknown_outcome', 'app_input'],
  action: {
    title: 'Change a Notion page',
    when: 'The person asks to change the title, status, priority or due date of a page in Notion',
    effect: 'changes',
    preview: showNotionPage,
    needs: ['notion'],
    does: ({ changes }) =>
      `Sets ${
        Object.entries(changes)
          .map(([field, value]) => `${field.replaceAll('_', ' ')} to “${value ?? 'nothing'}”`)
          .join(', ') || 'nothing'
      } on the page in Notion`,
  },
})
