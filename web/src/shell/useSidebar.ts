import { useCallback, useState } from 'react'

const weekSeconds = 7 * 24 * 60 * 60
const phone = '(max-width: 767px)'

/** Open or collapsed to icons, kept in a cookie for 7 days; on phones a drawer of its own. */
export function useSidebar() {
  const [open, setOpen] = useState(() => !/(?:^|; )sidebar_state=false/.test(document.cookie))
  const [drawer, setDrawer] = useState(false)
  const toggle = useCallback(() => {
    if (matchMedia(phone).matches) return setDrawer((shown) => !shown)
    setOpen((shown) => {
      // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not in every browser
      document.cookie = `sidebar_state=${!shown}; path=/; max-age=${weekSeconds}; samesite=lax`
      return !shown
    })
  }, [])
  const closeDrawer = useCallback(() => setDrawer(false), [])
  return { open, drawer, toggle, closeDrawer }
}
