import { imageModelNames } from '@operon/contracts/media/images'
import { here, type Picture } from '../../pictures/picture.ts'
import { Dialog } from '../../ui/Dialog.tsx'

/** Two pictures side by side, with what they were made of. */
export function CompareDialog({ pair, onClose }: { pair: [Picture, Picture]; onClose: () => void }) {
  return (
    <Dialog open onClose={onClose} title="Compare" className="md:max-h-[calc(100dvh-2rem)] md:w-[min(72rem,calc(100vw-2rem))]">
      <div className="grid gap-5 md:grid-cols-2">
        {pair.map(({ id, url, prompt, width, height, used_model, size, seed, style }) => (
          <figure key={id} className="flex min-w-0 flex-col gap-2">
            <img
              src={here(url!)}
              alt={prompt}
              width={width}
              height={height}
              className="h-auto max-h-[60dvh] w-full rounded-control bg-raised object-contain"
            />
            <figcaption className="text-13">
              <p className="line-clamp-3">{prompt}</p>
              <p className="mt-1 text-12 text-muted">
                {imageModelNames[used_model]}, {size}
                {style ? `, ${style}` : ''}
                {seed === null ? '' : `, seed ${seed}`}
              </p>
            </figcaption>
          </figure>
        ))}
      </div>
    </Dialog>
  )
}
