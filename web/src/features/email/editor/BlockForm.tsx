import { networkNames } from '@operon/contracts/crm/email/layout'
import { Plus, X } from 'lucide-react'
import { PickPicture } from '../../../pictures/PicturePicker.tsx'
import { Button, IconButton } from '../../../ui/Button.tsx'
import { Options, SelectField, TextField } from '../../../ui/Field.tsx'
import type { Block } from '../queries.ts'
import { RichText } from './RichText.tsx'

type Of<K extends Block['kind']> = Extract<Block, { kind: K }>
type Change = (block: Block) => void
const MOST_LINKS = 8

/** The fields of one block. Columns hold lists of blocks, and stand with the list. */
export function BlockForm({ block, onChange }: { block: Exclude<Block, { kind: 'columns' }>; onChange: Change }) {
  switch (block.kind) {
    case 'heading':
      return <HeadingForm block={block} onChange={onChange} />
    case 'text':
      return (
        <>
          <RichText label="Text" value={block.text} maxLength={8000} onChange={(text) => onChange({ ...block, text })} />
          <Align block={block} onChange={onChange} />
        </>
      )
    case 'image':
      return <ImageForm block={block} onChange={onChange} />
    case 'button':
      return (
        <>
          <TextField
            label="Label"
            value={block.label}
            maxLength={80}
            onChange={(event) => onChange({ ...block, label: event.target.value })}
          />
          <Address label="Leads to" value={block.url} onChange={(url) => onChange({ ...block, url })} />
          <Align block={block} onChange={onChange} />
        </>
      )
    case 'divider':
      return <p className="text-13 text-muted">A thin line between two parts. It has no settings.</p>
    case 'spacer':
      return (
        <TextField
          label="Height in pixels"
          type="number"
          min={4}
          max={120}
          value={block.height}
          onChange={(event) => onChange({ ...block, height: Math.min(120, Math.max(4, Math.round(Number(event.target.value)) || 4)) })}
        />
      )
    case 'product':
      return <ProductForm block={block} onChange={onChange} />
    case 'social':
      return <SocialForm block={block} onChange={onChange} />
    case 'footer':
      return (
        <>
          <TextField
            label="Who sends this"
            value={block.name}
            maxLength={120}
            placeholder="Harbour Café"
            onChange={(event) => onChange({ ...block, name: event.target.value })}
          />
          <TextField
            label="Postal address"
            value={block.address}
            maxLength={300}
            placeholder="Rua do Porto 4, Lisbon"
            hint="Laws on marketing email ask for it. Unsubscribe links are added for you."
            onChange={(event) => onChange({ ...block, address: event.target.value })}
          />
          <RichText label="More text" value={block.text} maxLength={1000} onChange={(text) => onChange({ ...block, text })} />
        </>
      )
  }
}

function Address({ label, value, onChange, hint }: { label: string; value: string; onChange: (url: string) => void; hint?: string }) {
  const isOdd = value.trim() !== '' && !/^(https:\/\/|mailto:|http:\/\/(localhost|127\.0\.0\.1))/i.test(value.trim())
  return (
    <TextField
      label={label}
      type="url"
      inputMode="url"
      value={value}
      maxLength={2000}
      placeholder="https://"
      hint={hint}
      error={isOdd ? 'Begin with https://, or it is left out of the email.' : undefined}
      onChange={(event) => onChange(event.target.value.replace(/\p{Cc}/gu, ''))}
    />
  )
}

type Aligned = Of<'heading' | 'text' | 'image' | 'button' | 'social'>
function Align({ block, onChange }: { block: Aligned; onChange: Change }) {
  return (
    <SelectField
      label="Position"
      value={block.align}
      onChange={(event) => onChange({ ...block, align: event.target.value as Aligned['align'] })}
    >
      <option value="left">Left</option>
      <option value="center">Center</option>
      <option value="right">Right</option>
    </SelectField>
  )
}

