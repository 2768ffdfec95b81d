import { type FormEvent, useState } from 'react'
import { call } from '../../api/call.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { download } from '../../ui/download.ts'
import { Options, SelectField } from '../../ui/Field.tsx'
import { attempt, toast } from '../../ui/toast.tsx'

type Props = { since: string; until: string; onClose: () => void }

/** The statement of a month: every movement of the seller's money, for their own books. */
export function ExportDialog({ since, until, onClose }: Props) {
  const [busy, setBusy] = useState(false)

  async function make(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    setBusy(true)
    await attempt('The statement was not made', async () => {
      const format = form.get('format') === 'pdf' ? 'pdf' : 'csv'
      const made = await call('sales-statement', { month: String(form.get('month')), format })
      download(made.filename, made.pdf ? bytesOf(made.pdf) : (made.csv ?? ''), made.content_type)
      if (made.cut) toast.info('The statement is not complete', 'This month has more rows than one file holds.')
      onClose()
    })
    setBusy(false)
  }

  return (
    <Dialog open onClose={onClose} title="Monthly statement" description="Sales, refunds, disputes, fees and payouts of a month, in UTC.">
      <form onSubmit={make} className="flex flex-col gap-4">
        <SelectField label="Month" name="month">
          <Options of={monthsOf(since, until).map((month) => [month, inWords(month)])} />
        </SelectField>
        <SelectField label="Format" name="format">
          <option value="csv">CSV, for a spreadsheet</option>
          <option value="pdf">PDF, to read and to file</option>
        </SelectField>
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant="primary" busy={busy ? 'Preparing' : false}>
            Download
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

const bytesOf = (base64: string) => Uint8Array.from(atob(base64), (char) => char.charCodeAt(0))

/** From the month of the next payout back to the first sale's. */
function monthsOf(since: string, until: string): string[] {
  const last = new Date(Math.max(Date.parse(until), Date.parse(since)))
  const first = since.slice(0, 7)
  const months: string[] = []
  for (let at = 0; months.at(-1) !== first; at++)
    months.push(new Date(Date.UTC(last.getUTCFullYear(), last.getUTCMonth() - at, 1)).toISOString().slice(0, 7))
  return months
}

const inWords = (month: string) =>
  new Intl.DateTimeFormat('en-US', { month: 'long', year: 'numeric', timeZone: 'UTC' }).format(new Date(`${month}-01`))
