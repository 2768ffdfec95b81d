import { money } from '@operon/contracts/words'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import { SelectField, TextField } from '../../ui/Field.tsx'
import { day } from '../../ui/format.ts'
import { toast } from '../../ui/toast.tsx'
import { newKey } from './queries.ts'
import { ReasonPanel } from './ReasonPanel.tsx'

type Props = { userId: string; onClose: () => void; onDone: () => void }

export function CancelPanel({ userId, periodEnd, onClose, onDone }: Props & { periodEnd: string | null }) {
  const [when, setWhen] = useState<'period_end' | 'now'>('period_end')
  async function run(reason: string) {
    await call('staff-cancel-plan', { user_id: userId, when, reason })
    toast.success(when === 'now' ? 'The plan has ended' : 'The plan ends with its period')
    onDone()
  }
  return (
    <ReasonPanel
      title="End the plan"
      action={when === 'now' ? 'End it now' : 'End it with its period'}
      danger
      says={
        when === 'now'
          ? 'The tools of the plan close at once and nothing more is charged. Nothing is given back: refund the payment separately.'
          : `The plan stays open${periodEnd ? ` until ${day(periodEnd)}` : ' to the end of its period'}, and nothing more is charged. Its owner can take that back.`
      }
      onClose={onClose}
      run={run}
    >
      <SelectField label="When" value={when} onChange={(event) => setWhen(event.target.value as typeof when)}>
        <option value="period_end">At the end of the period</option>
        <option value="now">Now</option>
      </SelectField>
    </ReasonPanel>
  )
}

export function CreditPanel({ userId, onClose, onDone }: Props) {
  const [key] = useState(newKey)
  const [amount, setAmount] = useState('')
  const cents = /^\d+([.,]\d{1,2})?$/.test(amount.trim()) ? Math.round(Number(amount.trim().replace(',', '.')) * 100) : 0
  const fits = cents >= 1 && cents <= 100_000
  const words = money({ amount_cents: cents, currency: 'usd' })
  async function run(reason: string) {
    await call('staff-credit', { user_id: userId, amount_cents: cents, reason }, { idempotencyKey: key })
    toast.success(`${words} was credited`)
    onDone()
  }
  return (
    <ReasonPanel
      title="Give credit"
      action={fits ? `Credit ${words}` : 'Credit'}
      ready={fits}
      says={
        fits
          ? `${words} comes off the next invoices of this account. It is not paid out, and cannot be taken back here.`
          : 'Enter the amount, up to $1,000.'
      }
      onClose={onClose}
      run={run}
    >
      <TextField label="Amount in USD" inputMode="decimal" value={amount} onChange={(event) => setAmount(event.target.value)} />
    </ReasonPanel>
  )
}
