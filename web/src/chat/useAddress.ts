import { useSearch } from '../ui/useSearch.ts'

type Address = { conversationId: string | null; showing: string | null; onConversation: (id: string | null, named?: boolean) => void }

/**
 * The open conversation stands in the address: `?c=<id>`, and the message that was searched for as `m`. Back leads to the one before; one that
 * has just got its id stays where it is.
 */
export function useConversationAddress(): Address {
  const { search, change } = useSearch()
  const onConversation = (id: string | null, named = false) => change({ m: null, c: id }, named)
  return { conversationId: search.get('c'), showing: search.get('m'), onConversation }
}
