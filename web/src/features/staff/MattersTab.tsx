import { useState } from 'react'
import { Link } from 'react-router-dom'
import { call } from '../../api/call.ts'
import { Button } from '../../ui/Button.tsx'
import { moment } from '../../ui/format.ts'
import { EmptyState, ErrorState, Panel, Pill } from '../../ui/Panel.tsx'
import type { Matters } from './queries.ts'
import { ReasonForm } from './ReasonForm.tsx'
import { ReasonPanel } from './ReasonPanel.tsx'
import type { LookUp } from './useLookUp.ts'

const tabs = { books: 'books', dispute: 'disputes', payout: 'sellers', suspense: 'books' } as const
const names = { books: 'Books', dispute: 'Dispute', payout: 'Payout', suspense: 'Unknown money' } as const

/** Decisions that wait for staff, each with its tab. */
export function MattersTab({ lookUp }: { lookUp: LookUp<string, Matters> }) {
  const { busy, asked, found, error, ask } = lookUp
  const [reason, setReason] = useState(asked ?? '')
  const [closing, setClosing] = useState<Matters['matters'][number]>()
  const list = () => ask(reason.trim())
  return (
    <div className="flex flex-col gap-5 pt-5">
      <ReasonForm reason={reason} onChange={setReason} onAsk={list} ask="List what waits" busy={busy} />
      <Panel title="Waiting for staff" flush>
        {error ? <ErrorState title="What waits could not be listed" error={error} retry={list} /> : null}
        {found?.matters.length ? (
          <ul className="divide-y divide-line text-13">
            {found.matters.map((matter) => (
              <li key={matter.id} className="flex flex-wrap items-start justify-between gap-x-6 gap-y-2 px-4 py-3">
                <span className="min-w-0 flex-1 basis-60">
                  <span className="flex flex-wrap items-center gap-2 font-medium">
                    {matter.title} <Pill tone="warn">{names[matter.matter]}</Pill>
                  </span>
                  <span className="mt-0.5 block break-words text-muted">{matter.body}</span>
                  <span className="block font-mono text-12 break-all text-faint">{matter.subject}</span>
                  <span className="block text-12 text-faint">Since {moment(matter.opened_at)}</span>
                </span>
                {matter.matter === 'payout' ? <Button onClick={() => setClosing(matter)}>Close</Button> : null}
                <Link to={`/staff?section=${tabs[matter.matter]}`} className="underline decoration-control underline-offset-4">
                  Open {tabs[matter.matter]}
                </Link>
              </li>
            ))}
          </ul>
        ) : error ? null : (
          <EmptyState compact title={found ? 'Nothing waits' : 'Not listed yet'}>
            Differences in the books, disputes, refused payouts, debts of sellers and money that nothing explains wait here until staff have
            decided.
          </EmptyState>
        )}
        {found?.more ? <p className="px-4 py-3 text-12 text-faint">These are the newest {found.matters.length}.</p> : null}
      </Panel>
      {closing ? (
        <ReasonPanel
          title="Close this matter"
          action="Close"
          says={`“${closing.title}” leaves the list. Nothing is paid or refunded. If it happens again, it comes back.`}
          onClose={() => setClosing(undefined)}
          run={(why) => call('staff-close-matter', { matter_id: closing.id, reason: why }).then(list)}
        />
      ) : null}
    </div>
  )
}
