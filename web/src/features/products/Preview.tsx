import { money } from '../../ui/format.ts'
import { Panel, Pill } from '../../ui/Panel.tsx'
import type { Draft } from './EditorPage.tsx'
import { usePicture } from './queries.ts'

/** As it looks in the storefront, while it is typed. */
export function Preview({ draft, cents, files }: { draft: Draft; cents: number; files: number }) {
  const src = usePicture(draft.image_ids[0])
  const summary = draft.summary || draft.description
  return (
    <Panel title="Preview" flush>
      <article aria-label="Preview of the product" className="flex flex-col gap-4 p-5">
        {src ? <img src={src} alt="" className="aspect-[8/5] w-full rounded-control bg-raised object-cover" /> : null}
        <div className="flex items-center justify-between gap-3 text-13 text-faint">
          <Pill>{draft.category}</Pill>
          No reviews yet
        </div>
        <div>
          <h3 className="text-16 font-semibold break-words">{draft.title || 'Name'}</h3>
          <p className="mt-1 line-clamp-2 min-h-[2lh] text-14 break-words text-muted">
            {summary || 'Say in one sentence how it helps the buyer.'}
          </p>
        </div>
        <div className="flex items-end justify-between gap-3">
          <p>
            <span className="block text-20 font-semibold tabular">{money(cents)}</span>
            <span className="text-13 text-faint">{draft.item_type}</span>
          </p>
          <span aria-hidden="true" className="inline-flex h-10 items-center rounded-control bg-signal px-4 text-14 font-semibold text-ink">
            Buy Now
          </span>
        </div>
        {draft.description ? (
          <p className="line-clamp-[12] border-t border-line pt-4 text-13 break-words whitespace-pre-line text-muted">
            {draft.description}
          </p>
        ) : null}
        <p className="border-t border-line pt-3 text-12 text-faint">
          {files === 1 ? '1 file' : `${files} files`}
          {draft.activation_limit ? ` · license key for ${draft.activation_limit} machines` : ''}
        </p>
      </article>
    </Panel>
  )
}
