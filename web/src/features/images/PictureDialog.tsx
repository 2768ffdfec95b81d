import { type ImageFormat, imageModelNames } from '@operon/contracts/media/images'
import { useQueryClient } from '@tanstack/react-query'
import {
  Bookmark,
  BookmarkCheck,
  Columns2,
  Copy,
  Download,
  Link2,
  Link2Off,
  Mail,
  Maximize2,
  Megaphone,
  Paintbrush,
  RefreshCw,
  Send,
  Share2,
  Sparkles,
  Store,
  Trash2,
} from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { call } from '../../api/call.ts'
import { loadBackend } from '../../api/session.ts'
import { blurOf, here, type Picture } from '../../pictures/picture.ts'
import { Button, IconButton } from '../../ui/Button.tsx'
import { copyText } from '../../ui/copy.ts'
import { CopyField } from '../../ui/Data.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { saveFile } from '../../ui/download.ts'
import { fileSize, moment } from '../../ui/format.ts'
import { Menu, MenuItem, MenuSeparator } from '../../ui/Menu.tsx'
import { Pill } from '../../ui/Panel.tsx'
import { attempt, toast } from '../../ui/toast.tsx'
import { BoardMenu } from './Boards.tsx'
import { galleryOf } from './gallery.ts'

export type Use = 'product' | 'email' | 'ad'
type Props = {
  picture: Picture
  onClose: () => void
  onChange: (change: Partial<Picture>) => void
  onDeleted: () => void
  onReuse: (picture: Picture) => void
  onVary: (picture: Picture) => void
  onMask: () => void
  onUse: (where: Use) => void
  onEnlarge: () => Promise<void>
  onCompare: () => void
}

