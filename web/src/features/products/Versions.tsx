import { day, fileSize, money } from '../../ui/format.ts'
import { EmptyState, Panel, Pill } from '../../ui/Panel.tsx'
import type { Product } from './queries.ts'

/** Published versions. They never change: buyers keep the version they bought. */
export function Versions({ product }: { product: Product }) {
  return (
    <Panel title="Versions" flush className="mt-5">
      {product.versions.length ? (
        <ol className="divide-y divide-line">
          {product.versions.map((version) => (
            <li key={version.number} className="px-4 py-3 text-13">
              <p className="flex flex-wrap items-center gap-2">
                <span className="font-semibold">Version {version.number}</span>
                {version.on_sale ? <Pill tone="good">On sale</Pill> : null}
                <span className="text-faint">
                  {day(version.published_at)} · {money(version.price_cents, version.currency)}
                  {version.activation_limit ? ` · ${version.activation_limit} machines per key` : ''}
                </span>
              </p>
              {version.notes ? <p className="mt-1 max-w-[68ch] break-words whitespace-pre-line text-muted">{version.notes}</p> : null}
              <ul className="mt-1 text-12 text-faint">
                {version.files.map((file) => (
                  <li key={file.file_id} className="break-all">
                    {file.name} ({fileSize(file.bytes)})
                  </li>
                ))}
              </ul>
            </li>
          ))}
        </ol>
      ) : (
        <EmptyState compact title="Nothing published yet">
          Each publication with another price, other terms or other files makes a version. Buyers keep theirs and are offered the next one.
        </EmptyState>
      )}
    </Panel>
  )
}
