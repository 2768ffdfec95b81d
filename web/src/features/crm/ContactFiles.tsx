import type { CallReply } from '@operon/contracts/calls'
import { useQueryClient } from '@tanstack/react-query'
import { Download, FileUp, X } from 'lucide-react'
import { useState } from 'react'
import { call, useCall } from '../../api/call.ts'
import { startUpload, useUploads } from '../../api/uploads.ts'
import { UploadRow } from '../../files/UploadRow.tsx'
import { here } from '../../pictures/picture.ts'
import { FileButton, IconButton } from '../../ui/Button.tsx'
import { day } from '../../ui/format.ts'
import { Asked } from '../../ui/Panel.tsx'
import { attempt, toast } from '../../ui/toast.tsx'
import { newKey } from './queries.ts'

type ContactFile = CallReply<'contact-files'>['files'][number]

/** Quotes, contracts and photos of one contact. They are kept in the Library, where they stay when they are taken off here. */
export function ContactFiles({ contactId }: { contactId: string }) {
  const files = useCall('contact-files', { contact_id: contactId })
  const uploads = useUploads(contactId)
  const queries = useQueryClient()
  const refresh = () => queries.invalidateQueries({ queryKey: ['contact-files'] })

  async function attach(file_id: string, name: string) {
    await call('attach-contact-file', { contact_id: contactId, file_id, name: name.slice(0, 200) }, { idempotencyKey: newKey() })
    await refresh()
  }
  const detach = ({ file_id, name }: ContactFile) =>
    attempt(`${name} was not taken off`, async () => {
      await call('detach-contact-file', { contact_id: contactId, file_id }, { idempotencyKey: newKey() })
      await refresh()
      toast.undo(`${name} taken off. It is still in your Library`, () =>
        attempt(`${name} was not added again`, () => attach(file_id, name)),
      )
    })

  return (
    <section className="flex flex-col gap-2" aria-label="Files">
      <div className="flex items-center justify-between gap-4">
        <h3 className="text-13 font-medium">Files</h3>
        <FileButton
          multiple
          onFiles={(chosen) => {
            for (const file of chosen) void startUpload(contactId, 'media', file, (file_id) => attach(file_id, file.name))
          }}
        >
          <FileUp />
          Add files
        </FileButton>
      </div>
      <Asked query={files} skeleton="h-10" failed="The files could not be loaded" />
      {files.data?.files.length === 0 && uploads.length === 0 ? (
        <p className="text-13 text-muted">Quotes, contracts and photos of this contact, kept in your Library.</p>
      ) : null}
      <ul className="divide-y divide-line">
        {files.data?.files.map((file) => (
          <li key={file.file_id} className="flex items-center gap-2 py-1 text-13">
            <span className="min-w-0 flex-1 truncate">{file.name}</span>
            <span className="text-12 whitespace-nowrap text-muted">{day(file.added_at)}</span>
            <DownloadFile file={file} />
            <IconButton label={`Take ${file.name} off`} onClick={() => void detach(file)}>
              <X />
            </IconButton>
          </li>
        ))}
        {uploads.map((upload) => (
          <UploadRow key={upload.key} upload={upload} />
        ))}
      </ul>
    </section>
  )
}

/** The link is made at the press, and good for an hour. */
function DownloadFile({ file: { file_id, name } }: { file: ContactFile }) {
  const [busy, setBusy] = useState(false)
  async function download() {
    setBusy(true)
    try {
      const { url } = await call('media-file-link', { file_id, hours: 1 })
      location.assign(here(url))
    } catch (error) {
      const isGone = (error as { code?: string }).code === 'not_found'
      toast.error(`${name} was not downloaded`, isGone ? 'It is no longer in your Library.' : (error as Error).message)
    }
    setBusy(false)
  }
  return (
    <IconButton label={`Download ${name}`} onClick={() => void download()} busy={busy}>
      <Download />
    </IconButton>
  )
}
