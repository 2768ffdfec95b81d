import { useCallback } from 'react'
import { useSearchParams } from 'react-router-dom'

/** The query of the address, and a way to change parts of it; an empty value goes. `replace` makes no step for Back. */
export function useSearch() {
  const [search, setSearch] = useSearchParams()
  const change = useCallback(
    (changes: Record<string, string | null | undefined>, replace = false) =>
      setSearch(
        (before) => {
          const next = new URLSearchParams(before)
          for (const [name, value] of Object.entries(changes)) {
            if (value) next.set(name, value)
            else next.delete(name)
          }
          return next
        },
        { replace },
      ),
    [setSearch],
  )
  return { search, change }
}
