import { MOST_IMAGE_REFERENCES } from '@operon/contracts/media/images'
import { ImagePlus, X } from 'lucide-react'
import { type ClipboardEvent, type DragEvent, type ReactNode, useState } from 'react'
import { startUpload, useUploads } from '../../api/uploads.ts'
import { FileButton, IconButton } from '../../ui/Button.tsx'
import { cx } from '../../ui/cx.ts'
import { toast } from '../../ui/toast.tsx'

/** A picture of the person's own to draw from: its id once it is uploaded, and an address of this page to show it. */
export type Reference = { id: string; name: string; shown: string }

const OF = 'image-references'
const LARGEST = 25 * 1024 * 1024
const TYPES = ['image/png', 'image/jpeg', 'image/webp']

type Props = {
  references: Reference[]
  onChange: (next: (before: Reference[]) => Reference[]) => void
  disabled: string | null
  children: ReactNode
}

/** Around the prompt: pictures are dropped or pasted there, or chosen. */
export function References({ references, onChange, disabled, children }: Props) {
  const [over, setOver] = useState(false)
  const uploads = useUploads(OF).filter(({ state }) => state !== 'choose')

  function add(files: File[]) {
    const pictures = files.filter(({ type }) => TYPES.includes(type))
    if (pictures.length === 0) return false
    if (disabled) {
      toast.info('Not added', disabled)
      return true
    }
    for (const file of pictures.slice(0, MOST_IMAGE_REFERENCES - references.length - uploads.length)) {
      if (file.size > LARGEST) toast.error(`${file.name} is larger than 25 MB`)
      else
        void startUpload(OF, 'media', file, async (id) =>
          onChange((before) => [...before, { id, name: file.name, shown: URL.createObjectURL(file) }].slice(0, MOST_IMAGE_REFERENCES)),
        )
    }
    return true
  }
  const drop = (event: DragEvent) => {
    setOver(false)
    if (add([...event.dataTransfer.files])) event.preventDefault()
  }
  const paste = (event: ClipboardEvent) => {
    if (add([...event.clipboardData.files])) event.preventDefault()
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping and pasting are shortcuts; the button is everybody's
    <div
      onDragOver={(event) => {
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
      onPaste={paste}
      className={cx('flex flex-col gap-2 rounded-control', over && 'bg-signal-soft')}
    >
      {children}
      {disabled ? null : (
        <div className="flex flex-wrap items-center gap-2">
          {references.map(({ id, name, shown }) => (
            <span key={id} className="relative">
              <img src={shown} alt={name} className="size-14 rounded-control object-cover" />
              <span className="absolute -top-1.5 -right-1.5 rounded-full bg-panel">
                <IconButton
                  label={`Take out ${name}`}
                  variant="secondary"
                  onClick={() => {
                    URL.revokeObjectURL(shown)
                    onChange((before) => before.filter((each) => each.id !== id))
                  }}
                >
                  <X />
                </IconButton>
              </span>
            </span>
          ))}
          {references.length < MOST_IMAGE_REFERENCES ? (
            <FileButton multiple accept={TYPES.join()} onFiles={add}>
              <ImagePlus />
              Add a picture to draw from
            </FileButton>
          ) : null}
          {uploads.map(({ key, name, sent, bytes, problem }) => (
            <span key={key} role="status" className="text-12 text-faint">
              {name}: {problem ?? `${Math.floor((sent / Math.max(1, bytes)) * 100)}%`}
            </span>
          ))}
        </div>
      )}
    </div>
  )
}
