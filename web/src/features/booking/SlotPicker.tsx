import { useQuery } from '@tanstack/react-query'
import { ChevronLeft, ChevronRight } from 'lucide-react'
import { useState } from 'react'
import { callPublic } from '../../api/call.ts'
import { Button, IconButton } from '../../ui/Button.tsx'
import { cx } from '../../ui/cx.ts'
import { Options, SelectField } from '../../ui/Field.tsx'
import { Asked } from '../../ui/Panel.tsx'
import { allZones, clocksOf, dateIn, dayIn, zoneName } from '../../ui/zones.ts'

type Props = {
  profile: string
  type: string
  daysAhead: number
  zone: string
  onZone: (zone: string) => void
  onPick: (start: string) => void
}

const weekdays = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun']
const monthOf = (day: string) => day.slice(0, 7)
const shift = (month: string, by: number) => {
  const [year, at] = month.split('-').map(Number) as [number, number]
  return new Date(Date.UTC(year, at - 1 + by, 1)).toISOString().slice(0, 7)
}
const daysOf = (month: string) => {
  const [year, at] = month.split('-').map(Number) as [number, number]
  return Array.from({ length: new Date(Date.UTC(year, at, 0)).getUTCDate() }, (_, n) => `${month}-${String(n + 1).padStart(2, '0')}`)
}
const monthName = (month: string) =>
  new Intl.DateTimeFormat('en-US', { month: 'long', year: 'numeric', timeZone: 'UTC' }).format(new Date(`${month}-01T00:00:00Z`))

/** A month with its free days, and the times of the chosen one. */
export function SlotPicker({ profile, type, daysAhead, zone, onZone, onPick }: Props) {
  const today = dayIn(Date.now(), zone)
  const [month, setMonth] = useState(monthOf(today))
  const [chosen, setChosen] = useState<string | null>(null)
  const last = monthOf(dayIn(Date.now() + daysAhead * 86_400_000, zone))
  const days = daysOf(month)
  const slots = useQuery({
    queryKey: ['slots', profile, type, month, zone],
    queryFn: ({ signal }) =>
      callPublic('list-slots', { profile, event_type: type, from: `${month}-01`, days: days.length, zone }, { signal }),
    staleTime: 30_000,
  })
  const byDay = Map.groupBy(slots.data?.slots ?? [], (at) => dayIn(at, zone))
  const shown = chosen && byDay.has(chosen) ? chosen : ([...byDay.keys()][0] ?? null)
  const blanks = (new Date(`${month}-01T00:00:00Z`).getUTCDay() + 6) % 7

  return (
    <div className="grid gap-8 lg:grid-cols-[22rem_minmax(0,1fr)]">
      <div>
        <div className="mb-2 flex items-center justify-between">
          <h2 className="text-16 font-semibold" aria-live="polite">
            {monthName(month)}
          </h2>
          <div className="flex gap-1">
            <IconButton label="Previous month" disabled={month <= monthOf(today)} onClick={() => setMonth(shift(month, -1))}>
              <ChevronLeft />
            </IconButton>
            <IconButton label="Next month" disabled={month >= last} onClick={() => setMonth(shift(month, 1))}>
              <ChevronRight />
            </IconButton>
          </div>
        </div>
        <div className="grid grid-cols-7 gap-1 text-center" aria-busy={slots.isPending}>
          {weekdays.map((day) => (
            <span key={day} className="py-1 text-12 text-faint">
              {day}
            </span>
          ))}
          {Array.from({ length: blanks }, (_, n) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: blanks have nothing else
            <span key={`blank-${n}`} />
          ))}
          {days.map((day) => {
            const free = byDay.get(day)?.length ?? 0
            return (
              <button
                key={day}
                type="button"
                disabled={!free}
                aria-pressed={day === shown}
                aria-label={`${dateIn(`${day}T12:00:00Z`, 'UTC')}, ${free ? `${free} free times` : 'no free time'}`}
                onClick={() => setChosen(day)}
                className={cx(
                  'grid h-11 place-items-center rounded-control text-14 tabular-nums',
                  free ? 'font-semibold hairline hover:bg-raised' : 'text-faint',
                  day === shown && 'bg-signal text-ink hover:bg-signal',
                )}
              >
                {Number(day.slice(8))}
              </button>
            )
          })}
        </div>
        <SelectField label="Time zone" value={zone} onChange={(event) => onZone(event.target.value)} fieldClassName="mt-5">
          <Options of={allZones().map((each) => [each, zoneName(each)])} />
        </SelectField>
      </div>
      <div className="min-w-0">
        <Asked query={slots} skeleton="h-72" failed="The free times could not be loaded" />
        {slots.data && !shown ? (
          <div className="flex flex-col items-start gap-3 text-14">
            <p className="font-semibold">No free time in {monthName(month)}</p>
            {month < last ? <Button onClick={() => setMonth(shift(month, 1))}>Show {monthName(shift(month, 1))}</Button> : null}
          </div>
        ) : null}
        {shown ? (
          <>
            <h2 className="mb-3 text-16 font-semibold">{dateIn(byDay.get(shown)![0]!, zone)}</h2>
            <ul className="grid grid-cols-2 gap-2 sm:grid-cols-3">
              {clocksOf(byDay.get(shown)!, zone).map(({ at, label }) => (
                <li key={at}>
                  <Button size="public" className="w-full tabular-nums" onClick={() => onPick(at)}>
                    {label}
                  </Button>
                </li>
              ))}
            </ul>
          </>
        ) : null}
      </div>
    </div>
  )
}
