import type { CallArgs } from '@operon/contracts/calls'
import { FALLBACK_IMAGE_MODEL, isDrawer } from '@operon/contracts/media/images'
import { texts } from '@operon/contracts/messages'
import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useRef, useState } from 'react'
import { call } from '../../api/call.ts'
import { ApiError } from '../../api/http.ts'
import { useLive } from '../../api/live.ts'
import { isOpen, type Picture } from '../../pictures/picture.ts'
import { toast } from '../../ui/toast.tsx'
import { galleryOf } from './gallery.ts'

type Order = CallArgs<'start-images'>
type News = { picture_id: string; state: string; percent: number; fell_back: boolean; preview?: string }
/** A picture of the order that is on the screen. */
export type Tile = Picture & { preview?: string }
export type Trouble = { message: string; atLimit: boolean }

const LOOKS_EVERY_MS = 4_000

/**
 * The pictures of the last order, as they come along. They are drawn by the server: a page that is closed loses nothing, and one that opens
 * finds those that are still being made.
 */
export function useBatch() {
  const queries = useQueryClient()
  const [tiles, setTiles] = useState<Tile[]>([])
  const [demo, setDemo] = useState(false)
  /** Pictures of orders before the last one that are still being made: the gallery is to show them. */
  const [earlier, setEarlier] = useState<string[]>([])
  const [starting, setStarting] = useState(false)
  const [trouble, setTrouble] = useState<Trouble | null>(null)
  const last = useRef<Order | null>(null)
  const said = useRef(new Set<string>())
  const open = tiles.some(isOpen)

  const merge = useCallback((found: Picture[]) => {
    setTiles((before) => before.map((tile) => ({ ...tile, ...found.find(({ id }) => id === tile.id) })))
  }, [])
  const look = useCallback(
    async (ids: string[]) => {
      if (!ids.length) return
      const { pictures } = await call('find-images', { ids })
      merge(pictures)
      const ended = pictures.filter((picture) => !isOpen(picture))
      if (!ended.length) return
      setEarlier((before) => before.filter((id) => !ended.some((picture) => picture.id === id)))
      galleryOf(queries).put(ended.filter(({ state }) => state === 'done'))
    },
    [merge, queries],
  )

  // Jobs that began before this page was opened.
  useEffect(() => {
    void call('find-images', {})
      .then(({ pictures }) => setTiles((now) => (now.length ? now : pictures)))
      .catch(() => {})
  }, [])

  const waiting = [...tiles.filter(isOpen).map(({ id }) => id), ...earlier].join()
  // The socket tells of each step; this finds out what it missed.
  useEffect(() => {
    if (!waiting) return
    const timer = setInterval(() => void look(waiting.split(',')).catch(() => {}), LOOKS_EVERY_MS)
    return () => clearInterval(timer)
  }, [waiting, look])

  useLive<News>(
    'picture',
    useCallback(
      (news) => {
        if (!news) return
        setTiles((before) =>
          before.map((tile) =>
            tile.id === news.picture_id && isOpen(tile)
              ? {
                  ...tile,
                  percent: Math.max(tile.percent, news.percent),
                  ...(news.state === 'running' && { state: 'running' as const }),
                  ...(news.fell_back && { used_model: FALLBACK_IMAGE_MODEL }),
                  ...(news.preview && { preview: news.preview }),
                }
              : tile,
          ),
        )
        if (news.state !== 'running') void look([news.picture_id]).catch(() => {})
      },
      [look],
    ),
  )

  // Said once an order, when all of it is known.
  useEffect(() => {
    const [first] = tiles
    if (!first) return
    const once = (what: string, say: () => void) => {
      if (said.current.has(what)) return
      said.current.add(what)
      say()
    }
    if (tiles.some(({ model, used_model }) => model !== used_model))
      once(`${first.batch_id} fallback`, () => toast.error(texts.imagesRetrying))
    if (open) return
    const made = tiles.filter(({ state }) => state === 'done')
    // Its tile says why, where it could not be enlarged.
    if (!isDrawer(first.model))
      return once(`${first.id} end`, () => {
        if (first.state === 'done') toast.success(`Enlarged to ${first.size}`)
      })
    once(`${first.batch_id} end`, () => {
      if (made.length) toast.success(texts.imagesGenerated(made.length))
      const failed = tiles.filter(({ state }) => state === 'failed')
      const refused = failed.find(({ problem }) => problem?.code === 'image_refused' || problem?.code === 'storage_quota')
      if (refused) setTrouble({ message: refused.problem!.message, atLimit: refused.problem!.code === 'storage_quota' })
      // Demo pictures offer to try again, which only a page can that knows the order.
      else if (!made.length && failed.length && last.current)
        showDemo(
          setDemo,
          failed.every(({ problem }) => problem?.code === 'image_empty'),
        )
    })
  }, [tiles, open])

  function show(next: Picture[]) {
    setEarlier((before) => [...before, ...tiles.filter(isOpen).map(({ id }) => id)])
    setTiles(next)
  }

  async function generate(order: Order): Promise<void> {
    last.current = order
    setDemo(false)
    setTrouble(null)
    setStarting(true)
    try {
      const begin = (asked: Order) => call('start-images', asked, { idempotencyKey: crypto.randomUUID() })
      const { pictures } = await begin(order).catch((error: unknown) => {
        if (!isAway(error)) throw error
        toast.error(texts.imagesRetrying)
        return begin({ ...order, model: FALLBACK_IMAGE_MODEL })
      })
      show(pictures)
    } catch (error) {
      show([])
      if (isAway(error)) showDemo(setDemo, false)
      else setTrouble({ message: (error as Error).message, atLimit: error instanceof ApiError && error.status === 402 })
    } finally {
      setStarting(false)
    }
  }

  async function cancel(id: string) {
    const { cancelled } = await call('cancel-image', { picture_id: id })
    if (cancelled) setTiles((before) => before.map((tile) => (tile.id === id ? { ...tile, state: 'cancelled' as const } : tile)))
  }
  async function retry(id: string) {
    setDemo(false)
    const again = await call('retry-image', { picture_id: id }, { idempotencyKey: crypto.randomUUID() })
    last.current ??= { prompt: again.prompt }
    setTiles((before) => before.map((tile) => (tile.id === id ? again : tile)))
  }
  async function enlarge(id: string) {
    const larger = await call('upscale-image', { picture_id: id }, { idempotencyKey: crypto.randomUUID() })
    setDemo(false)
    setTrouble(null)
    last.current = null
    show([larger])
  }
  const again = () => last.current && void generate(last.current)
  const forget = (id: string) => setTiles((before) => before.filter((tile) => tile.id !== id))

  return { tiles, demo, trouble, busy: starting || open, starting, generate, cancel, retry, enlarge, again, forget, merge }
}

function showDemo(set: (demo: boolean) => void, empty: boolean) {
  set(true)
  if (empty) toast.info(texts.imagesDemoData)
  else toast.error(texts.imagesDemo)
}

/** The service did not answer, as against having refused. */
const isAway = (error: unknown) => !(error instanceof ApiError) || error.status >= 500
