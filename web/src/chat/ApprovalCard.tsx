import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { type Approval, change, readApproval } from '../api/ai.ts'
import { call } from '../api/call.ts'
import { toast } from '../ui/toast.tsx'
import { ApprovalView } from './ApprovalView.tsx'
import { type Failure, failureOf } from './outcome.ts'

/** Steps that wait for one approval, and what became of them. */
export function ApprovalCard({ given }: { given: Approval }) {
  const queries = useQueryClient()
  const key = ['ai-approval', given.id]
  const { data: approval = given } = useQuery({
    queryKey: key,
    queryFn: () => readApproval(given.id),
    initialData: given,
    refetchInterval: ({ state }) => (state.data?.state === 'running' ? 700 : false),
  })
  const [problem, setProblem] = useState<(Failure & { at: Approval['state'] }) | null>(null)
  const [busy, setBusy] = useState(false)

  async function act(work: () => Promise<{ approval: Approval }>): Promise<boolean> {
    setBusy(true)
    setProblem(null)
    try {
      queries.setQueryData(key, (await work()).approval)
      for (const other of ['activity', 'ai-usage']) void queries.invalidateQueries({ queryKey: [other] })
      return true
    } catch (error) {
      setProblem({ ...failureOf(error), at: approval.state })
      void queries.invalidateQueries({ queryKey: key })
      return false
    } finally {
      setBusy(false)
    }
  }
  const place = { approval_id: approval.id }
  async function mark(state: 'proposed' | 'dismissed') {
    try {
      await change('ai_approvals', approval.id, { state })
      await queries.invalidateQueries({ queryKey: key })
      if (state === 'dismissed') toast.undo('Proposal dismissed', () => mark('proposed'))
    } catch (error) {
      toast.error('Your changes were not saved', (error as Error).message)
    }
  }

  return (
    <ApprovalView
      approval={approval}
      busy={busy}
      problem={problem?.at === approval.state ? problem : null}
      onApprove={() => act(() => call('approve-actions', place))}
      onDismiss={() => mark('dismissed')}
      onEdit={(step, input) => act(() => call('edit-proposal', { ...place, step, input }))}
      onUndo={(step) => act(() => call('undo-action', { ...place, step }))}
    />
  )
}
