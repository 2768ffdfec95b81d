import { useState } from 'react'
import { Link } from 'react-router-dom'
import { call } from '../../api/call.ts'
import { Button } from '../../ui/Button.tsx'
import { ago, moment } from '../../ui/format.ts'
import { EmptyState, ErrorState, Panel, Pill } from '../../ui/Panel.tsx'
import { attempt, toast } from '../../ui/toast.tsx'
import type { Decision, Reports } from './queries.ts'
import { isReason, ReasonForm } from './ReasonForm.tsx'
import { StaffTable } from './StaffTable.tsx'
import type { LookUp } from './useLookUp.ts'

type Open = Reports['open'][number]
const done: Record<Decision, string> = {
  dismiss: 'Reports closed',
  takedown: 'Taken down',
  restore: 'On sale again',
  suspend: 'Sales suspended',
  reinstate: 'Sales open again',
}

/** Reports about products and storefronts, the oldest first. The seller reads the reason of a decision. */
export function ModerationTab({ lookUp }: { lookUp: LookUp<string, Reports> }) {
  const { busy, asked, found, error, ask } = lookUp
  const [reason, setReason] = useState(asked ?? '')
  const list = () => ask(reason.trim())
  const decide = ({ item_id, seller_id }: Pick<Open, 'item_id' | 'seller_id'>, decision: Decision) =>
    attempt('Nothing was decided', async () => {
      await call('staff-moderate', { item_id, seller_id, decision, reason: reason.trim() })
      toast.success(done[decision])
      await list()
    })
  return (
    <div className="flex flex-col gap-5 pt-5">
      <ReasonForm reason={reason} onChange={setReason} onAsk={list} ask="List reports" busy={busy} />
      <Panel title="Open reports" flush>
        {error ? <ErrorState title="The reports could not be listed" error={error} retry={list} /> : null}
        {found?.open.length ? (
          <ul className="divide-y divide-line">
            {found.open.map((one) => (
              <li key={`${one.seller_id}${one.item_id}`} className="flex flex-wrap items-start gap-x-6 gap-y-2 px-4 py-3 text-13">
                <div className="min-w-0 flex-1 basis-80">
                  <p className="flex flex-wrap items-center gap-2 font-medium">
                    {one.path ? (
                      <Link to={one.path} className="underline decoration-control underline-offset-2">
                        {one.title}
                      </Link>
                    ) : (
                      one.title
                    )}
                    <span className="font-normal text-faint">
                      by {one.seller} · {one.reports === 1 ? '1 report' : `${one.reports} reports`} · {ago(one.first_at)}
                    </span>
                    {one.suspended ? <Pill tone="bad">Off sale</Pill> : null}
                  </p>
                  <ul className="mt-1 text-muted">
                    {one.newest.map((report) => (
                      <li key={report.at} className="break-words">
                        {report.reason}
                        {report.text ? `: ${report.text}` : ''}
                      </li>
                    ))}
                  </ul>
                </div>
                <div className="flex flex-wrap gap-2">
                  <Button disabled={!isReason(reason)} onClick={() => decide(one, 'dismiss')}>
                    Nothing wrong
                  </Button>
                  {one.item_id ? (
                    <Button
                      variant="danger"
                      disabled={!isReason(reason)}
                      onClick={() => decide(one, one.suspended ? 'restore' : 'takedown')}
                    >
                      {one.suspended ? 'Put back on sale' : 'Take down'}
                    </Button>
                  ) : null}
                  <Button variant="danger" disabled={!isReason(reason)} onClick={() => decide({ ...one, item_id: null }, 'suspend')}>
                    Suspend seller
                  </Button>
                </div>
              </li>
            ))}
          </ul>
        ) : error ? null : (
          <EmptyState compact title={found ? 'No open reports' : 'Not listed yet'}>
            Visitors report products and storefronts. The reason above is kept with each decision, and the seller reads it.
          </EmptyState>
        )}
        {found?.more ? <p className="px-4 py-3 text-12 text-faint">These are the first {found.open.length}.</p> : null}
      </Panel>
      {found?.decided.length ? (
        <Panel title="Decided last" flush>
          <StaffTable label="Decisions" head={['What', 'Decision']} wide={['Reason', 'When']} actions>
            {found.decided.map((one) => (
              <tr key={one.at}>
                <td className="break-words">{one.title}</td>
                <td>{done[one.decision as Decision]}</td>
                <td className="text-muted max-md:hidden">{one.reason}</td>
                <td className="whitespace-nowrap text-muted max-md:hidden">{moment(one.at)}</td>
                <td className="text-right">
                  {one.decision === 'takedown' || one.decision === 'suspend' ? (
                    <Button variant="ghost" onClick={() => decide(one, one.decision === 'takedown' ? 'restore' : 'reinstate')}>
                      Undo
                    </Button>
                  ) : null}
                </td>
              </tr>
            ))}
          </StaffTable>
        </Panel>
      ) : null}
    </div>
  )
}
