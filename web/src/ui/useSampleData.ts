import { useSyncExternalStore } from 'react'

const key = 'operon-hide-samples'
const listeners = new Set<() => void>()

/** Sample data can be switched off; the choice holds for every panel. */
export function useSampleData() {
  const shown = useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => localStorage.getItem(key) === null,
    () => true,
  )
  function toggle() {
    if (shown) localStorage.setItem(key, '1')
    else localStorage.removeItem(key)
    for (const listener of listeners) listener()
  }
  return { shown, toggle }
}
