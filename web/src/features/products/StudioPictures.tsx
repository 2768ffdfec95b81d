import { useInfiniteQuery } from '@tanstack/react-query'
import { Check, Sparkles } from 'lucide-react'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import { paths } from '../../paths.ts'
import { Button, ButtonLink } from '../../ui/Button.tsx'
import { cx } from '../../ui/cx.ts'
import { Dialog } from '../../ui/Dialog.tsx'
import { TextField } from '../../ui/Field.tsx'
import { EmptyState, ErrorState, Skeleton } from '../../ui/Panel.tsx'
import { ShowMore } from '../../ui/ShowMore.tsx'
import { attempt } from '../../ui/toast.tsx'
import { newKey } from './queries.ts'

type Props = { room: number; onClose: () => void; onChosen: (fileIds: string[]) => void }
const WIDTH = 1600

/** Pictures that the seller made in the Image Studio. A product gets copies of its own, so that it keeps them when the original is deleted. */
export function StudioPictures({ room, onClose, onChosen }: Props) {
  const [q, setQ] = useState('')
  const [chosen, setChosen] = useState<string[]>([])
  const [busy, setBusy] = useState(false)
  const list = useInfiniteQuery({
    queryKey: ['list-images', 'picker', q],
    queryFn: ({ pageParam }) => call('list-images', { limit: 30, ...(q && { q }), ...(pageParam && { after: pageParam }) }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next ?? undefined,
    placeholderData: (before) => before,
  })
  const pictures = list.data?.pages.flatMap((page) => page.pictures).filter(({ state, thumb_url }) => state === 'done' && thumb_url) ?? []
  const toggle = (id: string) =>
    setChosen((before) => (before.includes(id) ? before.filter((each) => each !== id) : before.length < room ? [...before, id] : before))

  async function add() {
    setBusy(true)
    await attempt('The pictures were not added', async () => {
      const copies = []
      for (const picture_id of chosen)
        copies.push(await call('marketplace-file-from-picture', { picture_id, width: WIDTH }, { idempotencyKey: newKey() }))
      onChosen(copies.map(({ file_id }) => file_id))
      onClose()
    })
    setBusy(false)
  }
  return (
    <Dialog
      open
      onClose={onClose}
      title="Pictures from the Image Studio"
      description={room === 1 ? 'Choose one.' : `Choose up to ${room}.`}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" busy={busy} disabled={!chosen.length} onClick={() => void add()}>
            {chosen.length > 1 ? `Add ${chosen.length} pictures` : 'Add picture'}
          </Button>
        </>
      }
    >
      <TextField
        label="Search by prompt"
        type="search"
        value={q}
        maxLength={200}
        onChange={(event) => setQ(event.target.value)}
        data-first
      />
      {list.isError && !list.data ? (
        <ErrorState title="Your pictures could not be loaded" error={list.error} retry={() => list.refetch()} />
      ) : null}
      {list.isPending ? <Skeleton className="mt-4 h-40" /> : null}
      {list.data && !pictures.length ? (
        <EmptyState
          compact
          title={q ? 'No pictures match' : 'No pictures yet'}
          action={
            <ButtonLink to={paths.images}>
              <Sparkles />
              Open the Image Studio
            </ButtonLink>
          }
        >
          {q ? 'Try another word of the prompt.' : 'Pictures you make in the Image Studio show here.'}
        </EmptyState>
      ) : null}
      <ul aria-label="Your pictures" className="mt-4 grid grid-cols-2 gap-2 empty:hidden sm:grid-cols-3">
        {pictures.map(({ id, prompt, thumb_url }) => (
          <li key={id}>
            <button
              type="button"
              aria-pressed={chosen.includes(id)}
              aria-label={prompt}
              onClick={() => toggle(id)}
              className={cx(
                'relative block w-full overflow-hidden rounded-control outline-offset-2',
                chosen.includes(id) && 'outline-2 outline-signal-text',
              )}
            >
              <img src={thumb_url!} alt="" loading="lazy" className="aspect-square w-full bg-raised object-cover" />
              {chosen.includes(id) ? (
                <span className="absolute top-1.5 right-1.5 rounded-full bg-signal p-1 text-ink">
                  <Check className="size-3.5" />
                </span>
              ) : null}
            </button>
          </li>
        ))}
      </ul>
      <ShowMore of={list} className="mt-4" />
    </Dialog>
  )
}
