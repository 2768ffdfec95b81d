import { type FormEvent, type ReactNode, useState } from 'react'
import { Button } from '../../ui/Button.tsx'
import { TextField } from '../../ui/Field.tsx'
import { EmptyState, ErrorState, Panel, Skeleton } from '../../ui/Panel.tsx'
import type { Asked } from './queries.ts'
import { ReasonField } from './ReasonField.tsx'
import { isReason } from './ReasonForm.tsx'
import type { LookUp } from './useLookUp.ts'

type Props<Found> = {
  lookUp: LookUp<Asked, Found>
  /** Account, Seller. */
  label: string
  placeholder: string
  /** Behind the error's own words. */
  hint: string
  /** Shown before the first look-up. */
  about: string
  view: (found: Found, again: () => Promise<void>) => ReactNode
}

/** One account or seller at a time, found by an address or an id, for a reason. */
export function LookUpTab<Found>({ lookUp, label, placeholder, hint, about, view }: Props<Found>) {
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
          label={label}
          placeholder={placeholder}
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
          <ErrorState title={`No ${label.toLowerCase()} is shown`} error={error}>
            {(error as Error).message} {hint} The look-up itself is in the log.
          </ErrorState>
        </Panel>
      ) : null}
      {found && asked ? view(found, () => ask(asked)) : null}
      {!busy && !found && !error ? (
        <Panel flush>
          <EmptyState title={`One ${label.toLowerCase()} at a time`}>{about}</EmptyState>
        </Panel>
      ) : null}
    </div>
  )
}
