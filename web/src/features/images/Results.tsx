import { imageModelNames } from '@operon/contracts/media/images'
import { RotateCw, X } from 'lucide-react'
import { blurOf, here, isOpen, type Picture } from '../../pictures/picture.ts'
import { Button, IconButton } from '../../ui/Button.tsx'
import { cx } from '../../ui/cx.ts'
import { Pill } from '../../ui/Panel.tsx'
import { attempt } from '../../ui/toast.tsx'
import type { Tile } from './useBatch.ts'

type Props = {
  tiles: Tile[]
  onOpen: (picture: Picture) => void
  onCancel: (id: string) => Promise<void>
  onRetry: (id: string) => Promise<void>
}

export function Results({ tiles, onOpen, onCancel, onRetry }: Props) {
  return (
    <ul className={cx('grid gap-2', tiles.length > 1 && 'sm:grid-cols-2')} aria-label="Results">
      {tiles.map((tile) => (
        <li key={tile.id}>
          <div
            className="relative overflow-hidden rounded-control bg-raised bg-cover bg-center hairline"
            style={{ aspectRatio: `${tile.width} / ${tile.height}` }}
          >
            <TileBody tile={tile} onOpen={onOpen} onCancel={onCancel} onRetry={onRetry} />
          </div>
        </li>
      ))}
    </ul>
  )
}

function TileBody({ tile, onOpen, onCancel, onRetry }: Omit<Props, 'tiles'> & { tile: Tile }) {
  if (tile.state === 'done')
    return (
      <button type="button" className="block size-full" onClick={() => onOpen(tile)} aria-label={`Open: ${tile.prompt}`}>
        <img
          src={here(tile.url!)}
          alt={tile.prompt}
          className="size-full bg-cover object-cover"
          style={{ backgroundImage: `url(${blurOf(tile.thumbhash)})` }}
        />
        {tile.model !== tile.used_model ? (
          <Pill className="absolute bottom-2 left-2 bg-panel">Drawn by {imageModelNames[tile.used_model]}</Pill>
        ) : null}
      </button>
    )
  if (isOpen(tile))
    return (
      <>
        {tile.preview ? (
          <img
            src={`data:image/webp;base64,${tile.preview}`}
            alt=""
            className="size-full scale-105 object-cover blur-md transition-[filter]"
          />
        ) : (
          <span aria-hidden="true" className="absolute inset-0 skeleton" />
        )}
        <div className="absolute inset-x-0 bottom-0 flex items-center gap-3 bg-panel/90 px-3 py-2">
          <div
            role="progressbar"
            aria-label={`Drawing: ${tile.prompt}`}
            aria-valuenow={tile.percent}
            aria-valuemin={0}
            aria-valuemax={100}
            className="h-1.5 flex-1 overflow-hidden rounded-full bg-line"
          >
            <div
              className="h-full rounded-full bg-signal-text transition-[width] duration-500"
              style={{ width: `${Math.max(4, tile.percent)}%` }}
            />
          </div>
          <span className="text-12 text-muted">{tile.state === 'queued' ? 'Waiting' : imageModelNames[tile.used_model]}</span>
          <IconButton label="Stop" onClick={() => void attempt('Not stopped', () => onCancel(tile.id))}>
            <X />
          </IconButton>
        </div>
      </>
    )
  return (
    <div className="absolute inset-0 flex flex-col items-center justify-center gap-3 p-4 text-center text-13 text-muted">
      <p>{tile.state === 'cancelled' ? 'You stopped this image. It used no image of your plan.' : tile.problem?.message}</p>
      <Button onClick={() => void attempt('Not started again', () => onRetry(tile.id))}>
        <RotateCw />
        Try again
      </Button>
    </div>
  )
}
