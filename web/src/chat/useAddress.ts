import { useSearchParams } from 'react-router-dom'

type Address = { conversationId: string | null; showing: string | null; onConversation: (id: string | null, named?: boolean) => void }

/**
 * The open conversation stands in the address: `?c=<id>`, and the message that was searched for as `m`. Back leads to the one before; one that
 * has just got its id stays where it is.
 */
export function useConversationAddress(): Address {
  const [search, setSearch] = useSearchParams()
  function onConversation(id: string | null, named = false) {
    setSearch(
      (before) => {
        const next = new URLSearchParams(before)
        next.delete('m')
        if (id) next.set('c', id)
        else next.delete('c')
        return next
      },
      { replace: named },
    )
  }
  return { conversationId: search.get('c'), showing: search.get('m'), onConversation }
}