/** One picture, large, with everything that can be done with it. */
export function PictureDialog({ picture, onClose, onChange, onDeleted, onReuse, onVary, onMask, onUse, onEnlarge, onCompare }: Props) {
  const { id, prompt, model, used_model, enlarges_to, answered_by, size, width, height, seed, style, saved, shared, sandbox, bytes } =
    picture
  const [link, setLink] = useState<string | null>(null)
  const gallery = galleryOf(useQueryClient())
  const change = (part: Partial<Picture>) => {
    onChange(part)
    gallery.change(id, part)
  }

  const save = () =>
    attempt(saved ? 'Not removed' : 'Not saved', async () => {
      change(await call('save-image', { picture_id: id, saved: !saved }))
    })
  const share = () =>
    attempt('Not shared', async () => {
      const { url } = await call('share-image', { picture_id: id })
      setLink(url)
      change({ shared: true })
      await copyText(url, 'Link copied. Anyone with it can see this image.')
    })
  const revoke = () =>
    attempt('The link still works', async () => {
      await call('unshare-image', { picture_id: id })
      setLink(null)
      change({ shared: false })
      toast.success('The link no longer works')
    })
  const remove = () =>
    attempt('Not deleted', async () => {
      await call('delete-image', { picture_id: id })
      onDeleted()
      gallery.drop(id)
      toast.undo(
        'Image deleted',
        () =>
          void attempt('Not brought back', async () => {
            await call('restore-image', { picture_id: id })
            gallery.put([{ ...picture, shared: false }])
          }),
      )
    })
  const get = (format: ImageFormat, wide?: number) =>
    attempt('Not downloaded', async () => {
      const { authed } = await loadBackend()
      const query = new URLSearchParams({ format, ...(wide && { width: String(wide) }) })
      const response = await authed(`/files/v1/media/~pictures/${id}?${query}`, {})
      if (!response.ok) throw new Error('The server did not send the file. Try again in a moment.')
      saveFile(nameIn(response.headers.get('content-disposition')), await response.blob())
    })

  return (
    <Dialog open onClose={onClose} title="Image" className="md:max-h-[calc(100dvh-2rem)] md:w-[min(66rem,calc(100vw-2rem))]">
      <div className="grid gap-5 md:grid-cols-[minmax(0,1fr)_18rem]">
        <img
          src={here(picture.url!)}
          alt={prompt}
          width={width}
          height={height}
          className="h-auto max-h-[70dvh] w-full rounded-control bg-cover object-contain"
          style={{ backgroundImage: `url(${blurOf(picture.thumbhash)})` }}
        />
        <div className="flex min-w-0 flex-col gap-4">
          <div>
            <div className="mb-1 flex items-center justify-between gap-2">
              <h3 className="text-13 font-medium">Prompt</h3>
              <IconButton label="Copy prompt" onClick={() => void copyText(prompt, 'Prompt copied')}>
                <Copy />
              </IconButton>
            </div>
            <p className="max-h-40 overflow-auto text-13 text-muted">{prompt}</p>
          </div>
          <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1 text-13">
            <Fact name="Model">
              {imageModelNames[used_model]}
              {model !== used_model ? `, for ${imageModelNames[model]}` : ''}
            </Fact>
            <Fact name="Answered by">
              <span className="font-mono text-12">{answered_by}</span> {sandbox ? <Pill>Sandbox</Pill> : null}
            </Fact>
            <Fact name="Size">
              {size}
              {bytes ? `, ${fileSize(bytes)}` : ''}
            </Fact>
            {style ? (
              <Fact name="Style">
                <span className="capitalize">{style}</span>
              </Fact>
            ) : null}
            {seed !== null ? (
              <Fact name="Seed">
                <span className="font-mono text-12">{seed}</span>
              </Fact>
            ) : null}
            <Fact name="Made">{moment(picture.created_at)}</Fact>
          </dl>
          <div className="flex flex-wrap gap-2">
            <Menu
              align="start"
              trigger={(props) => (
                <Button variant="primary" {...props}>
                  <Download />
                  Download
                </Button>
              )}
            >
              <MenuItem hint={size} onSelect={() => void get('original')}>
                Original
              </MenuItem>
              <MenuItem hint={size} onSelect={() => void get('png')}>
                PNG
              </MenuItem>
              <MenuItem hint={size} onSelect={() => void get('webp')}>
                WebP
              </MenuItem>
              <MenuSeparator />
              {[0.5, 0.25].map((part) => (
                <MenuItem
                  key={part}
                  hint={`${Math.round(width * part)}x${Math.round(height * part)}`}
                  onSelect={() => void get('png', Math.round(width * part))}
                >
                  {part === 0.5 ? 'Half size' : 'Quarter size'}
                </MenuItem>
              ))}
            </Menu>
            <Button onClick={() => void save()} aria-pressed={saved}>
              {saved ? <BookmarkCheck /> : <Bookmark />}
              {saved ? 'Saved' : 'Save'}
            </Button>
            <Button onClick={() => void share()}>
              {shared ? <Link2 /> : <Share2 />}
              {shared ? 'Copy link' : 'Share'}
            </Button>
          </div>
          <p className="text-12 text-faint">A download has no content credentials: nothing in the file says that a model drew it.</p>
          <div className="flex">
            <BoardMenu pictureId={id} />
          </div>
          {shared ? (
            <div className="flex flex-col gap-2">
              {link ? <CopyField label="Public link" value={link} /> : null}
              <p className="text-12 text-muted">Anyone with the link sees this image, not its prompt.</p>
              <Button variant="ghost" onClick={() => void revoke()} className="self-start">
                <Link2Off />
                Revoke link
              </Button>
            </div>
          ) : null}
          <div className="mt-auto flex flex-wrap gap-2 border-t border-line pt-4">
            <Menu
              align="start"
              trigger={(props) => (
                <Button variant="ghost" {...props}>
                  <Send />
                  Use in
                </Button>
              )}
            >
              <MenuItem icon={<Store />} onSelect={() => onUse('product')}>
                A product
              </MenuItem>
              <MenuItem icon={<Mail />} onSelect={() => onUse('email')}>
                An email
              </MenuItem>
              <MenuItem icon={<Megaphone />} onSelect={() => onUse('ad')}>
                An ad
              </MenuItem>
            </Menu>
            <Button variant="ghost" onClick={() => onReuse(picture)}>
              <RefreshCw />
              {seed === null ? 'Use prompt' : 'Use prompt and seed'}
            </Button>
            <Button variant="ghost" onClick={() => onVary(picture)}>
              <Sparkles />
              Variation
            </Button>
            <Button variant="ghost" onClick={onMask}>
              <Paintbrush />
              Change a part
            </Button>
            <Button variant="ghost" onClick={onCompare}>
              <Columns2 />
              Compare
            </Button>
            {enlarges_to ? (
              <Button variant="ghost" onClick={() => void attempt('Not enlarged', onEnlarge)} data-tip={`To ${enlarges_to}. Uses 1 image.`}>
                <Maximize2 />
                Enlarge to {enlarges_to}
              </Button>
            ) : null}
            <Button variant="ghost" onClick={() => void remove()}>
              <Trash2 />
              Delete
            </Button>
          </div>
        </div>
      </div>
    </Dialog>
  )
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-muted">{name}</dt>
      <dd className="min-w-0 break-words">{children}</dd>
    </>
  )
}

const nameIn = (disposition: string | null) => {
  const found = /filename\*=UTF-8''([^;]+)/.exec(disposition ?? '')?.[1]
  return found ? decodeURIComponent(found) : 'image.png'
}
