import { useState } from 'react'
import { TextField } from '../../ui/Field.tsx'
import { DAY_MS, day, moment } from '../../ui/format.ts'
import { toast } from '../../ui/toast.tsx'
import { extendTrial, newKey } from './queries.ts'
import { ReasonPanel } from './ReasonPanel.tsx'

const MOST_DAYS = 30
type Props = { userId: string; trialEnd: string; onClose: () => void; onDone: () => void }

export function ExtendTrialPanel({ userId, trialEnd, onClose, onDone }: Props) {
  const [key] = useState(newKey)
  const [typed, setTyped] = useState('7')
  const days = Number(typed)
  const fits = Number.isInteger(days) && days >= 1 && days <= MOST_DAYS

  async function run(reason: string) {
    const { trial_end } = await extendTrial(userId, days, reason, key)
    toast.success(`The trial runs until ${day(trial_end)}`)
    onDone()
  }

  return (
    <ReasonPanel
      title="Extend the trial"
      action={fits ? `Extend by ${days} ${days === 1 ? 'day' : 'days'}` : 'Extend'}
      ready={fits}
      says={
        fits
          ? `Moves the first charge from ${moment(trialEnd)} to ${moment(Date.parse(trialEnd) + days * DAY_MS)}. The limits of the trial stay.`
          : 'Enter the number of days.'
      }
      onClose={onClose}
      run={run}
    >
      <TextField
        label="Days"
        type="number"
        min={1}
        max={MOST_DAYS}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        error={fits ? undefined : `Whole days, 1 to ${MOST_DAYS}.`}
      />
    </ReasonPanel>
  )
}
