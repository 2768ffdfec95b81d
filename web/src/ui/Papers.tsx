import { FileText } from 'lucide-react'
import { useState } from 'react'
import { Button } from './Button.tsx'
import { download } from './download.ts'
import { day, money } from './format.ts'
import { attempt } from './toast.tsx'

export type Paper = { id: string; kind: 'invoice' | 'credit_note'; number: string; at: string; amount_cents: number; currency: string }
type File = { filename: string; content_type: string; pdf: string }
type Props = { papers: Paper[]; open: (id: string) => Promise<File> }

/** Invoices and credit notes, each saved as a PDF. */
export function Papers({ papers, open }: Props) {
  const [busy, setBusy] = useState<string>()

  async function save(id: string) {
    setBusy(id)
    await attempt('The PDF was not made', async () => {
      const { filename, content_type, pdf } = await open(id)
      download(
        filename,
        Uint8Array.from(atob(pdf), (letter) => letter.charCodeAt(0)),
        content_type,
      )
    })
    setBusy(undefined)
  }

  return (
    <ul className="divide-y divide-line text-13">
      {papers.map(({ id, kind, number, at, amount_cents, currency }) => (
        <li key={id} className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 py-2">
          <span className="min-w-0">
            {kind === 'invoice' ? 'Invoice' : 'Credit note'} <span className="font-mono text-12 text-muted">{number}</span>
            <span className="block text-12 text-faint">
              {day(at)}, {money(kind === 'invoice' ? amount_cents : -amount_cents, currency)}
            </span>
          </span>
          <Button variant="ghost" busy={busy === id ? 'Preparing' : false} onClick={() => save(id)}>
            <FileText aria-hidden="true" className="size-4" /> PDF
            <span className="sr-only"> of {number}</span>
          </Button>
        </li>
      ))}
    </ul>
  )
}
