import { useInfiniteQuery } from '@tanstack/react-query'
import { Images, ImageUp } from 'lucide-react'
import { useState } from 'react'
import { call } from '../api/call.ts'
import { startUpload, useUploads } from '../api/uploads.ts'
import { paths } from '../paths.ts'
import { Button, FileButton } from '../ui/Button.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { SearchForm } from '../ui/Field.tsx'
import { Asked, EmptyState } from '../ui/Panel.tsx'
import { attempt, toast } from '../ui/toast.tsx'
import { blurOf, here } from './picture.ts'

/** A picture that anybody may load by its address, such as one of an email. */
export type PublicPicture = { url: string; width: number; height: number; alt: string }
type Source = { picture_id: string } | { file_id: string }

const UPLOADS = 'picture-picker'
const LARGEST = 25 * 1024 * 1024
const TYPES = ['image/png', 'image/jpeg', 'image/webp']

export const publishPicture = (source: Source): Promise<PublicPicture> =>
  call('publish-image', source, { idempotencyKey: crypto.randomUUID() })

/** Opens the choice among the pictures of a person's own. */
export function PickPicture({ onPick }: { onPick: (picture: PublicPicture) => void }) {
  const [open, setOpen] = useState(false)
  return (
    <>
      <Button onClick={() => setOpen(true)} className="self-start">
        <Images />
        Choose a picture
      </Button>
      {open ? (
        <PicturePicker
          onClose={() => setOpen(false)}
          onPick={(picture) => {
            onPick(picture)
            setOpen(false)
          }}
        />
      ) : null}
    </>
  )
}

function PicturePicker({ onClose, onPick }: { onClose: () => void; onPick: (picture: PublicPicture) => void }) {
  const [q, setQ] = useState('')
  const [busy, setBusy] = useState<string | null>(null)
  const uploads = useUploads(UPLOADS).filter(({ state }) => state !== 'choose')
  const list = useInfiniteQuery({
    queryKey: ['list-images', { q, picker: true }],
    queryFn: ({ pageParam, signal }) => call('list-images', { after: pageParam, ...(q && { q }) }, { signal }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
  })
  const pictures = list.data?.pages.flatMap((page) => page.pictures) ?? []
  const pick = (id: string, source: Source) =>
    attempt('The picture could not be taken', async () => {
      setBusy(id)
      try {
        onPick(await publishPicture(source))
      } finally {
        setBusy(null)
      }
    })
  const upload = ([file]: File[]) => {
    if (!file) return
    if (file.size > LARGEST) return void toast.error(`${file.name} is larger than 25 MB`)
    void startUpload(UPLOADS, 'media', file, (file_id) => pick(file_id, { file_id }))
  }
  return (
    <Dialog
      open
      onClose={onClose}
      title="Choose a picture"
      description="A copy gets a public address. It stays in your Library, and goes when you delete it there."
      className="md:w-[min(46rem,calc(100vw-2rem))]"
    >
      <div className="flex flex-wrap items-end gap-3">
        <div className="min-w-0 flex-1">
          <SearchForm label="Search prompts" value={q} onSearch={setQ} />
        </div>
        <FileButton accept={TYPES.join()} onFiles={upload}>
          <ImageUp />
          Upload
        </FileButton>
      </div>
      {uploads.map(({ key, name, sent, bytes, problem }) => (
        <p key={key} role="status" className="mt-2 text-12 text-faint">
          {name}: {problem ?? `${Math.floor((sent / Math.max(1, bytes)) * 100)}%`}
        </p>
      ))}
      <Asked query={list} skeleton="mt-4 h-40" failed="Your images could not be loaded" />
      {list.isSuccess && pictures.length === 0 ? (
        <EmptyState title={q ? 'No matches' : 'No images yet'} compact>
          {q ? 'No image of yours fits these words.' : 'Upload a picture here, or make one in the '}
          {q ? null : (
            <a href={paths.images} className="text-signal-text underline">
              Image Studio
            </a>
          )}
        </EmptyState>
      ) : null}
      <ul className="mt-4 grid grid-cols-3 gap-2 sm:grid-cols-4">
        {pictures.map(({ id, prompt, thumb_url, thumbhash }) => (
          <li key={id}>
            <button
              type="button"
              disabled={busy !== null}
              aria-busy={busy === id}
              aria-label={`Take: ${prompt}`}
              onClick={() => void pick(id, { picture_id: id })}
              className="block aspect-square w-full overflow-hidden rounded-control bg-raised bg-cover bg-center hairline disabled:opacity-60"
              style={{ backgroundImage: `url(${blurOf(thumbhash)})` }}
            >
              <img src={here(thumb_url!)} alt="" loading="lazy" decoding="async" className="size-full object-cover" />
            </button>
          </li>
        ))}
      </ul>
      {list.hasNextPage ? (
        <Button className="mt-3" onClick={() => void list.fetchNextPage()} busy={list.isFetchingNextPage ? 'Loading' : false}>
          Show more
        </Button>
      ) : null}
    </Dialog>
  )
}
