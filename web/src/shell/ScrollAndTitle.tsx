import { useEffect, useRef } from 'react'
import { useLocation, useNavigationType } from 'react-router-dom'
import { titleOf } from '../content/pages.ts'

/** A new page has its title, starts at the top, or where it was left when one goes back to it, and takes the focus so that a screen reader reads it. */
export function ScrollAndTitle() {
  const { pathname, hash, key } = useLocation()
  const back = useNavigationType() === 'POP'
  const before = useRef<{ pathname: string; hash: string }>(undefined)
  const places = useRef(new Map<string, number>())

  useEffect(() => {
    const keep = () => void places.current.set(key, window.scrollY)
    addEventListener('scroll', keep, { passive: true })
    return () => removeEventListener('scroll', keep)
  }, [key])

  useEffect(() => {
    document.title = titleOf(pathname) ?? document.title
    const was = before.current
    before.current = { pathname, hash }
    // The browser has placed the first page itself; a filter in the address moves nothing, but an anchor that is pressed again leads there again.
    if (!was || (was.pathname === pathname && was.hash === hash && !hash)) return
    const place = back ? places.current.get(key) : undefined
    const target = hash && place === undefined ? document.getElementById(hash.slice(1)) : null
    if (target) {
      target.scrollIntoView()
      return
    }
    window.scrollTo({ top: place ?? 0, behavior: 'instant' })
    // A conversation with the assistant goes on: it stays beside the page it led to.
    if (document.activeElement?.closest('[data-assistant]')) return
    document.querySelector<HTMLElement>('main')?.focus({ preventScroll: true })
  }, [pathname, hash, key, back])
  return null
}
