import { useState } from 'react'
import { TextField } from '../../ui/Field.tsx'
import { day, money } from '../../ui/format.ts'
import { toast } from '../../ui/toast.tsx'
import { newKey, refund, type StaffPayment } from './queries.ts'
import { ReasonPanel } from './ReasonPanel.tsx'

type Props = {
  payment: Pick<StaffPayment, 'payment' | 'amount_cents' | 'currency' | 'at'>
  /** Tells what happens to the rest, before it is done. */
  after?: string
  send?: (amountCents: number, reason: string, key: string) => Promise<{ amount_cents: number; currency: string }>
  onClose: () => void
  onDone: () => void
}

export function RefundPanel({ payment, after, send, onClose, onDone }: Props) {
  const [key] = useState(newKey)
  const [amount, setAmount] = useState((payment.amount_cents / 100).toFixed(2))
  const cents = /^\d+([.,]\d{1,2})?$/.test(amount.trim()) ? Math.round(Number(amount.trim().replace(',', '.')) * 100) : 0
  const fits = cents > 0 && cents <= payment.amount_cents
  const given = money(cents, payment.currency)
  const isWhole = cents === payment.amount_cents
  const then =
    after ?? (isWhole ? 'If it paid for the running period of a plan, the plan ends at once.' : 'A plan that it paid for stays as it is.')

  async function run(reason: string) {
    const done = await (send ? send(cents, reason, key) : refund(payment.payment, cents, reason, key))
    toast.success(`${money(done.amount_cents, done.currency)} was refunded`, 'It is booked; the bank shows it in 5 to 10 days.')
    onDone()
  }

  return (
    <ReasonPanel
      title="Refund this payment"
      action={fits ? `Refund ${given}` : 'Refund'}
      danger
      ready={fits}
      says={
        fits
          ? `Sends ${given} of the payment of ${day(payment.at)} back to the card that paid it and books it. ${then} It cannot be taken back.`
          : 'Enter the amount to refund.'
      }
      onClose={onClose}
      run={run}
    >
      <TextField
        label={`Amount in ${payment.currency.toUpperCase()}`}
        inputMode="decimal"
        value={amount}
        onChange={(event) => setAmount(event.target.value)}
        error={fits ? undefined : `Between 0.01 and ${(payment.amount_cents / 100).toFixed(2)}.`}
        hint={`Not refunded yet: ${money(payment.amount_cents, payment.currency)}, ${payment.payment}`}
      />
    </ReasonPanel>
  )
}
