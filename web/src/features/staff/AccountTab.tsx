import { type FormEvent, useState } from 'react'
import { Button } from '../../ui/Button.tsx'
import { TextField } from '../../ui/Field.tsx'
import { EmptyState, ErrorState, Skeleton } from '../../ui/Panel.tsx'
import { AccountView } from './AccountView.tsx'
import type { StaffAccount } from './queries.ts'
import { ReasonField } from './ReasonField.tsx'
import type { LookUp } from './useLookUp.ts'

type Asked = { query: string; reason: string }

export function AccountTab({ lookUp }: { lookUp: LookUp<Asked, StaffAccount> }) {
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
          label="Account"
          placeholder="Email, user id or customer id"
          autoComplete="off"
          value={query}
          onChange={(event) => setQuery(event.target.value)}
        />
        <ReasonField value={reason} onChange={setReason} />
        <Button
          type="submit"
          variant="primary"
          className="md:h-9"
          busy={busy}
          disabled={query.trim().length < 3 || reason.trim().length < 3}
        >
          Look up
        </Button>
      </form>
      {busy && !found ? <Skeleton className="h-48" /> : null}
      {error ? (
        <div className="rounded-panel bg-panel hairline">
          <ErrorState title="No account is shown" error={error}>
            {(error as Error).message} Check the address or the id. The look-up itself is in the log.
          </ErrorState>
        </div>
      ) : null}
      {found && asked ? <AccountView found={found} onChanged={() => ask(asked)} /> : null}
      {!busy && !found && !error ? (
        <div className="rounded-panel bg-panel hairline">
          <EmptyState title="One account at a time">
            Look it up by its exact email, its user id or the payment provider’s customer id. Its plan, payments and what staff did are
            shown then.
          </EmptyState>
        </div>
      ) : null}
    </div>
  )
}
