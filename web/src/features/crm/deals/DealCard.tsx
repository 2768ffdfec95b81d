import type { KeyboardEvent } from 'react'
import { cx } from '../../../ui/cx.ts'
import type { Deal } from './queries.ts'
import { dayOf, isLate, worth } from './words.ts'

type Props = {
  deal: Deal
  isDragged: boolean
  onKeyDown: (event: KeyboardEvent<HTMLElement>) => void
  onDrag: ((deal: Deal | null) => void) | undefined
  open: ((id: string) => void) | undefined
}

export function DealCard({ deal, isDragged, onKeyDown, onDrag, open }: Props) {
  const inside = (
    <>
      <span className="block font-medium break-words">{deal.title}</span>
      {deal.contact_name ? <span className="block truncate text-12 text-muted">{deal.contact_name}</span> : null}
      <span className="mt-1 flex items-baseline justify-between gap-2 text-12">
        <span className="font-mono tabular">{deal.amount_cents ? worth(deal) : 'No amount'}</span>
        {deal.expected_close ? (
          <span className={isLate(deal) ? 'text-bad' : 'text-faint'}>
            {isLate(deal) ? 'Was due ' : 'Closes '}
            {dayOf(deal.expected_close)}
          </span>
        ) : null}
      </span>
    </>
  )
  const look = 'block w-full rounded-control bg-raised px-3 py-2 text-left text-13'
  return (
    <li
      draggable={Boolean(onDrag)}
      onDragStart={(event) => {
        event.dataTransfer.effectAllowed = 'move'
        event.dataTransfer.setData('text/plain', deal.title)
        onDrag?.(deal)
      }}
      onDragEnd={() => onDrag?.(null)}
      className={cx(isDragged && 'opacity-45')}
    >
      {open ? (
        <button
          type="button"
          data-deal={deal.id}
          aria-keyshortcuts="Shift+ArrowLeft Shift+ArrowRight"
          onClick={() => open(deal.id)}
          onKeyDown={onKeyDown}
          className={cx(look, 'border border-transparent hover:border-control')}
        >
          {inside}
        </button>
      ) : (
        <div className={look}>{inside}</div>
      )}
    </li>
  )
}
