import { useSearch } from '../../ui/useSearch.ts'
import { sorts, statuses } from './words.ts'

/** Filters, order and the open contact are in the address: it can be shared, reloaded and left with Back. */
export function useAddress() {
  const { search, change } = useSearch()
  const one = <T extends string>(name: string, of: readonly T[]) => of.find((each) => each === search.get(name))
  return {
    tab: one('tab', ['contacts', 'companies', 'deals', 'tasks', 'forms']) ?? 'contacts',
    query: search.get('q') ?? '',
    temperature: one('temperature', ['hot', 'warm', 'cold']),
    status: one('status', statuses),
    tag: search.get('tag') ?? undefined,
    sort: one('sort', sorts) ?? 'newest',
    companyId: search.get('in') ?? undefined,
    company: search.get('company'),
    field: search.get('field') ?? undefined,
    value: search.get('value') ?? '',
    columns: (search.get('cols') ?? '').split(',').filter(Boolean),
    contact: search.get('contact'),
    deal: search.get('deal'),
    isImporting: search.has('import'),
    isAdding: search.has('new'),
    change,
  }
}
export type Address = ReturnType<typeof useAddress>
