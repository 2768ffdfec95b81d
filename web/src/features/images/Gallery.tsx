import { useInfiniteQuery } from '@tanstack/react-query'
import { Bookmark, Link2 } from 'lucide-react'
import { memo, useEffect, useRef, useState } from 'react'
import { call } from '../../api/call.ts'
import { blurOf, here, type Picture } from '../../pictures/picture.ts'
import { Button } from '../../ui/Button.tsx'
import { cx } from '../../ui/cx.ts'
import { TextField } from '../../ui/Field.tsx'
import { Asked, EmptyState, Panel, Skeleton } from '../../ui/Panel.tsx'
import { BoardFilter } from './Boards.tsx'
import { FEW_PAGES, type Filter } from './gallery.ts'

const PAGE = 60
const WAIT_MS = 250

type Props = Filter & { onFilter: (filter: Partial<Filter>) => void; onOpen: (picture: Picture) => void }

export function Gallery({ q, saved, board, onFilter, onOpen }: Props) {
  const [typed, setTyped] = useState(q)
  const list = useInfiniteQuery({
    queryKey: ['list-images', { q, saved, board } satisfies Filter],
    queryFn: ({ pageParam, signal }) =>
      call(
        'list-images',
        { limit: PAGE, after: pageParam, ...(q && { q }), ...(saved && { saved }), ...(board && { board_id: board }) },
        { signal },
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
    // Addresses of the files run out after an hour.
    refetchInterval: 45 * 60_000,
    refetchOnWindowFocus: ({ state }) => (state.data?.pages.length ?? 0) <= FEW_PAGES,
  })
  useEffect(() => setTyped(q), [q])
  useEffect(() => {
    if (typed.trim() === q) return
    const timer = setTimeout(() => onFilter({ q: typed.trim() }), WAIT_MS)
    return () => clearTimeout(timer)
  }, [typed, q, onFilter])
  const pages = list.data?.pages ?? []
  const none = list.isSuccess && pages[0]?.pictures.length === 0

  return (
    <Panel title="Gallery" flush>
      <div className="flex flex-wrap items-end gap-3 border-b border-line px-4 py-3">
        <TextField
          label="Search prompts"
          type="search"
          placeholder="bicycle"
          className="min-w-0"
          maxLength={200}
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
        />
        <fieldset className="flex gap-1">
          <legend className="sr-only">Which images</legend>
          {[false, true].map((only) => (
            <Button
              key={String(only)}
              variant={saved === only ? 'secondary' : 'ghost'}
              aria-pressed={saved === only}
              onClick={() => onFilter({ saved: only })}
            >
              {only ? 'Saved' : 'All'}
            </Button>
          ))}
        </fieldset>
        <BoardFilter board={board} onChoose={(next) => onFilter({ board: next })} />
      </div>
      {list.isPending ? <Waiting /> : null}
      <Asked query={list} failed="Your images could not be loaded" />
      {none ? (
        <EmptyState title={q || saved ? 'No matches' : board ? 'Nothing on this board yet' : 'No images yet'}>
          {q || saved
            ? 'No image of yours fits this filter.'
            : board
              ? 'Open an image and choose Add to board.'
              : 'Describe a picture above. What you make is kept here.'}
        </EmptyState>
      ) : null}
      {pages.map(({ pictures }, at) => (
        <Chunk key={pictures[0]?.id ?? at} pictures={pictures} onOpen={onOpen} />
      ))}
      {list.hasNextPage ? <More onSeen={() => void list.fetchNextPage()} /> : null}
    </Panel>
  )
}

const grid = 'grid grid-cols-3 gap-1 p-1 sm:grid-cols-4 lg:grid-cols-5 2xl:grid-cols-6'

function Waiting() {
  return (
    <div className={grid} aria-hidden="true">
      {[...'abcdefghijkl'].map((each) => (
        <Skeleton key={each} className="aspect-square" />
      ))}
    </div>
  )
}

/** A page of the gallery. Out of sight it is an empty box of its height, so ten thousand images cost what a few rows do. */
const Chunk = memo(function Chunk({ pictures, onOpen }: { pictures: Picture[]; onOpen: Props['onOpen'] }) {
  const box = useRef<HTMLDivElement>(null)
  const [near, setNear] = useState(true)
  const [height, setHeight] = useState(0)
  useEffect(() => {
    const element = box.current!
    const seen = new IntersectionObserver(
      ([entry]) => {
        if (!entry!.isIntersecting) setHeight(element.offsetHeight)
        setNear(entry!.isIntersecting)
      },
      { rootMargin: '1200px 0px' },
    )
    seen.observe(element)
    return () => seen.disconnect()
  }, [])
  return (
    <div ref={box} style={near ? undefined : { height }}>
      {near ? (
        <ul className={grid}>
          {pictures.map((picture) => (
            <Thumb key={picture.id} picture={picture} onOpen={onOpen} />
          ))}
        </ul>
      ) : null}
    </div>
  )
})

const Thumb = memo(function Thumb({ picture, onOpen }: { picture: Picture; onOpen: Props['onOpen'] }) {
  const { prompt, saved, shared, thumb_url, thumbhash } = picture
  return (
    <li>
      <button
        type="button"
        onClick={() => onOpen(picture)}
        aria-label={`Open: ${prompt}`}
        className="group relative block aspect-square w-full overflow-hidden rounded-[4px] bg-raised bg-cover bg-center"
        style={{ backgroundImage: `url(${blurOf(thumbhash)})` }}
      >
        <img src={here(thumb_url!)} alt="" loading="lazy" decoding="async" className="size-full object-cover" />
        {saved || shared ? (
          <span className="absolute top-1 right-1 flex gap-1 rounded-control bg-panel/85 p-1 text-text [&_.lucide]:size-3.5">
            {saved ? <Bookmark aria-label="Saved" /> : null}
            {shared ? <Link2 aria-label="Has a public link" /> : null}
          </span>
        ) : null}
        <span
          className={cx(
            'absolute inset-x-0 bottom-0 truncate bg-panel/85 px-2 py-1 text-left text-12 text-text opacity-0',
            'group-hover:opacity-100 group-focus-visible:opacity-100 max-md:hidden',
          )}
        >
          {prompt}
        </span>
      </button>
    </li>
  )
})

function More({ onSeen }: { onSeen: () => void }) {
  const end = useRef<HTMLDivElement>(null)
  const seen = useRef(onSeen)
  seen.current = onSeen
  useEffect(() => {
    const watch = new IntersectionObserver(([entry]) => entry!.isIntersecting && seen.current(), { rootMargin: '1500px 0px' })
    watch.observe(end.current!)
    return () => watch.disconnect()
  })
  return (
    <div ref={end}>
      <Waiting />
    </div>
  )
}
