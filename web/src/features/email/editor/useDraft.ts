import { useCallback, useEffect, useReducer, useRef, useState } from 'react'
import { call } from '../../../api/call.ts'
import type { ApiError } from '../../../api/http.ts'
import { type Campaign, newKey } from '../queries.ts'
import { change, type Draft, draftOf, redo, start, undo, unsaved } from './history.ts'

export type Saving = { state: 'saved' | 'waiting' | 'saving' } | { state: 'failed' | 'conflict'; message: string }
const AFTER_MS = 600

/** A draft that is saved as it is written, one change after another, with the way back and forth. */
export function useDraft(campaign: Campaign, onGone: () => void, onSaved?: () => void) {
  const [history, dispatch] = useReducer(
    (before: ReturnType<typeof start>, act: (of: ReturnType<typeof start>) => ReturnType<typeof start>) => act(before),
    campaign,
    (of) => start(draftOf(of)),
  )
  const [saving, setSaving] = useState<Saving>({ state: 'saved' })
  const kept = useRef({ draft: draftOf(campaign), version: campaign.version })
  const now = useRef(history.now)
  now.current = history.now
  const running = useRef<Promise<boolean> | null>(null)
  const gone = useRef(onGone)
  gone.current = onGone
  const told = useRef(onSaved)
  told.current = onSaved

  /** Everything that is written so far, at the server. False where it could not be kept. */
  const save = useCallback(async (): Promise<boolean> => {
    while (running.current) await running.current
    const changes = unsaved(kept.current.draft, now.current)
    if (!changes) {
      setSaving((before) => (before.state === 'conflict' ? before : { state: 'saved' }))
      return true
    }
    const wanted = now.current
    const work = (async () => {
      setSaving({ state: 'saving' })
      try {
        const { version } = await call(
          'update-campaign',
          { campaign_id: campaign.campaign_id, version: kept.current.version, ...changes },
          newKey(),
        )
        kept.current = { draft: { ...kept.current.draft, ...pick(wanted, changes) }, version }
        setSaving({ state: unsaved(kept.current.draft, now.current) ? 'waiting' : 'saved' })
        told.current?.()
        return true
      } catch (error) {
        const { code, message } = error as ApiError
        if (code === 'campaign_state' || code === 'not_found') gone.current()
        setSaving({ state: code === 'conflict' ? 'conflict' : 'failed', message })
        return false
      }
    })()
    running.current = work
    const done = await work
    running.current = null
    return done
  }, [campaign.campaign_id])

  /** The other window's version is overwritten by this one. */
  const keepMine = useCallback(async () => {
    const { campaign: theirs } = await call('get-campaign', { campaign_id: campaign.campaign_id })
    kept.current = { draft: draftOf(theirs), version: theirs.version }
    return save()
  }, [campaign.campaign_id, save])
  const takeTheirs = useCallback(async () => {
    const { campaign: theirs } = await call('get-campaign', { campaign_id: campaign.campaign_id })
    kept.current = { draft: draftOf(theirs), version: theirs.version }
    dispatch((of) => change(of, draftOf(theirs), 'theirs', Date.now()))
    setSaving({ state: 'saved' })
  }, [campaign.campaign_id])

  const blocked = saving.state === 'conflict'
  // biome-ignore lint/correctness/useExhaustiveDependencies: each change begins the wait anew
  useEffect(() => {
    if (blocked || !unsaved(kept.current.draft, now.current)) return
    setSaving((before) => (before.state === 'saving' ? before : { state: 'waiting' }))
    const timer = setTimeout(save, AFTER_MS)
    return () => clearTimeout(timer)
  }, [history.now, save, blocked])

  // A connection that is back carries what waited for it.
  useEffect(() => {
    const again = () => void save()
    addEventListener('online', again)
    return () => removeEventListener('online', again)
  }, [save])

  const isSaved = saving.state === 'saved'
  useEffect(() => {
    if (isSaved) return
    const ask = (event: BeforeUnloadEvent) => event.preventDefault()
    addEventListener('beforeunload', ask)
    return () => removeEventListener('beforeunload', ask)
  }, [isSaved])
  useEffect(() => () => void save(), [save])

  return {
    draft: history.now,
    saving,
    save,
    keepMine,
    takeTheirs,
    canUndo: history.past.length > 0,
    canRedo: history.future.length > 0,
    undo: useCallback(() => dispatch(undo), []),
    redo: useCallback(() => dispatch(redo), []),
    /** Keys in one field within a moment are one step back. */
    change: useCallback((values: Partial<Draft>, field: string) => dispatch((of) => change(of, values, field, Date.now())), []),
  }
}

const pick = (draft: Draft, keys: object) => Object.fromEntries(Object.keys(keys).map((key) => [key, draft[key as keyof Draft]]))
