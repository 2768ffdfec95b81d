import { DEFAULT_IMAGE_MODEL, isDrawer, isDrawnSize, takesMask, takesPictures, takesSeed } from '@operon/contracts/media/images'
import { useCallback, useRef, useState } from 'react'
import { useNavigate } from 'react-router-dom'
import { useCall } from '../../api/call.ts'
import { Problem } from '../../chat/Problem.tsx'
import { paths } from '../../paths.ts'
import { publishPicture } from '../../pictures/PicturePicker.tsx'
import type { Picture } from '../../pictures/picture.ts'
import { Button } from '../../ui/Button.tsx'
import { EmptyState, PageHeader, Panel } from '../../ui/Panel.tsx'
import { attempt } from '../../ui/toast.tsx'
import { useSearch } from '../../ui/useSearch.ts'
import { CompareDialog } from './CompareDialog.tsx'
import { DemoPictures } from './DemoPictures.tsx'
import { EmailDialog } from './EmailDialog.tsx'
import { Gallery } from './Gallery.tsx'
import { firstWish, ImageForm, type Wish } from './ImageForm.tsx'
import { ImageStats } from './ImageStats.tsx'
import { MaskDialog } from './MaskDialog.tsx'
import { PictureDialog, type Use } from './PictureDialog.tsx'
import { ProductDialog } from './ProductDialog.tsx'
import { Results } from './Results.tsx'
import { useBatch } from './useBatch.ts'

