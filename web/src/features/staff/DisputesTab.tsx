import { useState } from 'react'
import { Button } from '../../ui/Button.tsx'
import { moment, money } from '../../ui/format.ts'
import { EmptyState, ErrorState, Panel, Pill } from '../../ui/Panel.tsx'
import { EvidencePanel } from './EvidencePanel.tsx'
import type { OpenDispute, OpenDisputes } from './queries.ts'
import { ReasonForm } from './ReasonForm.tsx'
import { StaffTable } from './StaffTable.tsx'
import type { LookUp } from './useLookUp.ts'

/** Disputes that the bank has not decided, the next deadline first. */
export function DisputesTab({ lookUp }: { lookUp: LookUp<string, OpenDisputes> }) {
  const { busy, asked, found, error, ask } = lookUp
  const [reason, setReason] = useState(asked ?? '')
  const [chosen, setChosen] = useState<OpenDispute>()
  const list = () => ask(reason.trim())
  return (
    <div className="flex flex-col gap-5 pt-5">
      <ReasonForm reason={reason} onChange={setReason} onAsk={list} ask="List open disputes" busy={busy} />
      <Panel title="Disputed payments" flush>
        {error ? <ErrorState title="The disputes could not be listed" error={error} retry={list} /> : null}
        {found?.disputes.length ? (
          <StaffTable label="Disputed payments" head={['Evidence due', 'Payment', 'Amount']} wide={['Account', 'Reason']} actions>
            {found.disputes.map((dispute) => (
              <tr key={dispute.dispute}>
                <td className="whitespace-nowrap">{dispute.evidence_due_at ? moment(dispute.evidence_due_at) : 'None asked for'}</td>
                <td className="font-mono text-12 break-all">{dispute.payment}</td>
                <td className="text-right font-mono text-12 tabular">{money(dispute.amount_cents, dispute.currency)}</td>
                <td className="break-all text-muted max-md:hidden">
                  {dispute.email ?? dispute.user_id ?? (dispute.sale_id ? 'Guest' : 'Unknown')}
                </td>
                <td className="text-muted max-md:hidden">
                  {dispute.reason.replaceAll('_', ' ')}
                  {dispute.state === 'asked' ? ' (inquiry, no money moved)' : ''}
                </td>
                <td className="text-right">
                  {dispute.evidence_sent_at ? (
                    <Pill tone="good">evidence sent</Pill>
                  ) : (
                    <Button onClick={() => setChosen(dispute)}>
                      Evidence<span className="sr-only"> for {dispute.payment}</span>
                    </Button>
                  )}
                </td>
              </tr>
            ))}
          </StaffTable>
        ) : error ? null : (
          <EmptyState compact title={found ? 'No open disputes' : 'Not listed yet'}>
            A payment that a bank takes back waits here until the bank decides. Its plan is paused until then.
          </EmptyState>
        )}
        {found?.more ? <p className="px-4 py-3 text-12 text-faint">These are the first {found.disputes.length} by deadline.</p> : null}
      </Panel>
      {chosen ? (
        <EvidencePanel
          about={{ dispute: chosen.dispute }}
          title={chosen.sale_id ? 'a sale' : 'a plan'}
          kept={chosen.evidence}
          onClose={() => setChosen(undefined)}
          onDone={list}
        />
      ) : null}
    </div>
  )
}
