import { type FormEvent, useState } from 'react'
import { Button } from '../../ui/Button.tsx'
import { TextField } from '../../ui/Field.tsx'
import { EmptyState, ErrorState, Panel, Skeleton } from '../../ui/Panel.tsx'
import type { StaffSeller } from './queries.ts'
import { ReasonField } from './ReasonField.tsx'
import { isReason } from './ReasonForm.tsx'
import { SellerView } from './SellerView.tsx'
import type { LookUp } from './useLookUp.ts'

/** One seller at a time: balance, payouts, newest sales, and what can be done about them. */
export function SellersTab({ lookUp }: { lookUp: LookUp<{ query: string; reason: string }, StaffSeller> }) {
  const { busy, asked, found, error, ask } = lookUp
  const [query, setQuery] = useState(asked?.query ?? '')
  const [reason, setReason] = useState(asked?.reason ?? '')

  function submit(event: FormEvent) {
    event.preventDefault()
    void ask({ query: query.trim(), reason: reason.trim() })
  }

  return (
    <div className="flex flex-col gap-5 pt-5">
      <form onSubmit={submit} className="grid items-end gap-3 md:grid-cols-[1fr_1fr_auto]">
        <TextField
          label="Seller"
          placeholder="Email, user id or payout account"
          autoComplete="off"
          value={query}
          onChange={(event) => setQuery(event.target.value)}
        />
        <ReasonField value={reason} onChange={setReason} />
        <Button type="submit" variant="primary" className="md:h-9" busy={busy} disabled={query.trim().length < 3 || !isReason(reason)}>
          Look up
        </Button>
      </form>
      {busy && !found ? <Skeleton className="h-48" /> : null}
      {error ? (
        <Panel flush>
          <ErrorState title="No seller is shown" error={error}>
            {(error as Error).message} Only accounts that have begun to set up payouts are sellers. The look-up itself is in the log.
          </ErrorState>
        </Panel>
      ) : null}
      {found && asked ? <SellerView found={found} onChanged={() => ask(asked)} /> : null}
      {!busy && !found && !error ? (
        <Panel flush>
          <EmptyState title="One seller at a time">
            Their balance, payouts and sales are shown, with why the next payout is what it is. Payouts can be held, sales refunded and
            disputes answered.
          </EmptyState>
        </Panel>
      ) : null}
    </div>
  )
}
