import { AudioLines, Captions, Download, File, Image, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'react-router-dom'
import { call } from '../../api/call.ts'
import { here } from '../../pictures/picture.ts'
import { Button, IconButton } from '../../ui/Button.tsx'
import { copyText } from '../../ui/copy.ts'
import { day, fileSize } from '../../ui/format.ts'
import { attempt } from '../../ui/toast.tsx'
import type { KeptFile, Service } from './Shelf.tsx'

type Props = {
  file: KeptFile
  service: Service
  thumb: string | null
  /** The page of the app that shows it. */
  opens: string | null
  onDelete: () => void
}

const iconOf = (type: string) => (type.startsWith('image/') ? Image : type.startsWith('audio/') ? AudioLines : File)

export function FileRow({ file, service, thumb, opens, onDelete }: Props) {
  const { name, bytes, type, kept, url, created_at } = file
  const Icon = iconOf(type)
  const isPicture = service === 'media' && kept
  const isSound = service === 'media' && /^(?:audio|video)\//.test(type)
  return (
    <li className="px-4 py-3">
      <div className="flex items-center gap-3">
        {thumb ? (
          <img src={here(thumb)} alt="" loading="lazy" className="size-10 shrink-0 rounded-control bg-raised object-cover" />
        ) : (
          <span className="grid size-10 shrink-0 place-items-center rounded-control bg-raised text-muted [&_.lucide]:size-4">
            <Icon />
          </span>
        )}
        <div className="min-w-0 flex-1">
          {opens ? (
            <Link to={opens} className="block truncate text-14 hover:underline">
              {name}
            </Link>
          ) : (
            <p className="truncate text-14">{name}</p>
          )}
          <p className="text-12 text-faint">
            {fileSize(bytes)}, {day(created_at)}
            {kept && !isPicture ? ', used by a product' : ''}
          </p>
        </div>
        <a
          href={here(url)}
          download={name}
          aria-label={`Download ${name}`}
          data-tip="Download"
          className="grid size-8 place-items-center rounded-control text-muted hover:bg-raised hover:text-text max-md:size-11 [&_.lucide]:size-4"
        >
          <Download />
        </a>
        {kept && !isPicture ? null : (
          <IconButton label={`Delete ${name}`} onClick={onDelete}>
            <Trash2 />
          </IconButton>
        )}
      </div>
      {isSound ? (
        <div className="ml-13 max-md:ml-0">
          {type.startsWith('audio/') ? (
            // biome-ignore lint/a11y/useMediaCaption: a recording of one's own has none; its words are asked for beneath
            <audio controls preload="none" src={here(url)} aria-label={name} className="mt-2 h-9 w-full max-w-md" />
          ) : null}
          <Transcript id={file.id} />
        </div>
      ) : null}
    </li>
  )
}

/** The words of a recording, asked for by hand. */
function Transcript({ id }: { id: string }) {
  const [busy, setBusy] = useState(false)
  const [found, setFound] = useState<{ text: string; confidence: number | null } | null>(null)
  const ask = () =>
    attempt('Not transcribed', async () => {
      setBusy(true)
      try {
        setFound(await call('transcribe-file', { file_id: id }))
      } finally {
        setBusy(false)
      }
    })
  if (!found)
    return (
      <Button variant="ghost" className="mt-1 -ml-3" onClick={() => void ask()} busy={busy ? 'Transcribing' : false}>
        <Captions />
        Transcribe
      </Button>
    )
  return (
    <div className="mt-2 rounded-control bg-raised px-3 py-2 text-13">
      <p className="whitespace-pre-wrap">{found.text || 'No words were heard.'}</p>
      <p className="mt-1 flex items-center gap-2 text-12 text-faint">
        {found.confidence === null ? null : `${Math.round(found.confidence * 100)}% sure`}
        {found.text ? (
          <Button variant="ghost" onClick={() => void copyText(found.text, 'Text copied')}>
            Copy
          </Button>
        ) : null}
      </p>
    </div>
  )
}
