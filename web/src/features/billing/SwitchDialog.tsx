import { texts } from '@operon/contracts/messages'
import type { Plan } from '@operon/contracts/plans'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { fnCall, type SwitchPreview } from '../../api/billing.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { day, money } from '../../ui/format.ts'
import { ErrorState, Skeleton } from '../../ui/Panel.tsx'
import { toast } from '../../ui/toast.tsx'
import { subscriptionKey } from './queries.ts'

/** What the change costs, before it is made. */
export function SwitchDialog({ plan, userId, onClose }: { plan: Plan; userId: string; onClose: () => void }) {
  const queries = useQueryClient()
  const [busy, setBusy] = useState(false)
  const preview = useQuery({
    queryKey: ['preview-switch', userId, plan.id],
    queryFn: () => fnCall<SwitchPreview>('preview-switch', { plan: plan.id }),
    staleTime: 0,
  })

  async function confirm() {
    setBusy(true)
    try {
      const subscription = await fnCall('switch-plan', { plan: plan.id })
      queries.setQueryData(subscriptionKey(userId), subscription)
      await queries.invalidateQueries({ queryKey: ['invoices', userId] })
      toast.success(`You are on ${plan.name} now`)
      onClose()
    } catch (error) {
      toast.error(texts.failedToAccessManagement, (error as Error).message)
    } finally {
      setBusy(false)
    }
  }

  return (
    <Dialog
      open
      onClose={onClose}
      title={`Switch to ${plan.name}`}
      description={`${money(plan.priceCents)} per month from the next billing date.`}
      footer={
        <>
          <Button onClick={onClose}>Keep my plan</Button>
          <Button variant="primary" busy={busy} disabled={!preview.data} onClick={confirm}>
            Switch Plan
          </Button>
        </>
      }
    >
      {preview.isPending ? <Skeleton className="h-24" /> : null}
      {preview.isError ? (
        <ErrorState title="The change could not be calculated" error={preview.error} retry={() => preview.refetch()} />
      ) : null}
      {preview.data ? (
        <table className="w-full text-13">
          <tbody className="divide-y divide-line">
            {preview.data.lines.map((line) => (
              <tr key={line.description}>
                <td className="py-2 pr-4 text-muted">{line.description}</td>
                <td className="py-2 text-right font-mono text-12 tabular">{money(line.amount_cents, preview.data.currency)}</td>
              </tr>
            ))}
            <tr className="font-semibold">
              <td className="py-2 pr-4">{preview.data.amount_due_cents < 0 ? 'Credited to the next invoice' : 'Due now'}</td>
              <td className="py-2 text-right font-mono text-12 tabular">
                {money(Math.abs(preview.data.amount_due_cents), preview.data.currency)}
              </td>
            </tr>
          </tbody>
        </table>
      ) : null}
      {preview.data?.next_billing_date ? (
        <p className="mt-3 text-12 text-faint">Next billing date: {day(preview.data.next_billing_date)}</p>
      ) : null}
    </Dialog>
  )
}
