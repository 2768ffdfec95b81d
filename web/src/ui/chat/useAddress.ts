import { useSearchParams } from 'react-router-dom'

/** The open conversation stands in the address: `?c=<id>`. */
export function useConversationAddress(): [string | null, (id: string | null) => void] {
  const [search, setSearch] = useSearchParams()
  function open(id: string | null) {
    setSearch(
      (before) => {
        const next = new URLSearchParams(before)
        if (id) next.set('c', id)
        else next.delete('c')
        return next
      },
      { replace: true },
    )
  }
  return [search.get('c'), open]
}
