import { UserMinus } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'react-router-dom'
import { call } from '../../../api/call.ts'
import { paths } from '../../../paths.ts'
import { Button, ButtonLink, IconButton } from '../../../ui/Button.tsx'
import { cx } from '../../../ui/cx.ts'
import { moment } from '../../../ui/format.ts'
import { Asked, EmptyState, Panel, Pill } from '../../../ui/Panel.tsx'
import { ShowMore } from '../../../ui/ShowMore.tsx'
import { attempt, toast } from '../../../ui/toast.tsx'
import { newKey, type PeopleState, type Sequence, type SequencePerson, useRefresh, useSequencePeople } from '../queries.ts'
import { peopleNames, peopleTones } from './words.ts'

const filters: (PeopleState | undefined)[] = [undefined, 'waiting', 'sending', 'done', 'left']

/** Each with what comes next for them, or why they left. */
export function People({ of: { sequence, steps } }: { of: Sequence }) {
  const { sequence_id, state: now } = sequence
  const [state, setState] = useState<PeopleState | undefined>()
  const listed = useSequencePeople(sequence_id, state)
  const refresh = useRefresh()
  const rows = listed.data?.pages.flatMap(({ people }) => people) ?? []
  function happens({ state: is, next_at, reason, step_id, entered_at }: SequencePerson): string {
    const at = steps.findIndex((step) => step.step_id === step_id) + 1
    if (is === 'left') return reason ?? 'Left'
    if (is === 'done') return `Got every email. Entered ${moment(entered_at)}`
    if (is === 'sending') return `Email ${at} is being sent`
    return now === 'running' && next_at ? `Email ${at} on ${moment(next_at)}` : `Waits for email ${at}`
  }
  const remove = ({ contact_id, name, email }: SequencePerson) =>
    attempt('They were not removed', async () => {
      const { removed_ids } = await call('remove-from-sequence', { sequence_id, contact_ids: [contact_id] }, newKey())
      await refresh()
      toast.undo(`${name || email || 'The contact'} removed`, () =>
        attempt('They were not put back', async () => {
          await call('return-to-sequence', { sequence_id, removed_ids }, newKey())
          await refresh()
        }),
      )
    })
  return (
    <Panel flush title="People">
      <fieldset className="flex min-w-0 gap-1 overflow-x-auto border-b border-line px-3 py-2" aria-label="Show">
        {filters.map((each) => (
          <Button
            key={each ?? 'all'}
            variant="ghost"
            aria-pressed={state === each}
            className={cx('max-md:px-3', state === each && 'bg-raised !text-text')}
            onClick={() => setState(each)}
          >
            {each ? peopleNames[each] : 'All'}
          </Button>
        ))}
      </fieldset>
      <Asked query={listed} skeleton="m-4 h-40" failed="The people could not be loaded" />
      {listed.data && rows.length === 0 ? (
        <EmptyState
          compact
          title={state ? 'No matches' : 'Nobody is in it yet'}
          action={state ? undefined : <ButtonLink to={paths.crm}>Choose contacts</ButtonLink>}
        >
          {state ? 'Nobody in this sequence matches.' : 'Select contacts in the CRM and add them to this sequence.'}
        </EmptyState>
      ) : null}
      <ul aria-label="People in the sequence" className="divide-y divide-line">
        {rows.map((row) => (
          <li
            key={row.contact_id}
            className="grid grid-cols-[minmax(0,1fr)_auto_2rem] items-center gap-x-3 gap-y-0.5 px-4 py-2 text-13 md:grid-cols-[minmax(0,1fr)_minmax(0,1.2fr)_6rem_2rem]"
          >
            <span className="min-w-0">
              <Link to={`${paths.crm}?contact=${row.contact_id}`} className="block truncate font-medium hover:underline">
                {row.name || row.email || 'A deleted contact'}
              </Link>
              <span className="block truncate text-12 text-faint">{row.email}</span>
            </span>
            <span className="min-w-0 truncate text-12 text-muted max-md:col-span-3 max-md:row-start-2">{happens(row)}</span>
            <span className="justify-self-end">
              <Pill tone={peopleTones[row.state]}>{peopleNames[row.state]}</Pill>
            </span>
            {row.state === 'waiting' || row.state === 'sending' ? (
              <IconButton label={`Remove ${row.name || row.email || 'contact'}`} className="justify-self-end" onClick={() => remove(row)}>
                <UserMinus />
              </IconButton>
            ) : (
              <span />
            )}
          </li>
        ))}
      </ul>
      <ShowMore of={listed} className="m-3" />
    </Panel>
  )
}
