import { money } from '@operon/contracts/words'
import { samplePayouts, sampleTransactions } from '../../content/samplePayments.ts'
import { Panel, SamplePill } from '../../ui/Panel.tsx'
import { PaymentsTable } from './PaymentsTable.tsx'
import { PayoutsTable } from './PayoutsTable.tsx'

const usd = (amount_cents: number) => money({ amount_cents, currency: 'usd' })

export function SampleTransactions() {
  return (
    <Panel flush title="Transactions" badge={<SamplePill />} className="mt-4">
      <PaymentsTable rows={sampleTransactions.map((row) => ({ ...row, amount: usd(row.amount_cents) }))} />
    </Panel>
  )
}

export function SamplePayouts() {
  return (
    <Panel flush title="Payouts" badge={<SamplePill />} className="mt-4">
      <PayoutsTable rows={samplePayouts.map((row) => ({ ...row, currency: 'usd', bank_last4: '6789', returned_because: null }))} />
    </Panel>
  )
}
