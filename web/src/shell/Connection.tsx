import { useQueryClient } from '@tanstack/react-query'
import { CloudOff, WifiOff } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useLiveState } from '../api/live.ts'
import { useOnline } from '../api/online.ts'
import { ConnectionLine, offlineText } from './OfflineLine.tsx'

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
  return (
    <ConnectionLine icon={online ? CloudOff : WifiOff} className="sticky top-14 z-30">
      {online ? 'The server is not answering. Trying again. What you type stays here.' : offlineText}
    </ConnectionLine>
  )
}
