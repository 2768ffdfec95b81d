import { useQueryClient } from '@tanstack/react-query'
import { CloudOff, WifiOff } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useLiveState } from '../api/live.ts'
import { useOnline } from '../api/online.ts'

const awayAfterMs = 5000

/** One line while this device is offline or the server is away. Reads that failed meanwhile are repeated afterwards. */
export function Connection() {
  const online = useOnline()
  const live = useLiveState()
  const queries = useQueryClient()
  const [away, setAway] = useState(false)

  useEffect(() => {
    if (live === 'on') {
      setAway(false)
      void queries.refetchQueries({ predicate: ({ state }) => state.status === 'error' })
      return
    }
    const timer = setTimeout(() => setAway(true), awayAfterMs)
    return () => clearTimeout(timer)
  }, [live, queries])

  if (online && !away) return <p role="status" className="sr-only" />
  const Icon = online ? CloudOff : WifiOff
  return (
    <p
      role="status"
      className="sticky top-14 z-30 flex min-h-8 items-center justify-center gap-2 border-b border-warn/40 bg-warn-soft px-4 py-1 text-12 text-text"
    >
      <Icon className="size-3.5 shrink-0 text-warn" />
      {online
        ? 'The server is not answering. Trying again. What you type stays here.'
        : 'You are offline. What you type stays here, and the page catches up when you are back.'}
    </p>
  )
}
