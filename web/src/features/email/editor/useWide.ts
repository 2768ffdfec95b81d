import { useSyncExternalStore } from 'react'

const wide = '(width >= 1024px)'
/** Whether two columns fit: one of the two layouts is mounted, so that no field is there twice. */
export const useWide = () =>
  useSyncExternalStore(
    (listener) => {
      const query = matchMedia(wide)
      query.addEventListener('change', listener)
      return () => query.removeEventListener('change', listener)
    },
    () => matchMedia(wide).matches,
    () => true,
  )
