import type { AppId } from '@operon/contracts/integrations/apps'
import { texts } from '@operon/contracts/messages'
import { useEffect, useRef, useState } from 'react'
import { call } from '../../api/call.ts'
import { paths } from '../../paths.ts'
import { toast } from '../../ui/toast.tsx'

/** Said by the page that an app sends the browser back to, to the page that began. Of this origin alone. */
export type Told = { app: AppId | 'custom'; ok: true; account: string } | { app: AppId | 'custom'; ok: false; message: string }
export const CHANNEL = 'connections'
/** Where a sign-in in a window of its own leads back to: nowhere, it closes. A vendor's page may have taken the window's name away. */
export const CLOSES = '/connect/close'

const POLL_MS = 2_000
const PATIENCE_MS = 120_000

/** Opens an app's consent page in a window of its own, and hears how it went: by message, else by asking every two seconds for two minutes. */
export function useConnect(onDone: () => void) {
  const [waiting, setWaiting] = useState<AppId | null>(null)
  const done = useRef(onDone)
  done.current = onDone

  useEffect(() => {
    if (!waiting) return
    const channel = new BroadcastChannel(CHANNEL)
    channel.onmessage = ({ data }: MessageEvent<Told>) => {
      if (data.app !== waiting) return
      setWaiting(null)
      if (data.ok) toast.success(`${data.account} is connected`)
      else toast.error(texts.connectionFailed, data.message)
      done.current()
    }
    const began = Date.now()
    let before: string | undefined
    const timer = setInterval(async () => {
      if (Date.now() - began > PATIENCE_MS) return setWaiting(null)
      const { connections } = await call('list-connections', { app: waiting }).catch(() => ({ connections: null }))
      if (!connections) return
      const seen = connections.map(({ id, state, checked_at }) => `${id} ${state} ${checked_at}`).join()
      before ??= seen
      if (seen === before) return
      setWaiting(null)
      done.current()
    }, POLL_MS)
    return () => {
      channel.close()
      clearInterval(timer)
    }
  }, [waiting])

  async function connect(app: AppId) {
    // Opened within the press itself, or the browser takes it for one that nobody asked for.
    const popup = window.open('about:blank', 'connect', 'width=560,height=720')
    try {
      const { auth_url } = await call('connect-app', { app, return_to: popup ? CLOSES : paths.apps })
      if (!auth_url) throw new Error(texts.failedToConnectApp)
      setWaiting(app)
      if (popup) popup.location.replace(auth_url)
      else location.assign(auth_url)
    } catch (error) {
      popup?.close()
      toast.error(texts.connectionFailed, (error as Error).message || texts.failedToConnectApp)
    }
  }
  return { waiting, connect, stop: () => setWaiting(null) }
}
