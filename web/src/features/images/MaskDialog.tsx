import { Eraser, RotateCcw } from 'lucide-react'
import { type PointerEvent, useEffect, useRef, useState } from 'react'
import { here, type Picture } from '../../pictures/picture.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'

const MASK_COLOR = '#C6F24E'

/** Paint over the part that is to change. The mask is transparent there and opaque elsewhere, as the models want it. */
export function MaskDialog({ picture, onClose, onDone }: { picture: Picture; onClose: () => void; onDone: (mask: string) => void }) {
  const { width, height, url } = picture
  const canvas = useRef<HTMLCanvasElement>(null)
  const last = useRef<[number, number] | null>(null)
  const [brush, setBrush] = useState(12)
  const [painted, setPainted] = useState(false)
  const pen = () => canvas.current!.getContext('2d')!

  useEffect(() => {
    const context = canvas.current!.getContext('2d')!
    context.lineCap = 'round'
    context.lineJoin = 'round'
    context.strokeStyle = MASK_COLOR
    context.fillStyle = MASK_COLOR
  }, [])

  const placeOf = ({ clientX, clientY }: PointerEvent): [number, number] => {
    const box = canvas.current!.getBoundingClientRect()
    return [((clientX - box.left) / box.width) * width, ((clientY - box.top) / box.height) * height]
  }
  function move(event: PointerEvent) {
    if (!last.current) return
    const next = placeOf(event)
    const context = pen()
    context.lineWidth = (brush / 100) * Math.max(width, height)
    context.beginPath()
    context.moveTo(...last.current)
    context.lineTo(...next)
    context.stroke()
    last.current = next
    setPainted(true)
  }
  function clear() {
    pen().clearRect(0, 0, width, height)
    setPainted(false)
  }
  function done() {
    const mask = document.createElement('canvas')
    mask.width = width
    mask.height = height
    const context = mask.getContext('2d')!
    context.fillStyle = '#000'
    context.fillRect(0, 0, width, height)
    context.globalCompositeOperation = 'destination-out'
    context.drawImage(canvas.current!, 0, 0)
    onDone(mask.toDataURL('image/png').split(',')[1]!)
  }
  return (
    <Dialog
      open
      onClose={onClose}
      title="Change a part"
      description="Paint over what is to change, then describe the change in the prompt."
      className="md:w-[min(48rem,calc(100vw-2rem))]"
      footer={
        <>
          <Button variant="ghost" onClick={clear} disabled={!painted}>
            <RotateCcw />
            Clear
          </Button>
          <Button variant="primary" onClick={done} disabled={!painted}>
            Use this part
          </Button>
        </>
      }
    >
      <div
        className="relative mx-auto"
        style={{ aspectRatio: `${width} / ${height}`, width: `min(100%, calc(min(60dvh, 78dvh - 13rem) * ${width / height}))` }}
      >
        <img src={here(url!)} alt={picture.prompt} className="size-full rounded-control object-contain" draggable={false} />
        <canvas
          ref={canvas}
          width={width}
          height={height}
          role="img"
          aria-label="The painted part"
          className="absolute inset-0 size-full cursor-crosshair touch-none opacity-60"
          onPointerDown={(event) => {
            event.currentTarget.setPointerCapture(event.pointerId)
            last.current = placeOf(event)
            move(event)
          }}
          onPointerMove={move}
          onPointerUp={() => {
            last.current = null
          }}
        />
      </div>
      <label className="mt-4 flex items-center gap-3 text-13">
        <Eraser className="size-4" />
        Brush size
        <input
          type="range"
          min={3}
          max={40}
          value={brush}
          onChange={(event) => setBrush(Number(event.target.value))}
          className="flex-1 accent-signal"
        />
      </label>
    </Dialog>
  )
}
