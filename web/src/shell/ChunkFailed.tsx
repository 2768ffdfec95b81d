import { useEffect, useState } from 'react'
import { useOnline } from '../api/online.ts'
import { Button } from '../ui/Button.tsx'
import { Busy, EmptyRow } from '../ui/Mark.tsx'

const reloadKey = 'operon-reloaded'
const reloadAgainAfterMs = 5 * 60_000
const retryAgainAfterMs = 10_000
const askEveryMs = [1000, 2000, 4000, 8000, 15_000]
let retriedAt = 0

/** A page whose code did not come. Fetched again when the network and the server are back; a deploy that replaced it is answered by one reload. */
export function ChunkFailed({ retry, as: Frame }: { retry: () => void; as: 'main' | 'section' }) {
  const online = useOnline()
  const [asked, setAsked] = useState(0)
  const [stuck, setStuck] = useState(false)

  useEffect(() => {
    if (!online || stuck) return
    let gone = false
    const timer = setTimeout(
      async () => {
        const isThere = await fetch('/healthz', { cache: 'no-store' }).then(
          ({ ok }) => ok,
          () => false,
        )
        if (gone) return
        if (!isThere) return setAsked((count) => count + 1)
        if (Date.now() - retriedAt > retryAgainAfterMs) {
          retriedAt = Date.now()
          return retry()
        }
        if (!reloadOnce()) setStuck(true)
      },
      askEveryMs[Math.min(asked, askEveryMs.length - 1)],
    )
    return () => {
      gone = true
      clearTimeout(timer)
    }
  }, [online, asked, stuck, retry])

  const [title, text] = !online
    ? ['You are offline', 'This page opens by itself when your connection is back. Everything you saved is safe.']
    : stuck
      ? ['This page could not be loaded', 'A part of it is missing on the server. Reload the page, or try again in a few minutes.']
      : ['Loading this page again', 'A part of it did not arrive. It opens by itself as soon as it is here.']
  return (
    <Frame className="mx-auto flex min-h-[60dvh] max-w-md flex-col items-start justify-center gap-4 p-6">
      <EmptyRow />
      <h1 className="text-20 font-semibold">{title}</h1>
      <p role="status" className="text-muted">
        {text}
      </p>
      {online && !stuck ? (
        <span className="text-signal-text">
          <Busy label={title} />
        </span>
      ) : (
        <Button variant="primary" onClick={() => (stuck ? location.reload() : retry())}>
          {stuck ? 'Reload the page' : 'Try again'}
        </Button>
      )}
    </Frame>
  )
}

/** One reload in five minutes: a page that does not come back by it would reload for ever. */
function reloadOnce(): boolean {
  if (Date.now() - Number(sessionStorage.getItem(reloadKey) ?? 0) < reloadAgainAfterMs) return false
  sessionStorage.setItem(reloadKey, String(Date.now()))
  location.reload()
  return true
}