export function ImageStudioPage() {
  const [wish, setWish] = useState<Wish>(firstWish)
  const { search: address, change: changeAddress } = useSearch()
  const batch = useBatch()
  const navigate = useNavigate()
  const results = useRef<HTMLDivElement>(null)
  const [opened, setOpened] = useState<Picture | null>(null)
  const [masking, setMasking] = useState<Picture | null>(null)
  const [using, setUsing] = useState<{ picture: Picture; where: Use } | null>(null)
  const [comparing, setComparing] = useState<Picture | null>(null)
  const [pair, setPair] = useState<[Picture, Picture] | null>(null)
  const openId = address.get('image')
  const found = useCall('find-images', { ids: [openId ?? ''] }, { enabled: Boolean(openId) && opened?.id !== openId })
  const shown = openId
    ? opened?.id === openId
      ? opened
      : found.data?.pictures.find(({ id, state }) => id === openId && state === 'done')
    : null

  const change = useCallback((set: Record<string, string | null>) => changeAddress(set, true), [changeAddress])
  const filter = useCallback(
    ({ q, saved, board }: { q?: string; saved?: boolean; board?: string }) =>
      change({
        ...(q !== undefined && { q: q || null }),
        ...(saved !== undefined && { saved: saved ? '1' : null }),
        ...(board !== undefined && { board: board || null }),
      }),
    [change],
  )
  const open = useCallback(
    (picture: Picture) => {
      if (comparing) {
        setPair([comparing, picture])
        setComparing(null)
        return
      }
      setOpened(picture)
      change({ image: picture.id })
    },
    [change, comparing],
  )
  const close = () => change({ image: null })

  function generate() {
    const { prompt, style, size, model, count, seed, from, mask, references } = wish
    results.current?.scrollIntoView({ block: matchMedia('(width < 1280px)').matches ? 'start' : 'nearest' })
    void batch.generate({
      prompt: prompt.trim(),
      style,
      size,
      model,
      count,
      ...(seed && takesSeed(model) && { seed: Math.min(Number(seed), 2_147_483_647) }),
      ...(from && { from_id: from.id }),
      ...(from && mask && { mask }),
      ...(references.length && takesPictures(model) && { reference_ids: references.map(({ id }) => id) }),
    })
  }
  function take({ prompt, style, size, model, seed, id }: Picture, vary: boolean, mask: string | null = null) {
    const from = vary ? { id, prompt } : null
    setWish((before) => ({
      ...before,
      // The change to make is another sentence than the prompt before.
      prompt: mask ? '' : prompt,
      style: mask ? null : style,
      size: isDrawnSize(size) ? size : before.size,
      model: !isDrawer(model) || (mask && !takesMask(model)) ? DEFAULT_IMAGE_MODEL : model,
      seed: vary || seed === null ? '' : String(seed),
      from,
      mask,
    }))
    close()
    scrollTo({ top: 0 })
  }

  return (
    <>
      <PageHeader title="Image Studio" description="Pictures from a sentence. What you make stays in your gallery." />
      <div className="flex flex-col gap-6">
        <div className="max-md:order-last">
          <ImageStats />
        </div>
        <div className="grid grid-cols-1 items-start gap-6 xl:grid-cols-[26rem_minmax(0,1fr)]">
          <Panel title="What to draw">
            <ImageForm
              wish={wish}
              onChange={(part) => setWish((before) => ({ ...before, ...(typeof part === 'function' ? part(before) : part) }))}
              onSubmit={generate}
              busy={batch.starting ? 'Starting' : false}
            />
          </Panel>
          <div ref={results} className="flex min-w-0 scroll-mt-20 flex-col gap-6">
            {batch.tiles.length || batch.demo || batch.trouble ? (
              <Panel title="Results">
                {batch.trouble ? (
                  <div className="mb-3">
                    <Problem text={batch.trouble.message} atLimit={batch.trouble.atLimit} />
                  </div>
                ) : null}
                {batch.demo ? (
                  <DemoPictures onRetry={batch.again} />
                ) : (
                  <Results tiles={batch.tiles} onOpen={open} onCancel={batch.cancel} onRetry={batch.retry} />
                )}
              </Panel>
            ) : (
              <Panel title="Results" flush>
                <EmptyState title="Nothing drawn yet" compact>
                  Choose a template or describe a picture. You watch it take shape here, and can leave the page meanwhile.
                </EmptyState>
              </Panel>
            )}
            {comparing ? (
              <p role="status" className="flex items-center gap-3 rounded-control bg-signal-soft px-4 py-2 text-13">
                <span className="min-w-0 flex-1 truncate">Choose the image to compare with “{comparing.prompt}”.</span>
                <Button variant="ghost" onClick={() => setComparing(null)}>
                  Cancel
                </Button>
              </p>
            ) : null}
            <Gallery
              q={address.get('q') ?? ''}
              saved={address.get('saved') === '1'}
              board={address.get('board') ?? ''}
              onFilter={filter}
              onOpen={open}
            />
          </div>
        </div>
      </div>
      {shown ? (
        <PictureDialog
          key={shown.id}
          picture={shown}
          onClose={close}
          onChange={(part) => {
            setOpened({ ...shown, ...part })
            batch.merge([{ ...shown, ...part }])
          }}
          onDeleted={() => {
            batch.forget(shown.id)
            close()
          }}
          onReuse={(picture) => take(picture, false)}
          onVary={(picture) => take(picture, true)}
          onMask={() => setMasking(shown)}
          onUse={(where) => {
            if (where !== 'ad') return setUsing({ picture: shown, where })
            void attempt('The picture could not be taken', async () =>
              navigate(`${paths.ads}?tab=generator`, { state: { picture: await publishPicture({ picture_id: shown.id }) } }),
            )
          }}
          onEnlarge={async () => {
            await batch.enlarge(shown.id)
            close()
            results.current?.scrollIntoView({ block: 'start' })
          }}
          onCompare={() => {
            setComparing(shown)
            close()
          }}
        />
      ) : null}
      {masking ? (
        <MaskDialog
          picture={masking}
          onClose={() => setMasking(null)}
          onDone={(mask) => {
            take(masking, true, mask)
            setMasking(null)
          }}
        />
      ) : null}
      {pair ? <CompareDialog pair={pair} onClose={() => setPair(null)} /> : null}
      {using?.where === 'product' ? <ProductDialog picture={using.picture} onClose={() => setUsing(null)} /> : null}
      {using?.where === 'email' ? <EmailDialog picture={using.picture} onClose={() => setUsing(null)} /> : null}
    </>
  )
}
