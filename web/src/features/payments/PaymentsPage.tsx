import { Download } from 'lucide-react'
import { useState } from 'react'
import { ConfirmItsYouHost } from '../../shell/ConfirmItsYou.tsx'
import { Button } from '../../ui/Button.tsx'
import { ErrorState, PageHeader, Panel, SamplePill, Skeleton } from '../../ui/Panel.tsx'
import { Tabs } from '../../ui/Tabs.tsx'
import { useSampleData } from '../../ui/useSampleData.ts'
import { AccountPanel } from './AccountPanel.tsx'
import { useAddress } from './address.ts'
import { Balances, SampleBalance } from './Balances.tsx'
import { ExportDialog } from './ExportDialog.tsx'
import { PartPanel } from './PartPanel.tsx'
import { PayoutPanel } from './PayoutPanel.tsx'
import { Payouts } from './Payouts.tsx'
import { useBalance, usePaymentsRefresh } from './queries.ts'
import { SalePanel } from './SalePanel.tsx'
import { SamplePayouts, SampleTransactions } from './Samples.tsx'
import { Transactions } from './Transactions.tsx'

/** Buyers' payments, the seller's share, and when it reaches their bank. */
export function PaymentsPage() {
  const address = useAddress()
  const balance = useBalance()
  const refresh = usePaymentsRefresh()
  const samples = useSampleData()
  const [exporting, setExporting] = useState(false)
  const isNew = balance.data?.since === null
  const isSample = isNew && samples.shown
  const close = () => address.change({ sale: undefined, payout: undefined, part: undefined, currency: undefined })

  return (
    <>
      <PageHeader
        title="Payments"
        badge={isSample ? <SamplePill /> : null}
        actions={
          <>
            {isNew ? (
              <Button variant="ghost" onClick={samples.toggle}>
                {samples.shown ? 'Hide sample data' : 'Show sample data'}
              </Button>
            ) : null}
            <Button disabled={!balance.data?.since} onClick={() => setExporting(true)}>
              <Download />
              Export
            </Button>
          </>
        }
      />
      <div className="flex flex-col gap-6">
        {balance.isPending ? <Waiting /> : null}
        {balance.isError ? (
          <Panel flush>
            <ErrorState title="Your balance could not be loaded" error={balance.error} retry={() => balance.refetch()} />
          </Panel>
        ) : null}
        {balance.data ? <AccountPanel account={balance.data.account} address={address} refresh={refresh} /> : null}
        {isSample ? <SampleBalance /> : balance.data ? <Balances balance={balance.data} address={address} /> : null}
        <Tabs
          label="Transactions and payouts"
          value={address.tab}
          onChange={(tab) => address.change({ tab: tab === 'payouts' ? tab : undefined }, true)}
          tabs={[
            {
              id: 'transactions',
              label: 'Transactions',
              panel: isSample ? <SampleTransactions /> : <Transactions address={address} isNew={isNew} />,
            },
            {
              id: 'payouts',
              label: 'Payouts',
              panel: isSample ? <SamplePayouts /> : <Payouts address={address} next={balance.data?.next ?? []} />,
            },
          ]}
        />
      </div>
      <ConfirmItsYouHost />
      {address.sale ? <SalePanel key={address.sale} id={address.sale} onClose={close} refresh={refresh} /> : null}
      {!address.sale && address.payout ? <PayoutPanel key={address.payout} id={address.payout} address={address} onClose={close} /> : null}
      {!address.sale && !address.payout && address.part ? (
        <PartPanel key={address.part} part={address.part} address={address} onClose={close} />
      ) : null}
      {exporting && balance.data?.since ? (
        <ExportDialog
          since={balance.data.since}
          until={balance.data.next[0]?.date ?? balance.data.since}
          onClose={() => setExporting(false)}
        />
      ) : null}
    </>
  )
}

function Waiting() {
  return (
    <div className="flex flex-col gap-6">
      <Skeleton className="h-24" />
      <Skeleton className="h-32" />
    </div>
  )
}
