import { FileUp, X } from 'lucide-react'
import { type DragEvent, useState } from 'react'
import { call } from '../../api/call.ts'
import { startUpload, useUploads } from '../../api/uploads.ts'
import { UploadRow } from '../../files/UploadRow.tsx'
import { IconButton } from '../../ui/Button.tsx'
import { cx } from '../../ui/cx.ts'
import { fileSize } from '../../ui/format.ts'
import { EmptyState, Panel, Pill } from '../../ui/Panel.tsx'
import { attempt } from '../../ui/toast.tsx'
import { newKey, type Product } from './queries.ts'

type File_ = Product['next']['files'][number]

/** The files buyers download. An upload resumes after a broken connection, and after a reload once the same file is chosen again. */
export function Files({ product, onChanged }: { product: Product; onChanged: (next: Product) => void }) {
  const uploads = useUploads(product.id)
  const [over, setOver] = useState(false)
  const { files } = product.next
  const item_id = product.id

  const send = (list: Iterable<File>) => {
    for (const file of list)
      void startUpload(item_id, 'marketplace', file, async (file_id) =>
        onChanged(await call('attach-product-file', { item_id, file_id }, { idempotencyKey: newKey() })),
      )
  }
  const drop = (event: DragEvent) => {
    event.preventDefault()
    setOver(false)
    send(event.dataTransfer.files)
  }
  const detach = ({ file_id, name }: File_) =>
    attempt(`${name} was not taken out`, async () =>
      onChanged(await call('detach-product-file', { item_id, file_id }, { idempotencyKey: newKey() })),
    )
  const choose = (
    <label className="inline-flex h-8 cursor-pointer items-center gap-2 rounded-control bg-panel px-3 text-13 font-medium hairline focus-within:outline-2 focus-within:outline-signal-text hover:bg-raised max-md:h-11 [&_.lucide]:size-4">
      <FileUp />
      Add files
      <input
        type="file"
        multiple
        className="sr-only"
        onChange={(event) => {
          send(event.target.files ?? [])
          event.target.value = ''
        }}
      />
    </label>
  )
  return (
    <Panel title="Files" flush actions={choose}>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: dropping is the mouse's way; the button is everybody's */}
      <div
        onDragOver={(event) => {
          event.preventDefault()
          setOver(true)
        }}
        onDragLeave={() => setOver(false)}
        onDrop={drop}
        className={cx(over && 'bg-signal-soft')}
      >
        {!files.length && !uploads.length ? (
          <EmptyState compact title="No files yet">
            Drop them here or add them: archives, documents, media, up to 5 GB each. An upload that is cut off continues where it was.
          </EmptyState>
        ) : null}
        <ul className="divide-y divide-line">
          {files.map((file) => (
            <li key={file.file_id} className="flex items-center gap-3 px-4 py-2.5 text-13">
              <span className="min-w-0 flex-1 truncate">{file.name}</span>
              {file.scan === 'infected' ? <Pill tone="bad">Malware</Pill> : null}
              {file.scan === 'clean' ? <Pill tone="good">Scanned</Pill> : null}
              <span className="font-mono text-12 text-faint tabular">{fileSize(file.bytes)}</span>
              <IconButton label={`Remove ${file.name}`} onClick={() => detach(file)}>
                <X />
              </IconButton>
            </li>
          ))}
          {uploads.map((upload) => (
            <UploadRow key={upload.key} upload={upload} />
          ))}
        </ul>
      </div>
      <p className="border-t border-line px-4 py-2.5 text-12 text-faint">
        {product.scans_files
          ? 'Each file is scanned for malware before anybody can buy it.'
          : 'This site does not scan files for malware. Programs such as .exe are not accepted; put them into a .zip archive.'}
      </p>
    </Panel>
  )
}
