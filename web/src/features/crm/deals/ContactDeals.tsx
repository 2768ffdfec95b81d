import { Plus } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../../ui/Button.tsx'
import { Pill } from '../../../ui/Panel.tsx'
import { ShowMore } from '../../../ui/ShowMore.tsx'
import { useSearch } from '../../../ui/useSearch.ts'
import { DealForm } from './DealForm.tsx'
import { rowsOf, useDeals } from './queries.ts'
import { stateNames, stateTone, worth } from './words.ts'

/** The deals with one contact, newest first. */
export function ContactDeals({ contact }: { contact: { id: string; name: string } }) {
  const { change } = useSearch()
  const deals = useDeals({ contact_id: contact.id }, 10)
  const [adding, setAdding] = useState(false)
  const rows = rowsOf(deals.data)
  return (
    <section className="flex flex-col gap-2" aria-label="Deals">
      <h3 className="text-13 font-medium">Deals</h3>
      {deals.isError ? <p className="text-13 text-bad">The deals could not be loaded.</p> : null}
      {rows.map((deal) => (
        <div key={deal.id} className="flex items-center gap-3 border-t border-line py-2 text-13">
          <button
            type="button"
            className="min-w-0 flex-1 truncate text-left font-medium hover:underline"
            onClick={() => change({ tab: 'deals', deal: deal.id, contact: undefined })}
          >
            {deal.title}
          </button>
          <span className="font-mono text-12 tabular">{worth(deal)}</span>
          <Pill tone={stateTone[deal.state]}>{stateNames[deal.state]}</Pill>
        </div>
      ))}
      <div className="flex gap-2">
        <Button onClick={() => setAdding(true)}>
          <Plus />
          New deal
        </Button>
        <ShowMore of={deals} variant="ghost" />
      </div>
      {adding ? <DealForm open onClose={() => setAdding(false)} contact={contact} /> : null}
    </section>
  )
}
