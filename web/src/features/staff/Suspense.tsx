import { money } from '@operon/contracts/words'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import { Button } from '../../ui/Button.tsx'
import { Options, SelectField } from '../../ui/Field.tsx'
import { moment } from '../../ui/format.ts'
import { Asked, EmptyState, Panel } from '../../ui/Panel.tsx'
import { ShowMore } from '../../ui/ShowMore.tsx'
import { toast } from '../../ui/toast.tsx'
import type { SuspenseRow } from './queries.ts'
import { ReasonPanel } from './ReasonPanel.tsx'
import { StaffTable } from './StaffTable.tsx'

const accounts = {
  subscription_revenue: 'A payment for a plan',
  platform_fees: 'A fee of ours',
  refunds: 'A refund',
} as const

/** The movements that nothing explains, until staff have found what they were. */
export function Suspense({ reason }: { reason: string }) {
  const [clearing, setClearing] = useState<SuspenseRow>()
  const rows = useInfiniteQuery({
    queryKey: ['staff-suspense', reason],
    queryFn: ({ pageParam, signal }) => call('staff-suspense', { reason, ...(pageParam && { cursor: pageParam }) }, { signal }),
    initialPageParam: '',
    getNextPageParam: (last) => last.cursor ?? undefined,
    staleTime: 0,
  })
  const shown = rows.data?.pages.flatMap((page) => page.rows) ?? []
  return (
    <Panel title="Money that nothing explains" flush>
      <Asked query={rows} skeleton="m-4 h-24" failed="The rows could not be listed" />
      {rows.data && shown.length === 0 ? (
        <EmptyState compact title="Everything is explained">
          Payments that no plan was sold for, and refunds that a bank sent back, wait here until they are sorted out.
        </EmptyState>
      ) : null}
      {shown.length ? (
        <StaffTable label="Money that nothing explains" first={['When']} head={['What', 'Amount']} wide={['Account']} actions>
          {shown.map((row) => (
            <tr key={row.id} className="align-baseline">
              <td className="whitespace-nowrap max-md:hidden">{moment(row.at)}</td>
              <td className="break-words">
                {row.description || row.kind.replaceAll('_', ' ')}
                <span className="block font-mono text-12 break-all text-faint">{row.reference}</span>
                {row.cleared_as ? <span className="block text-12 text-good">{row.cleared_as}</span> : null}
              </td>
              <td className="text-right font-mono text-12 tabular">{money(row)}</td>
              <td className="break-all text-muted max-md:hidden">{row.email ?? row.user_id ?? 'Unknown'}</td>
              <td className="text-right">
                {row.cleared_as || row.kind === 'suspense_cleared' ? null : (
                  <Button onClick={() => setClearing(row)}>
                    Book it<span className="sr-only"> {row.reference}</span>
                  </Button>
                )}
              </td>
            </tr>
          ))}
        </StaffTable>
      ) : null}
      <ShowMore of={rows} variant="ghost" className="m-2">
        Show older rows
      </ShowMore>
      {clearing ? <ClearPanel row={clearing} onClose={() => setClearing(undefined)} onDone={() => rows.refetch()} /> : null}
    </Panel>
  )
}

type ClearProps = { row: SuspenseRow; onClose: () => void; onDone: () => Promise<unknown> }
function ClearPanel({ row, onClose, onDone }: ClearProps) {
  const [as, setAs] = useState<keyof typeof accounts>('subscription_revenue')
  async function run(reason: string) {
    await call('staff-clear-suspense', { entry_id: row.id, as, reason })
    toast.success('It is booked')
    await onDone()
  }
  return (
    <ReasonPanel
      title="Book what this was"
      action="Book it"
      says={`Books ${money(row)} out of the suspense account, once. No money moves: refund a payment in the Account tab instead.`}
      onClose={onClose}
      run={run}
    >
      <SelectField label="It was" value={as} onChange={(event) => setAs(event.target.value as typeof as)}>
        <Options of={Object.entries(accounts)} />
      </SelectField>
      <p className="font-mono text-12 break-all text-muted">{row.reference}</p>
    </ReasonPanel>
  )
}
