import { useCallback } from 'react'
import { useSearchParams } from 'react-router-dom'
import { sorts, statuses } from './words.ts'

/** Filters, order and the open contact are in the address: it can be shared, reloaded and left with Back. */
export function useAddress() {
  const [search, setSearch] = useSearchParams()
  const change = useCallback(
    (changes: Record<string, string | undefined>, replace = false) =>
      setSearch(
        (before) => {
          const next = new URLSearchParams(before)
          for (const [name, value] of Object.entries(changes)) value ? next.set(name, value) : next.delete(name)
          return next
        },
        { replace },
      ),
    [setSearch],
  )
  const one = <T extends string>(name: string, of: readonly T[]) => of.find((each) => each === search.get(name))
  return {
    tab: one('tab', ['contacts', 'tasks']) ?? 'contacts',
    query: search.get('q') ?? '',
    temperature: one('temperature', ['hot', 'warm', 'cold']),
    status: one('status', statuses),
    tag: search.get('tag') ?? undefined,
    sort: one('sort', sorts) ?? 'newest',
    contact: search.get('contact'),
    isImporting: search.has('import'),
    isAdding: search.has('new'),
    change,
  }
}
export type Address = ReturnType<typeof useAddress>
