import { Button } from '../../ui/Button.tsx'
import { Options, SelectField } from '../../ui/Field.tsx'
import { Asked, EmptyState, Panel } from '../../ui/Panel.tsx'
import { ShowMore } from '../../ui/ShowMore.tsx'
import { type Address, payoutStatuses } from './address.ts'
import { PayoutsTable } from './PayoutsTable.tsx'
import { type SellerBalance, usePayouts } from './queries.ts'

/** The payouts of each Friday, the next one first while it has an amount. */
export function Payouts({ address, next }: { address: Address; next: SellerBalance['next'] }) {
  const { payoutStatus, change } = address
  const payouts = usePayouts(payoutStatus)
  const scheduled = payoutStatus
    ? []
    : next
        .filter(({ amount_cents }) => amount_cents > 0)
        .map((each) => ({ id: 'next', status: 'scheduled' as const, bank_last4: null, returned_because: null, ...each }))
  const rows = [...scheduled, ...(payouts.data?.pages.flatMap((page) => page.payouts) ?? [])]
  return (
    <div className="flex flex-col gap-4 pt-4">
      <SelectField
        label="Status"
        fieldClassName="w-44"
        value={payoutStatus ?? ''}
        onChange={(event) => change({ payout_status: event.target.value || undefined }, true)}
      >
        <option value="">All</option>
        <Options of={payoutStatuses.map((each) => [each, each.charAt(0).toUpperCase() + each.slice(1)])} />
      </SelectField>
      <Panel flush>
        <Asked query={payouts} skeleton="m-4 h-32" failed="Your payouts could not be loaded" />
        {payouts.data && rows.length === 0 ? (
          payoutStatus ? (
            <EmptyState
              compact
              title="No matches"
              action={<Button onClick={() => change({ payout_status: undefined }, true)}>Clear filter</Button>}
            >
              None of your payouts is {payoutStatus}.
            </EmptyState>
          ) : (
            <EmptyState compact title="No payouts yet">
              Each Friday, what is due is sent to your bank once it is $50 or more.
            </EmptyState>
          )
        ) : null}
        {rows.length ? (
          <PayoutsTable
            rows={rows}
            open={({ id, currency }) =>
              change({ payout: id, sale: undefined, part: undefined, currency: currency === 'usd' ? undefined : currency })
            }
          />
        ) : null}
        <ShowMore of={payouts} variant="ghost" className="m-2">
          Show older payouts
        </ShowMore>
      </Panel>
    </div>
  )
}
