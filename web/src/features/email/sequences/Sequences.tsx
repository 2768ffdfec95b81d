import { COUNTED_PEOPLE } from '@operon/contracts/crm/email/counted'
import { Plus } from 'lucide-react'
import { Button } from '../../../ui/Button.tsx'
import { Asked, EmptyState, Panel, Pill } from '../../../ui/Panel.tsx'
import { useSearch } from '../../../ui/useSearch.ts'
import { Cell } from '../Cell.tsx'
import { type ListedSequence, useForms, useSequences } from '../queries.ts'
import { ConnectLine } from '../sending/ConnectLine.tsx'
import { count, counted, share } from '../words.ts'
import { enteredBy, stateNames, stateTones } from './words.ts'

/** Newest first, with who is in each and how its emails do. */
export function Sequences() {
  const { change } = useSearch()
  const found = useSequences()
  const rows = found.data?.sequences ?? []
  return (
    <div className="flex flex-col gap-4 pt-4">
      <ConnectLine />
      {found.data && rows.length === 0 ? (
        <EmptyState
          title="No sequences yet"
          action={
            <Button onClick={() => change({ new: '1' })}>
              <Plus />
              New sequence
            </Button>
          }
        >
          A sequence sends several emails to each person, one after another, with waits between them.
        </EmptyState>
      ) : (
        <Panel flush>
          <Asked query={found} skeleton="m-4 h-40" failed="Your sequences could not be loaded" />
          {rows.length ? (
            <>
              <div aria-hidden className={`${columns} border-b border-line py-2 text-12 font-medium text-faint max-md:hidden`}>
                <span>Sequence</span>
                <span>State</span>
                <span className="text-right">In it</span>
                <span className="text-right">Sent</span>
                <span className="text-right">Opened</span>
                <span className="text-right">Clicked</span>
              </div>
              <ul aria-label="Sequences" className="divide-y divide-line">
                {rows.map((row) => (
                  <Row key={row.sequence_id} row={row} open={() => change({ sequence: row.sequence_id })} />
                ))}
              </ul>
            </>
          ) : null}
        </Panel>
      )}
    </div>
  )
}

const columns =
  'grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-3 gap-y-1 px-4 md:grid-cols-[minmax(0,1fr)_6rem_5rem_5rem_7rem_7rem]'
export const upTo = (n: number) => (n >= COUNTED_PEOPLE ? `${count(COUNTED_PEOPLE)}+` : count(n))

function Row({ row, open }: { row: ListedSequence; open: () => void }) {
  const { name, state, problem, steps, in_it, sent, opened, clicked, trigger } = row
  const forms = useForms()
  const figure = (n: number) => (sent ? `${count(n)} · ${share(n, sent)}` : '–')
  return (
    <li className={`${columns} relative py-2.5 text-13 hover:bg-raised`}>
      <span className="min-w-0">
        <button type="button" onClick={open} className="block w-full truncate text-left font-medium before:absolute before:inset-0">
          {name}
        </button>
        <span className="block truncate text-12 text-faint">
          {counted(steps, 'email')} · {enteredBy(trigger, forms.data?.forms)}
        </span>
      </span>
      <span>
        {problem && state === 'running' ? <Pill tone="warn">Not sending</Pill> : <Pill tone={stateTones[state]}>{stateNames[state]}</Pill>}
      </span>
      <Cell label="In it">{upTo(in_it)}</Cell>
      <Cell label="Sent">{sent ? count(sent) : '–'}</Cell>
      <Cell label="Opened">{figure(opened)}</Cell>
      <Cell label="Clicked">{figure(clicked)}</Cell>
    </li>
  )
}
