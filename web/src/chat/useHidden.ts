import { type QueryKey, useQueryClient } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'
import { toast } from '../ui/toast.tsx'

const UNDO_MS = 10_000
const hidden = new Map<string, ReturnType<typeof setTimeout>>()
const listeners = new Set<() => void>()
let version = 0

function changed() {
  version++
  for (const listener of listeners) listener()
}

/** Deletes for good after ten seconds; until then a row is only out of sight and can be taken back. */
export function useHidden(table: string, queryKey: QueryKey) {
  const queries = useQueryClient()
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => version,
  )
  const keyOf = (id: string) => `${table}:${id}`

  function show(id: string) {
    clearTimeout(hidden.get(keyOf(id)))
    hidden.delete(keyOf(id))
    changed()
  }
  function removeSoon(id: string, said: string, run: () => Promise<unknown>) {
    const timer = setTimeout(async () => {
      try {
        await run()
        await queries.invalidateQueries({ queryKey })
      } catch (error) {
        toast.error('That was not deleted', (error as Error).message)
      }
      show(id)
    }, UNDO_MS)
    hidden.set(keyOf(id), timer)
    changed()
    toast.undo(said, () => show(id))
  }
  return { has: (id: string) => hidden.has(keyOf(id)), removeSoon }
}
