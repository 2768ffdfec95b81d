import { texts } from '@operon/contracts/messages'
import { billCentsOf, type Period, type Plan } from '@operon/contracts/plans'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { SwitchPreview } from '../../api/billing.ts'
import { call } from '../../api/call.ts'
import { subscriptionKey } from '../../api/subscription.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { day, money } from '../../ui/format.ts'
import { Asked } from '../../ui/Panel.tsx'
import { attempt, toast } from '../../ui/toast.tsx'

type Props = { plan: Plan; period: Period; from: 'today' | 'the next billing date'; userId: string; onClose: () => void }

/** Shows the cost of the change before it is made. */
export function SwitchDialog({ plan, period, from, userId, onClose }: Props) {
  const queries = useQueryClient()
  const [busy, setBusy] = useState(false)
  const preview = useQuery({
    queryKey: ['preview-switch', userId, plan.id, period],
    queryFn: () => call('preview-switch', { plan: plan.id, period }),
    staleTime: 0,
  })

  async function confirm() {
    setBusy(true)
    await attempt(texts.failedToAccessManagement, async () => {
      const subscription = await call('switch-plan', { plan: plan.id, period })
      queries.setQueryData(subscriptionKey(userId), subscription)
      await queries.invalidateQueries({ queryKey: ['invoices', userId] })
      const later = subscription.next_plan === plan.id && subscription.current_period_end
      if (later)
        toast.success(
          `${plan.name}${period === 'month' ? '' : ', billed yearly,'} starts on ${day(later)}`,
          'Your current plan stays until then, with everything in it.',
        )
      else toast.success(`You are on ${plan.name} now`)
      onClose()
    })
    setBusy(false)
  }

  return (
    <Dialog
      open
      onClose={onClose}
      title={`Switch to ${plan.name}${period === 'year' ? ', billed yearly' : ''}`}
      description={`${money(billCentsOf(plan.id, period))} per ${period} from ${from}.${period === 'year' ? ' Allowances count by the month.' : ''}`}
      footer={
        <>
          <Button onClick={onClose}>Keep my plan</Button>
          <Button variant="primary" busy={busy} disabled={!preview.data} onClick={confirm}>
            Switch Plan
          </Button>
        </>
      }
    >
      <Asked query={preview} skeleton="h-24" failed="The change could not be calculated" />
      {preview.data ? <Cost preview={preview.data} /> : null}
    </Dialog>
  )
}

/** An upgrade is paid at once; a lower plan starts with the next period, and nothing is due before it. */
function Cost({ preview }: { preview: SwitchPreview }) {
  const { lines, amount_due_cents: due, currency, next_billing_date } = preview
  const next = next_billing_date ? day(next_billing_date) : 'the next billing date'
  const sum = lines.reduce((all, { amount_cents }) => all + amount_cents, 0)
  return (
    <>
      <table className="w-full text-13">
        <tbody className="divide-y divide-line">
          {lines.map((line, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: two lines can say the same, and none ever moves
            <Row key={at} label={line.description} cents={line.amount_cents} currency={currency} />
          ))}
          {sum > due ? <Row label="Discount and credit" cents={due - sum} currency={currency} /> : null}
          <Row strong label={preview.due === 'now' ? 'Due now' : `Nothing due today. Due on ${next}`} cents={due} currency={currency} />
        </tbody>
      </table>
      {sum < due ? (
        <p className="mt-3 text-12 text-faint">{money(due - sum, currency)} is left and stays as credit for the invoices after it.</p>
      ) : null}
      {preview.due === 'now' ? <p className="mt-3 text-12 text-faint">Next billing date: {next}</p> : null}
    </>
  )
}

function Row({ label, cents, currency, strong }: { label: string; cents: number; currency: string; strong?: boolean }) {
  return (
    <tr className={strong ? 'font-semibold' : undefined}>
      <td className={strong ? 'py-2 pr-4' : 'py-2 pr-4 text-muted'}>{label}</td>
      <td className="py-2 text-right font-mono text-12 tabular">{money(cents, currency)}</td>
    </tr>
  )
}
