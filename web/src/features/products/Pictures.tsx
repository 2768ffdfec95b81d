import { ArrowLeft, ImageUp, Sparkles, X } from 'lucide-react'
import { useState } from 'react'
import { startUpload, useUploads } from '../../api/uploads.ts'
import { Button, FileButton, IconButton } from '../../ui/Button.tsx'
import { Panel } from '../../ui/Panel.tsx'
import { toast } from '../../ui/toast.tsx'
import { type Product, usePicture } from './queries.ts'
import { StudioPictures } from './StudioPictures.tsx'

const MOST = 8
const LARGEST = 10 * 1024 * 1024

/** The first one is shown in lists and in link previews. */
export function Pictures({ ids, product, onChange }: { ids: string[]; product: Product; onChange: (ids: string[]) => void }) {
  const at = `pictures:${product.id}`
  const [picking, setPicking] = useState(false)
  const uploads = useUploads(at).filter(({ state }) => state !== 'choose')
  const add = async (chosen: File[]) => {
    const files = chosen.slice(0, MOST - ids.length)
    const added: string[] = []
    for (const file of files) {
      if (file.size > LARGEST) toast.error(`${file.name} is larger than 10 MB`)
      else
        await startUpload(at, 'marketplace', file, async (id) => {
          added.push(id)
          onChange([...ids, ...added])
        })
    }
  }
  return (
    <Panel
      title="Pictures"
      actions={
        <div className="flex w-min flex-wrap justify-end gap-2 sm:w-auto">
          <Button disabled={ids.length >= MOST} onClick={() => setPicking(true)}>
            <Sparkles />
            From Image Studio
          </Button>
          <FileButton
            disabled={ids.length >= MOST}
            multiple
            accept="image/png,image/jpeg,image/webp,image/gif,image/avif"
            onFiles={(files) => void add(files)}
          >
            <ImageUp />
            Add pictures
          </FileButton>
        </div>
      }
    >
      {ids.length ? (
        <ul className="grid grid-cols-2 gap-3 sm:grid-cols-3">
          {ids.map((id, index) => (
            <li key={id} className="group relative">
              <Picture id={id} alt={`Picture ${index + 1} of ${product.title}`} />
              <span className="absolute top-1 right-1 flex gap-1">
                {index ? (
                  <IconButton
                    label={`Move picture ${index + 1} forward`}
                    variant="secondary"
                    onClick={() => onChange(ids.with(index - 1, id).with(index, ids[index - 1]!))}
                  >
                    <ArrowLeft />
                  </IconButton>
                ) : null}
                <IconButton
                  label={`Remove picture ${index + 1}`}
                  variant="secondary"
                  onClick={() => onChange(ids.filter((each) => each !== id))}
                >
                  <X />
                </IconButton>
              </span>
            </li>
          ))}
        </ul>
      ) : (
        <p className="text-13 text-muted">Up to {MOST} pictures, 1280 by 800 or larger. The first is shown in lists and link previews.</p>
      )}
      {picking ? (
        <StudioPictures room={MOST - ids.length} onClose={() => setPicking(false)} onChosen={(added) => onChange([...ids, ...added])} />
      ) : null}
      {uploads.map((upload) => (
        <p key={upload.key} className="mt-2 text-12 text-faint" role="status">
          {upload.name}: {upload.problem ?? `${Math.floor((upload.sent / Math.max(1, upload.bytes)) * 100)}%`}
        </p>
      ))}
    </Panel>
  )
}

function Picture({ id, alt }: { id: string; alt: string }) {
  const src = usePicture(id)
  return src ? (
    <img src={src} alt={alt} className="aspect-[8/5] w-full rounded-control bg-raised object-cover" />
  ) : (
    <span className="block aspect-[8/5] w-full rounded-control skeleton" />
  )
}
