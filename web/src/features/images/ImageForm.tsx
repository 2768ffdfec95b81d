import {
  DEFAULT_IMAGE_MODEL,
  DEFAULT_IMAGE_SIZE,
  type ImageModel,
  type ImageSize,
  type ImageStyle,
  imageModelIds,
  imageModelNames,
  imageSizes,
  imageStyles,
  LONGEST_IMAGE_PROMPT,
  MOST_IMAGES_AT_ONCE,
  sizeNote,
  takesMask,
  takesPictures,
  takesSeed,
} from '@operon/contracts/media/images'
import { Sparkles, X } from 'lucide-react'
import type { FormEvent } from 'react'
import { imageTemplates } from '../../content/images.ts'
import { Button, IconButton } from '../../ui/Button.tsx'
import { cx } from '../../ui/cx.ts'
import { SelectField, TextArea, TextField } from '../../ui/Field.tsx'
import { type Reference, References } from './References.tsx'

export type Wish = {
  prompt: string
  style: ImageStyle | null
  size: ImageSize
  model: ImageModel
  count: number
  seed: string
  from: { id: string; prompt: string } | null
  /** PNG over the picture that it comes from: only the transparent part changes. */
  mask: string | null
  references: Reference[]
}
export const firstWish: Wish = {
  prompt: '',
  style: 'realistic',
  size: DEFAULT_IMAGE_SIZE,
  model: DEFAULT_IMAGE_MODEL,
  count: 1,
  seed: '',
  from: null,
  mask: null,
  references: [],
}

const counts = Array.from({ length: MOST_IMAGES_AT_ONCE }, (_, at) => at + 1)

type Props = {
  wish: Wish
  onChange: (change: Partial<Wish> | ((before: Wish) => Partial<Wish>)) => void
  onSubmit: () => void
  busy: false | string
}

export function ImageForm({ wish, onChange, onSubmit, busy }: Props) {
  const note = sizeNote(wish.model, wish.size)
  function submit(event: FormEvent) {
    event.preventDefault()
    if (wish.prompt.trim() && !busy) onSubmit()
  }
  return (
    <form onSubmit={submit} className="flex flex-col gap-4">
      <References
        references={wish.references}
        onChange={(next) => onChange((before) => ({ references: next(before.references) }))}
        disabled={
          takesPictures(wish.model)
            ? null
            : `${imageModelNames[wish.model]} draws from a prompt alone. Choose another model to draw from a picture.`
        }
      >
        <TextArea
          label="Prompt"
          placeholder="A red bicycle against a yellow wall, morning light"
          maxLength={LONGEST_IMAGE_PROMPT}
          required
          value={wish.prompt}
          onChange={(event) => onChange({ prompt: event.target.value })}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) event.currentTarget.form?.requestSubmit()
          }}
        />
      </References>
      {wish.from ? (
        <p className="-mt-2 flex items-center gap-2 text-12 text-muted">
          <span className="min-w-0 flex-1 truncate">
            {wish.mask ? 'Changes the marked part of' : 'A variation of'} “{wish.from.prompt}”
          </span>
          <IconButton label={wish.mask ? 'Draw a new picture' : 'Not a variation'} onClick={() => onChange({ from: null, mask: null })}>
            <X />
          </IconButton>
        </p>
      ) : null}
      <div>
        <p className="mb-1.5 text-12 text-faint">Quick templates</p>
        <ul className="flex flex-wrap gap-1.5">
          {imageTemplates.map(({ name, prompt, style, size }) => (
            <li key={name}>
              <button
                type="button"
                onClick={() => onChange({ prompt, style, size })}
                className="min-h-7 rounded-control px-2 py-1 text-12 text-muted hairline hover:bg-raised hover:text-text max-md:min-h-11 max-md:px-3"
              >
                {name}
              </button>
            </li>
          ))}
        </ul>
      </div>
      <fieldset>
        <legend className="mb-1.5 text-13 font-medium">Style</legend>
        <div className="grid grid-cols-2 gap-1.5 sm:grid-cols-3">
          {imageStyles.map((style) => (
            <label
              key={style}
              className={cx(
                'flex h-9 items-center rounded-control border px-3 text-13 capitalize has-focus-visible:outline-2 has-focus-visible:outline-signal-text max-md:h-11',
                wish.style === style
                  ? 'border-signal-text bg-signal-soft font-medium'
                  : 'cursor-pointer border-line text-muted hover:bg-raised hover:text-text',
              )}
            >
              <input
                type="radio"
                name="style"
                value={style}
                checked={wish.style === style}
                onChange={() => onChange({ style })}
                className="sr-only"
              />
              {style}
            </label>
          ))}
        </div>
      </fieldset>
      <div className="grid grid-cols-2 gap-3">
        <SelectField label="Size" value={wish.size} onChange={(event) => onChange({ size: event.target.value as ImageSize })}>
          {imageSizes.map((size) => (
            <option key={size}>{size}</option>
          ))}
        </SelectField>
        <SelectField label="Model" value={wish.model} onChange={(event) => onChange({ model: event.target.value as ImageModel })}>
          {imageModelIds.map((model) => (
            <option key={model} value={model} disabled={wish.mask !== null && !takesMask(model)}>
              {imageModelNames[model]}
            </option>
          ))}
        </SelectField>
        <SelectField label="Images" value={wish.count} onChange={(event) => onChange({ count: Number(event.target.value) })}>
          {counts.map((count) => (
            <option key={count}>{count}</option>
          ))}
        </SelectField>
        <TextField
          label="Seed"
          inputMode="numeric"
          pattern="[0-9]{0,10}"
          placeholder={takesSeed(wish.model) ? 'Random' : 'Not used'}
          disabled={!takesSeed(wish.model)}
          value={takesSeed(wish.model) ? wish.seed : ''}
          onChange={(event) => onChange({ seed: event.target.value.replace(/\D/g, '').slice(0, 10) })}
        />
      </div>
      {note ? <p className="-mt-2 text-12 text-muted">{note}</p> : null}
      <Button type="submit" variant="primary" disabled={!wish.prompt.trim()} busy={busy}>
        <Sparkles />
        Generate
      </Button>
      <p className="text-12 text-faint">
        Takes about 15-30 seconds and uses {wish.count === 1 ? '1 image' : `${wish.count} images`} of your plan. An image that is not made
        is not counted.
      </p>
    </form>
  )
}
