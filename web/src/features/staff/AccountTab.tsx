import { type FormEvent, useState } from 'react'
import { Button } from '../../ui/Button.tsx'
import { TextField } from '../../ui/Field.tsx'
import { EmptyState, ErrorState, Skeleton } from '../../ui/Panel.tsx'
import { AccountView } from './AccountView.tsx'
import { lookUp, type StaffAccount } from './queries.ts'
import { ReasonField } from './ReasonField.tsx'

export function AccountTab() {
  const [query, setQuery] = useState('')
  const [reason, setReason] = useState('')
  const [asked, setAsked] = useState({ query: '', reason: '' })
  const [state, setState] = useState<{ busy?: boolean; found?: StaffAccount; error?: unknown }>({})

  async function open(next: { query: string; reason: string }) {
    setAsked(next)
    setState((before) => ({ ...before, busy: true, error: undefined }))
    try {
      setState({ found: await lookUp(next.query, next.reason) })
    } catch (error) {
      setState({ error })
    }
  }

  function submit(event: FormEvent) {
    event.preventDefault()
    void open({ query: query.trim(), reason: reason.trim() })
  }

  return (
    <div className="flex flex-col gap-5 pt-5">
      <form onSubmit={submit} className="grid items-end gap-3 md:grid-cols-[1fr_1fr_auto]">
        <TextField
          label="Account"
          placeholder="E-mail, user id or customer id"
          autoComplete="off"
          value={query}
          onChange={(event) => setQuery(event.target.value)}
        />
        <ReasonField value={reason} onChange={setReason} />
        <Button type="submit" variant="primary" busy={state.busy} disabled={query.trim().length < 3 || reason.trim().length < 3}>
          Look up
        </Button>
      </form>
      {state.busy && !state.found ? <Skeleton className="h-48" /> : null}
      {state.error ? (
        <div className="rounded-panel bg-panel hairline">
          <ErrorState title="No account is shown" error={state.error}>
            {(state.error as Error).message} Check the address or the id. The look-up itself is in the log.
          </ErrorState>
        </div>
      ) : null}
      {state.found ? <AccountView found={state.found} onChanged={() => open({ ...asked, query: state.found!.account.user_id })} /> : null}
      {!state.busy && !state.found && !state.error ? (
        <div className="rounded-panel bg-panel hairline">
          <EmptyState title="One account at a time">
            Look it up by its exact e-mail, its user id or the payment provider’s customer id. Its plan, payments and what staff did are
            shown then.
          </EmptyState>
        </div>
      ) : null}
    </div>
  )
}