function HeadingForm({ block, onChange }: { block: Of<'heading'>; onChange: Change }) {
  return (
    <>
      <TextField
        label="Heading"
        value={block.text}
        maxLength={300}
        onChange={(event) => onChange({ ...block, text: event.target.value })}
      />
      <div className="grid grid-cols-2 gap-3">
        <SelectField label="Size" value={block.level} onChange={(event) => onChange({ ...block, level: Number(event.target.value) as 1 })}>
          <option value={1}>Large</option>
          <option value={2}>Medium</option>
          <option value={3}>Small</option>
        </SelectField>
        <Align block={block} onChange={onChange} />
      </div>
    </>
  )
}

function ImageForm({ block, onChange }: { block: Of<'image'>; onChange: Change }) {
  return (
    <>
      <PickPicture onPick={({ url, alt }) => onChange({ ...block, url, alt: block.alt || alt })} />
      <Address
        label="Address of the picture"
        value={block.url}
        hint="Or any public https address. The preview shows the description in place of pictures from other sites."
        onChange={(url) => onChange({ ...block, url })}
      />
      <TextField
        label="Description"
        value={block.alt}
        maxLength={300}
        hint="Shown when pictures are off, and read aloud by screen readers."
        onChange={(event) => onChange({ ...block, alt: event.target.value })}
      />
      <Address label="Leads to (optional)" value={block.link} onChange={(link) => onChange({ ...block, link })} />
      <div className="grid grid-cols-2 gap-3">
        <SelectField label="Width" value={block.width} onChange={(event) => onChange({ ...block, width: Number(event.target.value) })}>
          <Options of={[...new Set([25, 50, 75, 100, block.width])].map((width) => [width, `${width}%`])} />
        </SelectField>
        <Align block={block} onChange={onChange} />
      </div>
    </>
  )
}

function ProductForm({ block, onChange }: { block: Of<'product'>; onChange: Change }) {
  const field = (name: 'title' | 'price' | 'label', label: string, maxLength: number) => (
    <TextField
      label={label}
      value={block[name]}
      maxLength={maxLength}
      onChange={(event) => onChange({ ...block, [name]: event.target.value })}
    />
  )
  return (
    <>
      {field('title', 'Name', 200)}
      <RichText label="Text" value={block.text} maxLength={1000} onChange={(text) => onChange({ ...block, text })} />
      <div className="grid grid-cols-2 gap-3">
        {field('price', 'Price', 40)}
        {field('label', 'Button', 80)}
      </div>
      <Address label="Leads to" value={block.url} onChange={(url) => onChange({ ...block, url })} />
      <PickPicture onPick={({ url }) => onChange({ ...block, image: url })} />
      <Address label="Address of the picture (optional)" value={block.image} onChange={(image) => onChange({ ...block, image })} />
    </>
  )
}

type Network = keyof typeof networkNames
function SocialForm({ block, onChange }: { block: Of<'social'>; onChange: Change }) {
  const { links } = block
  const put = (at: number, values: Partial<(typeof links)[number]>) =>
    onChange({ ...block, links: links.map((each, n) => (n === at ? { ...each, ...values } : each)) })
  return (
    <>
      {links.map(({ network, url }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a link is its place
        <div key={at} className="grid grid-cols-[7rem_minmax(0,1fr)_auto] items-end gap-2">
          <SelectField label="Network" value={network} onChange={(event) => put(at, { network: event.target.value as Network })}>
            <Options of={Object.entries(networkNames)} />
          </SelectField>
          <Address label="Address" value={url} onChange={(next) => put(at, { url: next })} />
          <IconButton
            label={`Remove ${networkNames[network]}`}
            onClick={() => onChange({ ...block, links: links.filter((_, n) => n !== at) })}
          >
            <X />
          </IconButton>
        </div>
      ))}
      <div className="flex items-end justify-between gap-3">
        <Button
          disabled={links.length >= MOST_LINKS}
          onClick={() => onChange({ ...block, links: [...links, { network: 'website', url: '' }] })}
        >
          <Plus />
          Add a link
        </Button>
        <Align block={block} onChange={onChange} />
      </div>
    </>
  )
}
