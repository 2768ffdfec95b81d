import { useEffect, useRef, useState } from 'react'
import { useLocation, useNavigate } from 'react-router-dom'
import type { AppPage } from '../api/ai.ts'
import { stayedHere, wentElsewhere } from '../content/assistant.ts'

const NAVIGATE_AFTER_MS = 1000

/** Leads to a page a second after the answer, unless the person stays. */
export function useLeading(tell: (line: string) => void) {
  const navigate = useNavigate()
  const { pathname } = useLocation()
  const [to, setTo] = useState<AppPage | null>(null)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  // A person who opens a page meanwhile stays there.
  // biome-ignore lint/correctness/useExhaustiveDependencies: only another page is looked at
  useEffect(() => {
    if (to && pathname !== to.path) stay(wentElsewhere(to.name))
  }, [pathname])
  function stay(line = stayedHere) {
    if (!to) return
    clearTimeout(timer.current)
    setTo(null)
    tell(line)
  }
  return {
    to,
    lead(page: AppPage) {
      setTo(page)
      timer.current = setTimeout(() => {
        setTo(null)
        navigate(page.path)
      }, NAVIGATE_AFTER_MS)
    },
    stay: () => stay(),
  }
}
