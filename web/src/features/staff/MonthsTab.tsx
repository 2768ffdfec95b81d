import { money } from '@operon/contracts/words'
import { Download } from 'lucide-react'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import { Button } from '../../ui/Button.tsx'
import { download } from '../../ui/download.ts'
import { SelectField } from '../../ui/Field.tsx'
import { moment } from '../../ui/format.ts'
import { EmptyState, ErrorState, Panel, Pill } from '../../ui/Panel.tsx'
import { attempt } from '../../ui/toast.tsx'
import type { BookedMonth } from './queries.ts'
import { isReason, ReasonForm } from './ReasonForm.tsx'
import { StaffTable } from './StaffTable.tsx'
import type { LookUp } from './useLookUp.ts'

const formats = { csv: 'CSV', quickbooks: 'QuickBooks', ledger: 'Plain text accounting' } as const
const SHOWN = 24

/** The books of a month for the bookkeeper: what moved each account, the tax to pay, and the journal as a file. */
export function MonthsTab({ lookUp }: { lookUp: LookUp<{ month: string; reason: string }, BookedMonth> }) {
  const { busy, asked, found, error, ask } = lookUp
  const months = lastMonths(new Date())
  const [reason, setReason] = useState(asked?.reason ?? '')
  const [month, setMonth] = useState(asked?.month ?? months[0]!)
  const show = () => ask({ month, reason: reason.trim() })
  return (
    <div className="flex flex-col gap-5 pt-5">
      <ReasonForm
        reason={reason}
        onChange={setReason}
        onAsk={show}
        ask="Show the month"
        busy={busy}
        before={
          <SelectField label="Month" value={month} onChange={(event) => setMonth(event.target.value)}>
            {months.map((each) => (
              <option key={each} value={each}>
                {inWords(each)}
              </option>
            ))}
          </SelectField>
        }
      />
      <Journal month={month} reason={reason.trim()} />
      <Panel
        title={asked && found ? inWords(asked.month) : 'Accounts'}
        badge={found ? <Pill tone={found.closed_at ? 'good' : 'neutral'}>{found.closed_at ? 'closed' : 'open'}</Pill> : null}
        flush
      >
        {error ? <ErrorState title="The month could not be shown" error={error} retry={show} /> : null}
        {found?.accounts.length ? (
          <StaffTable label="Accounts" head={['Account', 'Debit', 'Credit']} wide={['Type']}>
            {found.accounts.map(({ account, kind, currency, debit_cents, credit_cents }) => (
              <tr key={`${account} ${currency}`}>
                <td className="break-words first-letter:uppercase">{account.replaceAll('_', ' ')}</td>
                <td className="font-mono text-12 tabular">{money({ amount_cents: debit_cents, currency })}</td>
                <td className="font-mono text-12 tabular">{money({ amount_cents: credit_cents, currency })}</td>
                <td className="text-muted max-md:hidden">{kind}</td>
              </tr>
            ))}
          </StaffTable>
        ) : error ? null : (
          <EmptyState compact title={found ? 'Nothing moved in this month' : 'Not shown yet'}>
            A month closes three days after its end. What is told later belongs to the month in which it comes.
          </EmptyState>
        )}
        {found?.closed_at ? <p className="border-line border-t px-4 py-2.5 text-12 text-faint">Closed {moment(found.closed_at)}</p> : null}
      </Panel>
      {found?.accounts.length ? (
        <Panel title="Tax" flush>
          {found.tax.length ? (
            <StaffTable label="Tax" head={['Where', 'Taxable', 'Tax']}>
              {found.tax.map(({ country, state, currency, reverse_charge, taxable_cents, tax_cents }) => (
                <tr key={`${country} ${state} ${currency} ${reverse_charge}`}>
                  <td>
                    {state ? `${country}-${state}` : country}
                    {reverse_charge ? <span className="block text-12 text-faint">Reverse charge</span> : null}
                  </td>
                  <td className="font-mono text-12 tabular">{money({ amount_cents: taxable_cents, currency })}</td>
                  <td className="font-mono text-12 tabular">{money({ amount_cents: tax_cents, currency })}</td>
                </tr>
              ))}
            </StaffTable>
          ) : (
            <EmptyState compact title="No tax in this month">
              Tax that was collected is listed by country and state.
            </EmptyState>
          )}
        </Panel>
      ) : null}
    </div>
  )
}

function Journal({ month, reason }: { month: string; reason: string }) {
  const [format, setFormat] = useState<keyof typeof formats>('csv')
  const [busy, setBusy] = useState(false)
  async function save() {
    setBusy(true)
    await attempt('The journal was not made', async () => {
      const { filename, text } = await call('staff-journal', { month, format, reason })
      download(filename, text, format === 'ledger' ? 'text/plain' : 'text/csv')
    })
    setBusy(false)
  }
  return (
    <div className="flex flex-wrap items-end gap-3">
      <SelectField label="Journal as" value={format} onChange={(event) => setFormat(event.target.value as typeof format)}>
        {Object.entries(formats).map(([value, label]) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </SelectField>
      <Button className="md:h-9" disabled={!isReason(reason)} busy={busy} onClick={save}>
        <Download />
        Download journal
      </Button>
    </div>
  )
}

function lastMonths(now: Date): string[] {
  return Array.from({ length: SHOWN }, (_, back) =>
    new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - back, 1)).toISOString().slice(0, 7),
  )
}

const inWords = (month: string) =>
  new Intl.DateTimeFormat('en-US', { month: 'long', year: 'numeric', timeZone: 'UTC' }).format(new Date(`${month}-01`))
