import { useState } from 'react'
import { useSession } from '../api/session.ts'

const drafts = new Map<string, string>()

/** Text that was typed and not sent: a look at another page must not lose it. Kept in memory, by person. */
export function useDraft(place: string): [string, (next: string | ((before: string) => string)) => void] {
  // The composer also stands on the front page, which asks for no session.
  const { user } = useSession({ eager: false })
  const [key] = useState(`${user?.id}:${place}`)
  const [text, setText] = useState(() => drafts.get(key) ?? '')
  function change(next: string | ((before: string) => string)) {
    setText((before) => {
      const value = typeof next === 'function' ? next(before) : next
      drafts.set(key, value)
      return value
    })
  }
  return [text, change]
}
