import { type FormEvent, useState } from 'react'
import type { Invoice } from '../../api/billing.ts'
import { call } from '../../api/call.ts'
import { Button } from '../../ui/Button.tsx'
import { download } from '../../ui/download.ts'
import { Options, SelectField } from '../../ui/Field.tsx'
import { attempt } from '../../ui/toast.tsx'

/** The bookings of a month (payments, refunds, credits), for the customer's own books. */
export function Statement({ invoices }: { invoices: Invoice[] }) {
  const [busy, setBusy] = useState(false)
  const months = monthsOf(invoices)

  async function make(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const month = String(new FormData(event.currentTarget).get('month'))
    setBusy(true)
    await attempt('The statement was not made', async () => {
      const parts: string[] = []
      for (let cursor: string | undefined; ; ) {
        const { csv, filename, cursor: next } = await call('statement-export', { month, ...(cursor && { cursor }) })
        parts.push(csv)
        if (!next) return download(filename, parts.join(''), 'text/csv')
        cursor = next
      }
    })
    setBusy(false)
  }

  return (
    <form onSubmit={make} className="flex flex-wrap items-end gap-3 border-t border-line p-4">
      <SelectField label="Monthly statement" name="month" fieldClassName="w-52 max-w-full flex-1 sm:flex-none">
        <Options of={months.map((month) => [month, inWords(month)])} />
      </SelectField>
      <Button type="submit" className="h-9" busy={busy ? 'Preparing' : false}>
        Download CSV
      </Button>
    </form>
  )
}

/** From the newest invoice's month, or this one, back to the first's. The books count in UTC. */
function monthsOf(invoices: Invoice[]): string[] {
  const times = [Date.now(), ...invoices.map(({ created_at }) => Date.parse(created_at))]
  const last = new Date(Math.max(...times))
  const first = new Date(Math.min(...times)).toISOString().slice(0, 7)
  const months: string[] = []
  for (let at = 0; months.at(-1) !== first; at++)
    months.push(new Date(Date.UTC(last.getUTCFullYear(), last.getUTCMonth() - at, 1)).toISOString().slice(0, 7))
  return months
}

const inWords = (month: string) =>
  new Intl.DateTimeFormat('en-US', { month: 'long', year: 'numeric', timeZone: 'UTC' }).format(new Date(`${month}-01`))
