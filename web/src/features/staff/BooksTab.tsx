import { useState } from 'react'
import { Button } from '../../ui/Button.tsx'
import { moment, money } from '../../ui/format.ts'
import { Alert, EmptyState, ErrorState, Panel } from '../../ui/Panel.tsx'
import { toast } from '../../ui/toast.tsx'
import type { Books } from './queries.ts'
import { isReason, ReasonForm } from './ReasonForm.tsx'
import { StaffTable } from './StaffTable.tsx'
import { Suspense } from './Suspense.tsx'
import type { LookUp } from './useLookUp.ts'

/** Where our books and the payment provider's own figures do not agree, as the last comparison found it. */
export function BooksTab({ lookUp }: { lookUp: LookUp<{ reason: string; again: boolean }, Books> }) {
  const { busy, asked, found, error, ask } = lookUp
  const [reason, setReason] = useState(asked?.reason ?? '')
  const show = () => ask({ reason: reason.trim(), again: false })
  async function compareAgain() {
    await ask({ reason: reason.trim(), again: true })
    toast.success('A comparison was started', 'Show the books again in a moment to see what it found.')
  }
  return (
    <div className="flex flex-col gap-5 pt-5">
      <ReasonForm reason={reason} onChange={setReason} onAsk={show} ask="Show the books" busy={busy}>
        <Button className="md:h-9" disabled={!isReason(reason) || busy} onClick={compareAgain}>
          Compare now
        </Button>
      </ReasonForm>
      {found?.suspense.map(({ currency, amount_cents }) => (
        <Alert key={currency} title={`${money(amount_cents, currency)} of unknown purpose`}>
          Payments that no plan was sold for, and refunds that a bank sent back, wait in the suspense account until they are sorted out.
        </Alert>
      ))}
      {found && asked ? <Suspense reason={asked.reason} /> : null}
      <Panel title="Differences with the payment provider" flush>
        {error ? <ErrorState title="The books could not be shown" error={error} retry={show} /> : null}
        {found?.differences.length ? (
          <StaffTable label="Differences" head={['Account', 'Ours', 'Provider’s']} wide={['Not booked']}>
            {found.differences.map(({ account, subject, currency, ours_cents, theirs_cents, rows }) => (
              <tr key={`${account} ${subject} ${currency}`}>
                <td className="break-words">
                  {account.replaceAll('_', ' ')}
                  {subject ? <span className="block font-mono text-12 break-all text-faint">{subject}</span> : null}
                </td>
                <td className="font-mono text-12 tabular">{money(ours_cents, currency)}</td>
                <td className="font-mono text-12 tabular">{money(theirs_cents, currency)}</td>
                <td className="font-mono text-12 break-all text-muted max-md:hidden">{rows.join(', ')}</td>
              </tr>
            ))}
          </StaffTable>
        ) : error ? null : (
          <EmptyState compact title={found ? (found.compared_at ? 'No differences' : 'Not compared yet') : 'Not shown yet'}>
            {found?.compared_at
              ? `Last compared ${moment(found.compared_at)}.`
              : 'Every night each account of our books is compared with the payment provider.'}
          </EmptyState>
        )}
        {found?.more ? <p className="px-4 py-3 text-12 text-faint">These are the first {found.differences.length}.</p> : null}
      </Panel>
    </div>
  )
}
