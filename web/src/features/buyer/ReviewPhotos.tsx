import { ImageUp, X } from 'lucide-react'
import { startUpload, useUploads } from '../../api/uploads.ts'
import { FileButton, IconButton } from '../../ui/Button.tsx'
import { shrink } from '../../ui/shrink.ts'
import { toast } from '../../ui/toast.tsx'

const MOST = 4
export type Photo = { id: string; src: string }

/** Photos of a review. They are made smaller before they leave the device, and lose the place where they were taken. */
export function ReviewPhotos({
  of,
  photos,
  onChange,
}: {
  of: string
  photos: Photo[]
  onChange: (next: (all: Photo[]) => Photo[]) => void
}) {
  const uploads = useUploads(of).filter(({ state }) => state !== 'choose')
  async function add(files: File[]) {
    if (files.length > MOST - photos.length) toast.error(`A review takes up to ${MOST} photos`)
    for (const file of files.slice(0, MOST - photos.length)) {
      const small = await shrink(file).catch(() => null)
      if (!small) {
        toast.error(`${file.name} could not be read as a picture`)
        continue
      }
      const src = URL.createObjectURL(small)
      await startUpload(of, 'marketplace', small, async (id) => onChange((all) => [...all, { id, src }]))
    }
  }
  return (
    <div className="flex flex-col gap-2">
      {photos.length ? (
        <ul aria-label="Your photos" className="flex flex-wrap gap-2">
          {photos.map(({ id, src }, at) => (
            <li key={id} className="relative">
              <img src={src} alt={`Yours, ${at + 1} of ${photos.length}`} className="size-24 rounded-control bg-raised object-cover" />
              <IconButton
                label={`Remove photo ${at + 1}`}
                variant="secondary"
                className="absolute top-1 right-1"
                onClick={() => onChange((all) => all.filter((photo) => photo.id !== id))}
              >
                <X />
              </IconButton>
            </li>
          ))}
        </ul>
      ) : null}
      {uploads.map((upload) => (
        <p key={upload.key} role="status" className="text-12 text-muted">
          {upload.name}: {upload.problem ?? `${Math.floor((upload.sent / Math.max(1, upload.bytes)) * 100)}%`}
        </p>
      ))}
      <div className="flex flex-wrap items-center gap-3">
        <FileButton multiple accept="image/*" disabled={photos.length >= MOST} onFiles={(files) => void add(files)}>
          <ImageUp />
          Add photos
        </FileButton>
        <span className="text-12 text-muted">Up to {MOST}. Everybody can see them.</span>
      </div>
    </div>
  )
}
