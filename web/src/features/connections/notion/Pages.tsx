import { Plus } from 'lucide-react'
import { Button } from '../../../ui/Button.tsx'
import { Options, SearchForm } from '../../../ui/Field.tsx'
import { ago, day } from '../../../ui/format.ts'
import { Asked, EmptyState, Panel, Pill } from '../../../ui/Panel.tsx'
import { NewPage } from './NewPage.tsx'
import { PagePanel } from './PagePanel.tsx'
import { type NotionPage, useDatabases, usePages } from './queries.ts'

type Props = { search: URLSearchParams; change: (values: Record<string, string>) => void }

export function Pages({ search, change }: Props) {
  const words = search.get('q') ?? ''
  const database = search.get('database') ?? ''
  const opened = search.get('page')
  const databases = useDatabases()
  const asked = usePages(words, database)
  const pages = asked.data?.pages.flatMap((page) => page.pages)
  return (
    <div className="flex flex-col gap-4 pt-6">
      <div className="flex flex-wrap items-center gap-2">
        <select
          aria-label="Database"
          value={database}
          onChange={(event) => change({ database: event.target.value })}
          className="h-8 rounded-control border border-control bg-page px-2 text-13 max-md:h-11 max-md:flex-1"
        >
          <option value="">All databases</option>
          <Options of={databases.data?.databases.map(({ id, title }) => [id, title])} />
        </select>
        <Button variant="primary" onClick={() => change({ new: 'page' })} disabled={!databases.data?.databases.length}>
          <Plus />
          New page
        </Button>
        <SearchForm label="Search pages" value={words} onSearch={(q) => change({ q })} />
      </div>
      <Panel flush>
        <Asked query={asked} skeleton="m-4 h-40" failed="Your pages could not be loaded" />
        {pages && !pages.length ? (
          <EmptyState
            compact
            title={words || database ? 'No page fits' : 'No page is shared yet'}
            action={words || database ? <Button onClick={() => change({ q: '', database: '' })}>Show all</Button> : null}
          >
            {words || database
              ? 'Notion has no shared page with these words here.'
              : 'In Notion, choose Connections in the menu of a page and add this connection.'}
          </EmptyState>
        ) : null}
        {pages?.length ? <PageRows pages={pages} onOpen={(page) => change({ page })} /> : null}
      </Panel>
      {asked.hasNextPage ? (
        <Button className="self-start" busy={asked.isFetchingNextPage ? 'Loading' : false} onClick={() => asked.fetchNextPage()}>
          Show more
        </Button>
      ) : null}
      {opened ? <PagePanel key={opened} id={opened} onClose={() => change({ page: '' })} /> : null}
      {search.has('new') && databases.data ? (
        <NewPage
          title={search.get('new') === 'page' ? '' : (search.get('new') ?? '')}
          databases={databases.data.databases}
          database={database}
          onClose={() => change({ new: '' })}
          onMade={(page) => change({ new: '', page: page ?? '' })}
        />
      ) : null}
    </div>
  )
}

/** On a phone a page stands with its database, status and date under its title. */
export function PageRows({ pages, onOpen }: { pages: NotionPage[]; onOpen: (id: string) => void }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a table that scrolls sideways must be reachable by keyboard
    <section className="relative overflow-x-auto" aria-label="Pages" tabIndex={0}>
      <table className="w-full text-left text-13">
        <thead>
          <tr className="border-b border-line text-12 text-faint [&>th]:px-4 [&>th]:py-2 [&>th]:font-medium [&>th]:whitespace-nowrap">
            <th scope="col">Title</th>
            {['Status', 'Priority', 'Assignee', 'Due date', 'Last edited'].map((text) => (
              <th key={text} scope="col" className="max-lg:hidden">
                {text}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="divide-y divide-line [&_td]:px-4 [&_td]:py-2.5">
          {pages.map((page) => (
            <tr key={page.id} className="cursor-pointer align-baseline hover:bg-raised" onClick={() => onOpen(page.id)}>
              <td className="min-w-0">
                <button type="button" className="text-left font-medium break-words max-md:min-h-6" onClick={() => onOpen(page.id)}>
                  {page.title}
                </button>
                <span className="block text-12 text-faint">{page.database ?? 'On its own'}</span>
                <span className="mt-1 flex flex-wrap items-center gap-2 text-12 text-muted lg:hidden">
                  {page.status ? <Pill>{page.status}</Pill> : null}
                  {[page.priority, page.assignee, page.due_date && `due ${shortDate(page.due_date)}`].filter(Boolean).join(' · ')}
                </span>
              </td>
              <td className="max-lg:hidden">{page.status ? <Pill>{page.status}</Pill> : <None />}</td>
              <td className="max-lg:hidden">{page.priority ?? <None />}</td>
              <td className="max-lg:hidden">{page.assignee ?? <None />}</td>
              <td className="whitespace-nowrap max-lg:hidden">{page.due_date ? shortDate(page.due_date) : <None />}</td>
              <td className="whitespace-nowrap text-muted max-lg:hidden">{page.last_edited ? ago(page.last_edited) : <None />}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
const shortDate = (date: string) => day(`${date}T12:00:00`)
const None = () => <span className="text-faint">–</span>
