import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { call } from '../../../api/call.ts'
import { Button } from '../../../ui/Button.tsx'
import { Options, SearchAsTyped, SelectField } from '../../../ui/Field.tsx'
import { Asked, EmptyState, Panel } from '../../../ui/Panel.tsx'
import { ShowMore } from '../../../ui/ShowMore.tsx'
import { useSearch } from '../../../ui/useSearch.ts'
import type { Address } from '../address.ts'
import { useRefresh } from '../queries.ts'
import { CompanyForm } from './CompanyForm.tsx'
import { contactsIn } from './words.ts'

const sorts = { name: 'Name', newest: 'Newest first' } as const

/** Where the contacts work: most came by themselves, from what contacts and their addresses say. */
export function Companies({ address }: { address: Address }) {
  const { search, change } = useSearch()
  const refresh = useRefresh()
  const query = search.get('cq') ?? ''
  const sort = search.get('csort') === 'newest' ? 'newest' : 'name'
  const asked = { sort, limit: 50, ...(query && { query: query.slice(0, 100) }) } as const
  const companies = useInfiniteQuery({
    queryKey: ['crm', 'companies', asked],
    queryFn: ({ pageParam, signal }) => call('find-companies', { ...asked, ...(pageParam && { cursor: pageParam }) }, { signal }),
    initialPageParam: '',
    getNextPageParam: (last) => last.cursor ?? undefined,
    placeholderData: keepPreviousData,
  })
  const rows = companies.data?.pages.flatMap((page) => page.companies) ?? []
  const isNew = Boolean(companies.data) && rows.length === 0 && !query
  return (
    <div className="flex flex-col gap-4 pt-4">
      {isNew ? (
        <EmptyState
          title="No companies yet"
          action={
            <Button variant="primary" onClick={() => change({ new: '1' })}>
              <Plus />
              New company
            </Button>
          }
        >
          Contacts bring their companies along: by the company you note, or by the domain of their email address.
        </EmptyState>
      ) : (
        <>
          <div className="grid grid-cols-2 items-end gap-3 lg:grid-cols-[minmax(14rem,1fr)_10rem]">
            <SearchAsTyped query={query} onChange={(cq) => change({ cq }, true)} placeholder="Name or domain" maxLength={100} />
            <SelectField label="Order" value={sort} onChange={(event) => change({ csort: event.target.value }, true)}>
              <Options of={Object.entries(sorts)} />
            </SelectField>
          </div>
          <Panel flush>
            <Asked query={companies} skeleton="m-4 h-64" failed="Your companies could not be loaded" />
            {companies.data && rows.length === 0 ? (
              <EmptyState compact title="No matches" action={<Button onClick={() => change({ cq: undefined }, true)}>Clear search</Button>}>
                No companies match.
              </EmptyState>
            ) : null}
            <ul aria-label="Companies">
              {rows.map(({ id, name, domain, contacts }) => (
                <li
                  key={id}
                  className="relative grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4 border-t border-line px-4 py-3 text-13 first:border-t-0 hover:bg-raised md:grid-cols-[minmax(0,2fr)_minmax(0,2fr)_8rem]"
                >
                  <button
                    type="button"
                    onClick={() => change({ company: id })}
                    className="truncate text-left font-medium before:absolute before:inset-0"
                  >
                    {name}
                  </button>
                  <span className="truncate text-muted max-md:hidden">{domain === name ? '' : domain}</span>
                  <span className="text-right text-muted tabular">{contactsIn(contacts)}</span>
                </li>
              ))}
            </ul>
            <ShowMore of={companies} className="m-3" />
          </Panel>
        </>
      )}
      {address.isAdding ? <CompanyForm onClose={() => change({ new: undefined }, true)} onDone={refresh} /> : null}
    </div>
  )
}
