import { Plus } from 'lucide-react'
import { cx } from '../../ui/cx.ts'
import { browserZone, clockIn } from '../../ui/zones.ts'
import { dateOf, externalOn, isoDay, placed } from './days.ts'
import type { Appointment, External } from './queries.ts'
import { toneOf } from './TimeGrid.tsx'

type Props = {
  days: string[]
  month: string
  appointments: readonly Appointment[]
  external: readonly External[]
  onOpen: ((id: string) => void) | undefined
  onDay: (day: string) => void
  onCreate: (day: string) => void
}
const weekdays = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun']
const SHOWN = 3

export function MonthGrid({ days, month, appointments, external, onOpen, onDay, onCreate }: Props) {
  const today = isoDay(new Date())
  const named = (day: string) => new Intl.DateTimeFormat('en-US', { month: 'long', day: 'numeric' }).format(dateOf(day))
  return (
    <div className="overflow-hidden rounded-panel bg-panel hairline">
      <div className="grid grid-cols-7 border-b border-line text-12 text-faint">
        {weekdays.map((each) => (
          <span key={each} className="px-2 py-2">
            {each}
          </span>
        ))}
      </div>
      <div className="grid grid-cols-7 gap-px bg-line">
        {days.map((day) => {
          const on = placed(appointments, day)
          return (
            <div
              key={day}
              className={cx(
                'group flex min-h-28 min-w-0 flex-col gap-1 bg-panel p-1 max-md:min-h-16',
                day.slice(0, 7) !== month && 'opacity-45',
              )}
            >
              <div className="flex items-center justify-between">
                <button
                  type="button"
                  onClick={() => onDay(day)}
                  aria-label={`${named(day)}, ${on.length} appointments`}
                  className={cx(
                    'grid size-7 place-items-center rounded-full text-13 tabular-nums hover:bg-raised max-md:size-9',
                    day === today && 'bg-signal font-semibold text-ink hover:bg-signal',
                  )}
                >
                  {dateOf(day).getDate()}
                </button>
                <button
                  type="button"
                  aria-label={`New appointment on ${named(day)}`}
                  onClick={() => onCreate(day)}
                  className="grid size-6 place-items-center rounded-control text-faint opacity-0 group-hover:opacity-100 hover:bg-raised focus-visible:opacity-100 max-md:hidden"
                >
                  <Plus className="size-4" />
                </button>
              </div>
              {on.slice(0, SHOWN).map(({ of }) => (
                <button
                  key={of.id}
                  type="button"
                  disabled={!onOpen}
                  onClick={() => onOpen?.(of.id)}
                  className={cx('truncate rounded-[4px] px-1 py-0.5 text-left text-12 max-md:hidden', toneOf(of))}
                >
                  <span className="tabular-nums opacity-80">{clockIn(of.starts_at, browserZone())}</span> {of.title}
                </button>
              ))}
              {externalOn(external, day)
                .slice(0, Math.max(0, SHOWN - on.length))
                .map(({ of }) => (
                  <span
                    key={of.id}
                    title={of.account}
                    className="truncate border border-dashed border-line px-1 text-12 text-muted max-md:hidden"
                  >
                    {of.title}
                  </span>
                ))}
              {on.length ? (
                <span aria-hidden="true" className="flex gap-0.5 px-1.5 md:hidden">
                  {on.slice(0, 4).map(({ of }) => (
                    <span key={of.id} className="size-1.5 rounded-full bg-info" />
                  ))}
                </span>
              ) : null}
              {on.length > SHOWN ? (
                <button
                  type="button"
                  onClick={() => onDay(day)}
                  className="rounded-control px-1 text-left text-12 text-muted hover:text-text max-md:hidden"
                >
                  {on.length - SHOWN} more
                </button>
              ) : null}
            </div>
          )
        })}
      </div>
    </div>
  )
}
