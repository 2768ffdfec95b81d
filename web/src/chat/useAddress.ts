import { useSearchParams } from 'react-router-dom'

/** The open conversation stands in the address: `?c=<id>`. Back leads to the one before; one that has just got its id stays where it is. */
export function useConversationAddress(): [string | null, (id: string | null, named?: boolean) => void] {
  const [search, setSearch] = useSearchParams()
  function open(id: string | null, named = false) {
    setSearch(
      (before) => {
        const next = new URLSearchParams(before)
        if (id) next.set('c', id)
        else next.delete('c')
        return next
      },
      { replace: named },
    )
  }
  return [search.get('c'), open]
}
