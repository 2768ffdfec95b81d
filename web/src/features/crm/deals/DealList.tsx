import { Button } from '../../../ui/Button.tsx'
import { Options, SearchAsTyped, SelectField } from '../../../ui/Field.tsx'
import { Asked, EmptyState, Panel, Pill } from '../../../ui/Panel.tsx'
import { ShowMore } from '../../../ui/ShowMore.tsx'
import { type Deal, type DealAddress, type Pipeline, rowsOf, sortNames, sorts, states, useDeals } from './queries.ts'
import { dayOf, isLate, stateNames, stateTone, worth } from './words.ts'

const columns =
  'grid grid-cols-[minmax(0,1fr)_auto] gap-x-3 md:grid-cols-[minmax(0,2fr)_minmax(0,1.2fr)_minmax(0,1fr)_7rem_7rem_4.5rem] md:items-center'

/** All deals, also those that were won or lost. */
export function DealList({ address, pipelines, open }: { address: DealAddress; pipelines: Pipeline[]; open: (id: string) => void }) {
  const { query, state, sort, change } = address
  const deals = useDeals({ query, state, sort })
  const rows = rowsOf(deals.data)
  const stages = new Map(pipelines.flatMap((pipeline) => pipeline.stages.map(({ id, name }) => [id, name])))
  return (
    <>
      <div className="grid grid-cols-2 items-end gap-3 lg:grid-cols-[minmax(14rem,1fr)_8rem_10rem]">
        <SearchAsTyped query={query} onChange={(dq) => change({ dq }, true)} placeholder="Title of the deal" maxLength={100} />
        <SelectField label="State" value={state ?? ''} onChange={(event) => change({ dstate: event.target.value }, true)}>
          <option value="">All</option>
          <Options of={states.map((each) => [each, stateNames[each]])} />
        </SelectField>
        <SelectField label="Order" value={sort} onChange={(event) => change({ dsort: event.target.value }, true)}>
          <Options of={sorts.map((each) => [each, sortNames[each]])} />
        </SelectField>
      </div>
      <Panel flush>
        <Asked query={deals} skeleton="m-4 h-64" failed="Your deals could not be loaded" />
        {deals.data && rows.length === 0 ? (
          <EmptyState
            compact
            title="No matches"
            action={<Button onClick={() => change({ dq: undefined, dstate: undefined }, true)}>Clear filters</Button>}
          >
            No deals match.
          </EmptyState>
        ) : null}
        <ul aria-label="Deals">
          {rows.map((deal) => (
            <DealRow key={deal.id} deal={deal} stage={stages.get(deal.stage_id) ?? 'A removed stage'} open={open} />
          ))}
        </ul>
        <ShowMore of={deals} className="m-3" />
      </Panel>
    </>
  )
}

function DealRow({ deal, stage, open }: { deal: Deal; stage: string; open: (id: string) => void }) {
  return (
    <li className={`${columns} relative border-t border-line px-4 py-2.5 text-13 first:border-t-0 hover:bg-raised`}>
      <button type="button" onClick={() => open(deal.id)} className="truncate text-left font-medium before:absolute before:inset-0">
        {deal.title}
      </button>
      <span className="truncate text-muted max-md:col-start-1 max-md:text-12">{deal.contact_name ?? 'No contact'}</span>
      <span className="truncate text-muted max-md:hidden">{stage}</span>
      <span className="text-right font-mono text-12 tabular max-md:col-start-2 max-md:row-start-1">{worth(deal)}</span>
      <span className={`text-right text-12 max-md:hidden ${isLate(deal) ? 'text-bad' : 'text-muted'}`}>
        {deal.expected_close ? dayOf(deal.expected_close) : ''}
      </span>
      <span className="max-md:col-start-2 max-md:row-start-2 md:text-right">
        <Pill tone={stateTone[deal.state]}>{stateNames[deal.state]}</Pill>
      </span>
    </li>
  )
}
