import { useVirtualizer } from '@tanstack/react-virtual'
import { type CSSProperties, type KeyboardEvent, useEffect, useRef } from 'react'
import { cx } from '../../ui/cx.ts'
import { ago } from '../../ui/format.ts'
import { Pill } from '../../ui/Panel.tsx'
import type { Column } from './fields/columns.ts'
import type { Contact } from './queries.ts'
import { capital, temperatureNames, temperatureTone } from './words.ts'

const ROW_PX = 52
type Row = Pick<Contact, 'id' | 'name' | 'email' | 'phone' | 'company' | 'status' | 'tags' | 'temperature' | 'last_activity_at'>
type Props = {
  rows: Row[]
  /** Beside the usual ones, where there is room for them. */
  columns?: readonly Column[]
  chosen?: ReadonlySet<string>
  choose?: (id: string, all: boolean) => void
  open?: (id: string) => void
  /** Asked for when the end comes near. */
  more?: (() => void) | undefined
}

const grid = 'grid grid-cols-[1.25rem_minmax(0,1fr)_4.5rem] gap-3 md:grid-cols-(--columns)'
const usual = '1.25rem minmax(0,2fr) minmax(0,1.3fr) 5rem 6rem minmax(0,1fr)'

/** Only the rows in sight are in the page, however many were loaded. */
export function ContactList({ rows, columns = [], chosen, choose, open, more }: Props) {
  const scroller = useRef<HTMLDivElement>(null)
  const widths = { '--columns': `${usual} ${'minmax(0,1fr) '.repeat(columns.length)}7rem` } as CSSProperties
  const view = useVirtualizer({ count: rows.length, getScrollElement: () => scroller.current, estimateSize: () => ROW_PX, overscan: 12 })
  const shown = view.getVirtualItems()
  const last = shown.at(-1)?.index ?? 0
  useEffect(() => {
    if (more && last >= rows.length - 30) more()
  }, [more, last, rows.length])

  function onKeyDown(event: KeyboardEvent<HTMLElement>) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    const at = Number((event.target as HTMLElement).closest<HTMLElement>('[data-at]')?.dataset.at)
    if (!step || Number.isNaN(at)) return
    event.preventDefault()
    const next = Math.min(rows.length - 1, Math.max(0, at + step))
    view.scrollToIndex(next)
    requestAnimationFrame(() => scroller.current?.querySelector<HTMLElement>(`[data-at="${next}"] [data-row]`)?.focus())
  }

  return (
    <div>
      <div className={cx(grid, 'border-b border-line px-4 py-2 text-12 font-medium text-faint')} style={widths} aria-hidden>
        <span />
        <span>Name</span>
        <span className="max-md:hidden">Company</span>
        <span>Heat</span>
        <span className="max-md:hidden">Status</span>
        <span className="max-md:hidden">Tags</span>
        {columns.map(({ id, label }) => (
          <span key={id} className="truncate max-md:hidden">
            {label}
          </span>
        ))}
        <span className="text-right max-md:hidden">Last activity</span>
      </div>
      <div ref={scroller} className={cx('overflow-y-auto', rows.length > 10 && 'h-[calc(100dvh-19rem)] min-h-80')}>
        <ul aria-label="Contacts" className="relative" style={{ height: view.getTotalSize() }} onKeyDown={onKeyDown}>
          {shown.map(({ index, start }) => {
            const row = rows[index]!
            return (
              <li
                key={row.id}
                aria-setsize={more ? -1 : rows.length}
                aria-posinset={index + 1}
                data-at={index}
                className={cx(
                  grid,
                  'absolute inset-x-0 items-center border-b border-line px-4 text-13',
                  open && 'hover:bg-raised',
                  chosen?.has(row.id) && 'bg-raised',
                )}
                style={{ ...widths, height: ROW_PX, transform: `translateY(${start}px)` }}
              >
                {choose ? (
                  <input
                    type="checkbox"
                    className="size-4 accent-(--color-signal)"
                    aria-label={`Select ${row.name}`}
                    checked={chosen?.has(row.id) ?? false}
                    onClick={(event) => choose(row.id, event.shiftKey)}
                    onChange={() => {}}
                  />
                ) : (
                  <span />
                )}
                <span className="min-w-0">
                  {open ? (
                    <button
                      type="button"
                      data-row
                      onClick={() => open(row.id)}
                      className="block w-full truncate text-left font-medium before:absolute before:inset-y-0 before:right-0 before:left-10"
                    >
                      {row.name}
                    </button>
                  ) : (
                    <span className="block truncate font-medium">{row.name}</span>
                  )}
                  <span className="block truncate text-12 text-faint">{row.email ?? row.phone ?? 'No email address'}</span>
                </span>
                <span className="truncate text-muted max-md:hidden">{row.company}</span>
                <span>
                  <Pill tone={temperatureTone[row.temperature]}>{temperatureNames[row.temperature]}</Pill>
                </span>
                <span className="truncate text-muted max-md:hidden">{capital(row.status)}</span>
                <span className="truncate text-12 text-muted max-md:hidden">{row.tags.join(', ')}</span>
                {columns.map(({ id, of }) => (
                  <span key={id} className="truncate text-12 text-muted max-md:hidden">
                    {of(row as Contact)}
                  </span>
                ))}
                <span className="text-right text-12 text-muted max-md:hidden">{ago(row.last_activity_at)}</span>
              </li>
            )
          })}
        </ul>
      </div>
    </div>
  )
}
