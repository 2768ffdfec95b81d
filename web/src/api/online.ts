import { useEffect, useSyncExternalStore } from 'react'

/** Whether this device has a network. That the server answers is another matter. */
export function useOnline(): boolean {
  return useSyncExternalStore(
    (listener) => {
      addEventListener('online', listener)
      addEventListener('offline', listener)
      return () => {
        removeEventListener('online', listener)
        removeEventListener('offline', listener)
      }
    },
    () => navigator.onLine,
    () => true,
  )
}

const firstRetryMs = 3000
const longestRetryMs = 30_000

/** Tries again by itself while mounted: when the network is back, and after 3 s, 6 s … 30 s. */
export function useRetrying(retry: () => unknown) {
  useEffect(() => {
    let waits = firstRetryMs
    let timer = setTimeout(again, waits)
    function again() {
      if (navigator.onLine) void retry()
      waits = Math.min(longestRetryMs, waits * 2)
      timer = setTimeout(again, waits)
    }
    const now = () => void retry()
    addEventListener('online', now)
    return () => {
      clearTimeout(timer)
      removeEventListener('online', now)
    }
  }, [retry])
}
