import { day, money } from '@operon/contracts/words'
import { useState } from 'react'
import { EmptyState, ErrorState, Panel } from '../../ui/Panel.tsx'
import type { PayoutRuns } from './queries.ts'
import { ReasonForm } from './ReasonForm.tsx'
import { StaffTable } from './StaffTable.tsx'
import type { LookUp } from './useLookUp.ts'

/** The last Fridays. */
export function RunsTab({ lookUp }: { lookUp: LookUp<string, PayoutRuns> }) {
  const { busy, asked, found, error, ask } = lookUp
  const [reason, setReason] = useState(asked ?? '')
  const list = () => ask(reason.trim())
  return (
    <div className="flex flex-col gap-5 pt-5">
      <ReasonForm reason={reason} onChange={setReason} onAsk={list} ask="List payout runs" busy={busy} />
      <Panel title="Payouts of the last Fridays" flush>
        {error ? <ErrorState title="The payout runs could not be listed" error={error} retry={list} /> : null}
        {found?.runs.length ? (
          <StaffTable label="Payout runs" head={['Friday', 'Amount', 'Paid', 'Pending', 'Returned']} wide={['Payouts']}>
            {found.runs.map((run) => (
              <tr key={`${run.date} ${run.currency}`} className="tabular">
                <td className="whitespace-nowrap">{day(run.date)}</td>
                <td className="text-right font-mono text-12">{money(run)}</td>
                <td>{run.paid.toLocaleString('en-US')}</td>
                <td>{run.pending.toLocaleString('en-US')}</td>
                <td className={run.returned ? 'text-bad' : undefined}>{run.returned.toLocaleString('en-US')}</td>
                <td className="max-md:hidden">{run.payouts.toLocaleString('en-US')}</td>
              </tr>
            ))}
          </StaffTable>
        ) : error ? null : (
          <EmptyState compact title={found ? 'No payouts yet' : 'Not listed yet'}>
            Each Friday, one payout goes to every seller with $50 or more due. A payout that a bank returned is looked up by its seller.
          </EmptyState>
        )}
      </Panel>
    </div>
  )
}
