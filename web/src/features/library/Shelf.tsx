import type { CallReply } from '@operon/contracts/calls'
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { FileUp } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { call, useCall } from '../../api/call.ts'
import { loadBackend } from '../../api/session.ts'
import { startUpload, useUploads } from '../../api/uploads.ts'
import { paths } from '../../paths.ts'
import { Button, FileButton } from '../../ui/Button.tsx'
import { GeneMeter } from '../../ui/Data.tsx'
import { SearchForm } from '../../ui/Field.tsx'
import { fileSize } from '../../ui/format.ts'
import { Asked, EmptyState, Panel } from '../../ui/Panel.tsx'
import { toast } from '../../ui/toast.tsx'
import { FileRow } from './FileRow.tsx'

export type Service = 'media' | 'marketplace'
export type KeptFile = CallReply<'media-files'>['files'][number]

const UNDO_MS = 10_000
const empty: Record<Service, string> = {
  media: 'Add recordings, pictures and other files here, or make an image in the Image Studio.',
  marketplace: 'Files and pictures of your products are listed here once you add them to one.',
}

export function Shelf({ service, q, onSearch }: { service: Service; q: string; onSearch: (words: string) => void }) {
  const list = useInfiniteQuery({
    queryKey: [`${service}-files`, q],
    queryFn: ({ pageParam, signal }) => call(`${service}-files`, { after: pageParam, ...(q && { q }) }, { signal }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
    refetchInterval: 90 * 60_000,
  })
  const leaving = useLeaving(service)
  const files = (list.data?.pages.flatMap((page) => page.files) ?? []).filter(({ id }) => !leaving.ids.includes(id))
  const first = list.data?.pages[0]
  const pictures = useCall(
    'find-images',
    {
      ids: files
        .filter(({ kept }) => service === 'media' && kept)
        .map(({ id }) => id)
        .slice(0, 60),
    },
    { enabled: service === 'media' && files.some(({ kept }) => kept) },
  )
  const thumbs = new Map(pictures.data?.pictures.map((picture) => [picture.id, picture]))

  return (
    <div className="flex flex-col gap-6 pt-5">
      {first ? (
        <div className="max-w-md">
          <GeneMeter label="Space used" used={first.used_bytes} limit={first.quota_bytes} format={fileSize} />
          {service === 'media' ? (
            <p className="mt-2 text-12 text-faint">Texts that were read aloud are kept for 30 days and take none of it.</p>
          ) : null}
        </div>
      ) : null}
      <Panel title="Files" flush actions={service === 'media' ? <AddFiles /> : undefined}>
        <div className="border-b border-line px-4 py-3">
          <SearchForm label="Search names" value={q} onSearch={onSearch} />
        </div>
        <Uploading />
        <Asked query={list} skeleton="m-4 h-24" failed="Your files could not be loaded" />
        {list.isSuccess && files.length === 0 ? (
          <EmptyState title={q ? 'No matches' : 'No files yet'}>{q ? `No file here has “${q}” in its name.` : empty[service]}</EmptyState>
        ) : null}
        <ul className="divide-y divide-line">
          {files.map((file) => (
            <FileRow
              key={file.id}
              file={file}
              service={service}
              thumb={thumbs.get(file.id)?.thumb_url ?? null}
              opens={service === 'media' && file.kept ? `${paths.images}?image=${file.id}` : null}
              onDelete={() => leaving.drop(file)}
            />
          ))}
        </ul>
        {list.hasNextPage ? (
          <div className="p-4">
            <Button onClick={() => void list.fetchNextPage()} busy={list.isFetchingNextPage}>
              Show more
            </Button>
          </div>
        ) : null}
      </Panel>
    </div>
  )
}

function AddFiles() {
  const queries = useQueryClient()
  return (
    <FileButton
      multiple
      onFiles={(files) => {
        for (const file of files) void startUpload('library', 'media', file, () => queries.invalidateQueries({ queryKey: ['media-files'] }))
      }}
    >
      <FileUp />
      Add files
    </FileButton>
  )
}

function Uploading() {
  return useUploads('library')
    .filter(({ state }) => state !== 'choose')
    .map(({ key, name, sent, bytes, problem }) => (
      <p key={key} role="status" className="px-4 pt-3 text-13 text-muted">
        {name}: {problem ?? `${Math.floor((sent / Math.max(1, bytes)) * 100)}%`}
      </p>
    ))
}

/** Deleted files leave the list at once and the server ten seconds later, or when the page is left: until then they can come back. */
function useLeaving(service: Service) {
  const queries = useQueryClient()
  const [ids, setIds] = useState<string[]>([])
  const waiting = useRef(new Map<string, () => void>())
  useEffect(() => {
    const all = waiting.current
    const flush = () => {
      for (const remove of all.values()) remove()
    }
    addEventListener('pagehide', flush)
    return () => {
      removeEventListener('pagehide', flush)
      flush()
    }
  }, [])

  async function remove(file: KeptFile) {
    waiting.current.delete(file.id)
    try {
      await deleted(service, file)
    } catch (error) {
      setIds((before) => before.filter((id) => id !== file.id))
      toast.error(`${file.name} was not deleted`, (error as Error).message)
    }
    await queries.invalidateQueries({ queryKey: [`${service}-files`] })
  }
  function drop(file: KeptFile) {
    setIds((before) => [...before, file.id])
    const timer = setTimeout(() => void remove(file), UNDO_MS)
    waiting.current.set(file.id, () => {
      clearTimeout(timer)
      void remove(file)
    })
    toast.undo(`${file.name} deleted`, () => {
      clearTimeout(timer)
      waiting.current.delete(file.id)
      setIds((before) => before.filter((id) => id !== file.id))
    })
  }
  return { ids, drop }
}

/** A picture goes by the studio's own deletion, which ends its public link too. */
async function deleted(service: Service, { id, kept }: KeptFile): Promise<void> {
  if (service === 'media' && kept) return void (await call('delete-image', { picture_id: id }))
  const { authed } = await loadBackend()
  const response = await authed(`/files/v1/${service}/~uploads/${id}`, {
    method: 'DELETE',
    headers: { 'tus-resumable': '1.0.0' },
    keepalive: true,
  })
  if (response.ok || response.status === 404) return
  const body = (await response.json().catch(() => null)) as { message?: string } | null
  throw new Error(body?.message ?? 'Try again in a moment.')
}
