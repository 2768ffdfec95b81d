import { useCallback, useEffect, useRef, useState } from 'react'
import { knowsDevices } from '../../api/factors.ts'
import { clearAuthKeys } from '../../api/keys.ts'
import { useAuthSettings } from '../../api/platform.ts'
import type { Report } from './PortalPage.tsx'

// The server takes an answer for five minutes.
const suggestedForMs = 4 * 60_000

type Way = {
  begin: () => void
  clear: () => void
  report: Report
  onSignedIn: (welcome: { title: string; text?: string }) => Promise<void>
}

/** Signing in with a passkey: by the button, or from what the browser suggests below the email field. */
export function usePasskey(way: Way) {
  const offered = (useAuthSettings()?.passkeys_enabled ?? false) && knowsDevices()
  const [busy, setBusy] = useState(false)
  const waiting = useRef<AbortController>(undefined)
  const since = useRef(0)
  const latest = useRef(way)
  latest.current = way

  const arrive = useCallback(async (as: { signal?: AbortSignal; mediation?: 'conditional' } = {}): Promise<boolean> => {
    const { begin, clear, report, onSignedIn } = latest.current
    let answered = false
    try {
      const { signInWithPasskey, suggestsPasskeys } = await import('../../api/device.ts')
      if (as.mediation && !(await suggestsPasskeys())) return false
      // Until a device has answered, whoever is signed in here stays signed in.
      await signInWithPasskey({
        ...as,
        onAnswer: () => {
          answered = true
          setBusy(true)
          clear()
          begin()
          clearAuthKeys()
        },
      })
      await onSignedIn({ title: 'Welcome back!', text: 'You are signed in.' })
      return true
    } catch (error) {
      setBusy(false)
      // Suggestions that nobody took are no news.
      if (answered || !as.mediation) report('You are not signed in', (error as Error).message)
      return false
    }
  }, [])

  const suggest = useCallback(() => {
    if (Date.now() - since.current < suggestedForMs) return
    since.current = Date.now()
    waiting.current?.abort()
    waiting.current = new AbortController()
    void arrive({ signal: waiting.current.signal, mediation: 'conditional' })
  }, [arrive])
  // A browser has one such question open at a time.
  const stop = useCallback(() => {
    since.current = 0
    waiting.current?.abort()
  }, [])
  useEffect(() => {
    if (offered) suggest()
    return stop
  }, [offered, suggest, stop])

  async function signIn() {
    stop()
    latest.current.clear()
    setBusy(true)
    if (!(await arrive())) suggest()
  }
  return { offered, busy, signIn, suggest: offered ? suggest : undefined }
}
