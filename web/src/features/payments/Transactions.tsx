import { money } from '@operon/contracts/words'
import { Button } from '../../ui/Button.tsx'
import { Options, SearchAsTyped, SelectField, TextField } from '../../ui/Field.tsx'
import { day } from '../../ui/format.ts'
import { Asked, EmptyState, Panel } from '../../ui/Panel.tsx'
import { ShowMore } from '../../ui/ShowMore.tsx'
import { type Address, statuses } from './address.ts'
import { PaymentsTable } from './PaymentsTable.tsx'
import { useSales } from './queries.ts'

/** Buyers' payments, newest first. */
export function Transactions({ address, isNew }: { address: Address; isNew: boolean }) {
  const sales = useSales(address)
  const rows = sales.data?.pages.flatMap((page) => page.sales) ?? []
  const isFiltered = Boolean(address.status || address.only || address.from || address.to || address.query)
  const clear = () => address.change({ status: undefined, only: undefined, from: undefined, to: undefined, q: undefined }, true)
  const [last] = sales.data?.pages.slice(-1) ?? []
  return (
    <div className="flex flex-col gap-4 pt-4">
      {isNew ? null : <Filters address={address} />}
      <Panel flush>
        <Asked query={sales} skeleton="m-4 h-40" failed="Your payments could not be loaded" />
        {sales.data && rows.length === 0 ? (
          isFiltered ? (
            <EmptyState compact title="No matches" action={<Button onClick={clear}>Clear filters</Button>}>
              None of your payments fit.
            </EmptyState>
          ) : (
            <EmptyState title="No payments yet">
              When a buyer pays for one of your products, the payment is listed here, with your share and every step until it reaches your
              bank.
            </EmptyState>
          )
        ) : null}
        {rows.length ? (
          <PaymentsTable
            rows={rows.map((sale) => ({ ...sale, amount: money(sale) }))}
            open={(id) => address.change({ sale: id, payout: undefined, part: undefined })}
          />
        ) : null}
        <ShowMore of={sales} variant="ghost" className="m-2">
          Show older payments
        </ShowMore>
        {last?.more ? (
          <p className="px-4 py-3 text-12 text-faint">These are the newest {rows.length} that fit. Add a word to find others.</p>
        ) : null}
        {last?.searchedBackTo ? (
          <p className="px-4 py-3 text-12 text-faint">
            Payments after {day(last.searchedBackTo)} were searched. Choose days instead of words to see older ones.
          </p>
        ) : null}
      </Panel>
    </div>
  )
}

function Filters({ address }: { address: Address }) {
  const { status, only, from, to, query, change } = address
  const isSearch = query.length >= 2
  return (
    <div className="grid grid-cols-2 items-end gap-3 lg:grid-cols-[minmax(12rem,1fr)_9rem_10rem_9.5rem_9.5rem]">
      <SearchAsTyped
        key="search"
        query={query}
        onChange={(q) => change({ q }, true)}
        placeholder="Name, email, product, order or amount"
        maxLength={200}
      />
      <SelectField
        label="Status"
        value={status ?? ''}
        disabled={isSearch}
        onChange={(event) => change({ status: event.target.value || undefined }, true)}
      >
        <option value="">All</option>
        <Options of={statuses.map((each) => [each, each.charAt(0).toUpperCase() + each.slice(1)])} />
      </SelectField>
      <SelectField
        label="Only"
        value={only ?? ''}
        disabled={isSearch}
        onChange={(event) => change({ only: event.target.value || undefined }, true)}
      >
        <option value="">Everything</option>
        <option value="refunded">Refunded</option>
        <option value="disputed">Disputed</option>
      </SelectField>
      {(['from', 'to'] as const).map((name) => (
        <TextField
          key={name}
          type="date"
          label={name === 'from' ? 'From' : 'To'}
          value={(name === 'from' ? from : to) ?? ''}
          disabled={isSearch}
          onChange={(event) => change({ [name]: event.target.value || undefined }, true)}
        />
      ))}
      {isSearch ? (
        <p className="col-span-full -mt-1 text-12 text-muted">A search looks through all payments, whatever the filters say.</p>
      ) : null}
    </div>
  )
}
