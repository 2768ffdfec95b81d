import { useEffect, useRef } from 'react'
import { useLocation } from 'react-router-dom'
import { titleOf } from '../content/pages.ts'

/** A new page has its title, starts at the top, and takes the focus so that a screen reader reads it. */
export function ScrollAndTitle() {
  const { pathname, hash } = useLocation()
  const first = useRef(true)
  useEffect(() => {
    document.title = titleOf(pathname) ?? document.title
    if (first.current) {
      first.current = false
      return
    }
    const target = hash ? document.getElementById(hash.slice(1)) : null
    if (target) return target.scrollIntoView()
    window.scrollTo(0, 0)
    // Who talks to the assistant goes on talking: it stays beside the page it led to.
    if (document.activeElement?.closest('[data-assistant]')) return
    document.querySelector<HTMLElement>('main')?.focus({ preventScroll: true })
  }, [pathname, hash])
  return null
}
