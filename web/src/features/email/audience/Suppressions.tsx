import { type FormEvent, useCallback, useState } from 'react'
import { call } from '../../../api/call.ts'
import { Button } from '../../../ui/Button.tsx'
import { SearchAsTyped, TextField } from '../../../ui/Field.tsx'
import { ago } from '../../../ui/format.ts'
import { Asked, EmptyState, Panel, Pill } from '../../../ui/Panel.tsx'
import { ShowMore } from '../../../ui/ShowMore.tsx'
import { attempt, toast } from '../../../ui/toast.tsx'
import { newKey, useRefresh, useSuppressions } from '../queries.ts'

const states = { withdrawn: 'Unsubscribed', bounced: 'Stopped', complained: 'Complained' } as const
const tones = { withdrawn: 'neutral', bounced: 'warn', complained: 'bad' } as const

/** Addresses that get no campaigns, each with its reason. */
export function Suppressions() {
  const [query, setQuery] = useState('')
  const listed = useSuppressions(query)
  const refresh = useRefresh()
  const [busy, setBusy] = useState(false)
  const rows = listed.data?.pages.flatMap(({ suppressions }) => suppressions) ?? []
  const onQuery = useCallback((next: string) => setQuery(next), [])

  async function add(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const form = event.currentTarget
    const email = String(new FormData(form).get('email')).trim()
    setBusy(true)
    await attempt('The address was not added', async () => {
      await call('add-suppression', { email }, newKey())
      form.reset()
      await refresh()
    })
    setBusy(false)
  }
  const remove = (email: string) =>
    attempt(`${email} was not removed`, async () => {
      await call('remove-suppression', { email }, newKey())
      await refresh()
      toast.undo(
        `${email} gets campaigns again`,
        () =>
          void attempt('The address was not added', async () => {
            await call('add-suppression', { email }, newKey())
            await refresh()
          }),
      )
    })
  return (
    <Panel flush title="Suppressed addresses">
      <div className="flex flex-col gap-3 border-b border-line p-4">
        <SearchAsTyped query={query} onChange={onQuery} placeholder="Address starts with" maxLength={100} />
        <form onSubmit={add} className="flex items-end gap-2">
          <TextField
            label="Stop campaigns to"
            name="email"
            type="email"
            required
            maxLength={254}
            placeholder="name@example.com"
            fieldClassName="min-w-0 flex-1"
          />
          <Button type="submit" busy={busy}>
            Add
          </Button>
        </form>
      </div>
      <Asked query={listed} skeleton="m-4 h-32" failed="The list could not be loaded" />
      {listed.data && rows.length === 0 ? (
        <EmptyState compact title={query ? 'No matches' : 'Nobody is suppressed'}>
          {query
            ? 'No suppressed address begins like this.'
            : 'People who unsubscribe or complain, and addresses that bounce, are listed here with the reason.'}
        </EmptyState>
      ) : null}
      <ul aria-label="Suppressed addresses" className="divide-y divide-line">
        {rows.map(({ id, email, state, reason, at }) => (
          <li key={id} className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2.5 text-13">
            <span className="min-w-0 flex-1">
              <span className="block truncate font-medium">{email}</span>
              <span className="block truncate text-12 text-faint">
                {reason} · {ago(at)}
              </span>
            </span>
            <Pill tone={tones[state]}>{states[state]}</Pill>
            {state === 'bounced' ? (
              <Button variant="ghost" aria-label={`Allow ${email} again`} onClick={() => remove(email)}>
                Allow again
              </Button>
            ) : null}
          </li>
        ))}
      </ul>
      <ShowMore of={listed} className="m-3" />
    </Panel>
  )
}
