import { isProgramName } from '@operon/contracts/marketplace/programs'
import { Paperclip, X } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { cancelUpload, removeUpload, startUpload, type Upload, useUploads } from '../api/uploads.ts'
import { Button, FileButton, IconButton } from '../ui/Button.tsx'
import { fileSize } from '../ui/format.ts'
import { toast } from '../ui/toast.tsx'

export type Attached = { id: string; name: string; bytes: number }
const MOST = 5
const LARGEST = 25 * 1024 * 1024

/** The files of the next message: those that are here, and those on their way. */
export function useAttachments(of: string) {
  const [files, setFiles] = useState<Attached[]>([])
  const unsent = useRef(files)
  unsent.current = files
  // A conversation that is closed keeps nothing of what was not sent.
  useEffect(() => () => unsent.current.forEach(({ id }) => void removeUpload('marketplace', id)), [])
  const uploads = useUploads(of).filter(({ state }) => state !== 'choose')
  function add(chosen: File[]) {
    const room = MOST - files.length - uploads.length
    if (chosen.length > room) toast.error(`A message takes up to ${MOST} files`)
    for (const file of chosen.slice(0, Math.max(0, room)))
      if (file.size > LARGEST) toast.error(`${file.name} is larger than 25 MB`)
      else if (!file.size) toast.error(`${file.name} is empty`)
      else if (isProgramName(file.name)) toast.error(`${file.name} is a program`, 'Put programs into a .zip archive.')
      else
        void startUpload(of, 'marketplace', file, async (id) =>
          setFiles((before) => [...before, { id, name: file.name, bytes: file.size }]),
        )
  }
  return {
    files,
    uploads,
    /** Until all of them are here, the message waits. */
    busy: uploads.some(({ state }) => state === 'sending' || state === 'waiting'),
    full: files.length + uploads.length >= MOST,
    add,
    remove(file: Attached) {
      setFiles((before) => before.filter(({ id }) => id !== file.id))
      void removeUpload('marketplace', file.id)
    },
    clear: () => setFiles([]),
  }
}

type Held = ReturnType<typeof useAttachments>

const GUEST_BYTES = 10 * 1024 * 1024
/** Files of a guest, who has no space to send them to: they go with the message. */
export function useGuestFiles(): Held & { chosen: File[] } {
  const [chosen, setChosen] = useState<{ id: string; file: File }[]>([])
  const bytes = chosen.reduce((sum, { file }) => sum + file.size, 0)
  function add(files: File[]) {
    const room = MOST - chosen.length
    if (files.length > room) toast.error(`A message takes up to ${MOST} files`)
    let left = GUEST_BYTES - bytes
    for (const file of files.slice(0, Math.max(0, room)))
      if (!file.size) toast.error(`${file.name} is empty`)
      else if (isProgramName(file.name)) toast.error(`${file.name} is a program`, 'Put programs into a .zip archive.')
      else if (file.size > left) toast.error(`${file.name} does not fit`, 'Without an account, the files of a message can be 10 MB in all.')
      else {
        left -= file.size
        setChosen((before) => [...before, { id: crypto.randomUUID(), file }])
      }
  }
  return {
    files: chosen.map(({ id, file }) => ({ id, name: file.name, bytes: file.size })),
    chosen: chosen.map(({ file }) => file),
    uploads: [],
    busy: false,
    full: chosen.length >= MOST,
    add,
    remove: ({ id }) => setChosen((before) => before.filter((each) => each.id !== id)),
    clear: () => setChosen([]),
  }
}

export function AttachButton({ held }: { held: Held }) {
  return (
    <FileButton size="public" multiple disabled={held.full} onFiles={held.add}>
      <Paperclip />
      Attach files
    </FileButton>
  )
}

export function AttachedList({ held: { files, uploads, remove } }: { held: Held }) {
  if (!files.length && !uploads.length) return null
  return (
    <ul aria-label="Attached files" className="flex flex-col gap-1.5">
      {files.map((file) => (
        <Line key={file.id} name={file.name} says={fileSize(file.bytes)} onRemove={() => remove(file)} />
      ))}
      {uploads.map((upload) => (
        <Line key={upload.key} name={upload.name} says={standing(upload)} onRemove={() => void cancelUpload(upload)} live />
      ))}
    </ul>
  )
}

const standing = ({ problem, state, sent, bytes }: Upload) =>
  problem ?? (state === 'waiting' ? 'Waiting for the connection' : `${Math.floor((sent / Math.max(1, bytes)) * 100)}%`)

function Line({ name, says, onRemove, live }: { name: string; says: string; onRemove: () => void; live?: boolean }) {
  return (
    <li className="flex items-center gap-2 rounded-control bg-raised px-3 py-1 text-13 hairline">
      <Paperclip className="size-3.5 shrink-0 text-muted" />
      <span className="min-w-0 flex-1 truncate">{name}</span>
      <span className="text-12 text-muted tabular" role={live ? 'status' : undefined}>
        {says}
      </span>
      <IconButton label={`Remove ${name}`} variant="ghost" onClick={onRemove}>
        <X />
      </IconButton>
    </li>
  )
}

/** A file that somebody sent, to be saved. */
export function SentFile({ name, bytes, onOpen }: { name: string; bytes: number; onOpen: () => unknown }) {
  return (
    <Button className="mt-2 max-w-full" onClick={onOpen}>
      <Paperclip className="shrink-0" />
      <span className="truncate">{name}</span>
      <span className="text-muted">{fileSize(bytes)}</span>
    </Button>
  )
}
