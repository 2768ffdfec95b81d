import { money } from '@operon/contracts/words'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import type { ApiError } from '../../api/http.ts'
import { Button } from '../../ui/Button.tsx'
import { TextArea, TextField } from '../../ui/Field.tsx'
import { Alert, Skeleton } from '../../ui/Panel.tsx'
import { toast } from '../../ui/toast.tsx'
import { Facts } from './Facts.tsx'
import { type Sale, useRefundPreview } from './queries.ts'

type Props = { sale: Sale; onClose: () => void; onDone: () => Promise<unknown> }

/** How much and why; then what it takes from whom, and only then the button that sends it. */
export function RefundForm({ sale, onClose, onDone }: Props) {
  const left = sale.amount_cents - sale.refunded_cents
  const [amount, setAmount] = useState((left / 100).toFixed(2))
  const [reason, setReason] = useState('')
  const [isReviewed, setReviewed] = useState(false)
  const cents = /^\d+([.,]\d{1,2})?$/.test(amount.trim()) ? Math.round(Number(amount.trim().replace(',', '.')) * 100) : 0
  const fits = cents > 0 && cents <= left
  if (isReviewed) return <Review sale={sale} cents={cents} reason={reason.trim()} onBack={() => setReviewed(false)} onDone={onDone} />
  return (
    <form
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault()
        setReviewed(true)
      }}
    >
      <TextField
        label={`Amount in ${sale.currency.toUpperCase()}`}
        inputMode="decimal"
        data-first
        value={amount}
        onChange={(event) => setAmount(event.target.value)}
        error={fits ? undefined : `Between 0.01 and ${(left / 100).toFixed(2)}.`}
        hint={
          left < sale.amount_cents
            ? `${money({ ...sale, amount_cents: left })} of this payment is left.`
            : 'All of it, unless you change the amount.'
        }
      />
      <TextArea
        label="Reason"
        hint="At least 3 characters. It is kept with the refund; the buyer does not see it."
        maxLength={500}
        value={reason}
        onChange={(event) => setReason(event.target.value)}
      />
      <div className="flex justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" variant="primary" disabled={!fits || reason.trim().length < 3}>
          Review refund
        </Button>
      </div>
    </form>
  )
}

type ReviewProps = { sale: Sale; cents: number; reason: string; onBack: () => void; onDone: Props['onDone'] }
function Review({ sale, cents, reason, onBack, onDone }: ReviewProps) {
  // Sent again after a lost answer, it is still one refund.
  const [idempotencyKey] = useState(() => crypto.randomUUID())
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string>()
  const preview = useRefundPreview(sale.id, cents, busy)
  const words = (amount_cents: number) => money({ amount_cents, currency: sale.currency })
  const mono = (amount_cents: number) => <span className="font-mono text-12 tabular">{words(amount_cents)}</span>

  async function send() {
    setBusy(true)
    setProblem(undefined)
    try {
      const done = await call('refund-order', { sale_id: sale.id, amount_cents: cents, reason }, { idempotencyKey })
      toast.success(`${money(done)} is on its way back to the buyer`, 'Their bank shows it in 5 to 10 days.')
      await onDone()
    } catch (error) {
      if ((error as ApiError).code === 'refund_needs_staff') {
        toast.success('Our team was asked', 'They look at this refund, and it shows here once it is sent.')
        return onDone()
      }
      setProblem((error as Error).message)
      setBusy(false)
    }
  }

  return (
    <div className="flex flex-col gap-4">
      <p className="text-14">
        {words(cents)} goes back to the {sale.method.startsWith('card') ? 'card' : 'account'} that paid. This cannot be undone.
      </p>
      {preview.isPending ? <Skeleton className="h-24" /> : null}
      {preview.isError ? <Alert title="It cannot be refunded">{preview.error.message}</Alert> : null}
      {preview.data ? (
        <Facts
          facts={[
            ['From what is held for you', preview.data.from_held_cents > 0 && mono(preview.data.from_held_cents)],
            ['From what is due to you', preview.data.from_due_cents > 0 && mono(preview.data.from_due_cents)],
            ['You owe it; your next sales settle it', preview.data.becomes_owed_cents > 0 && mono(preview.data.becomes_owed_cents)],
            ['From our fee, which we give back', preview.data.fee_returned_cents > 0 && mono(preview.data.fee_returned_cents)],
            ['Tax, which is not owed any more', preview.data.tax_returned_cents > 0 && mono(preview.data.tax_returned_cents)],
            ['Reason', reason],
          ]}
        />
      ) : null}
      {preview.data?.needs_staff ? (
        <Alert tone="warn" title="Our team has to approve this refund">
          Your balance does not cover it. Ask for it here, and our team decides.
        </Alert>
      ) : null}
      {problem ? <Alert title="The refund was not sent">{problem} Nothing has changed.</Alert> : null}
      <div className="flex justify-end gap-2">
        <Button onClick={onBack} disabled={busy}>
          Back
        </Button>
        <Button variant="danger" busy={busy} disabled={!preview.data} onClick={send}>
          {preview.data?.needs_staff ? 'Ask our team' : `Refund ${words(cents)}`}
        </Button>
      </div>
    </div>
  )
}
