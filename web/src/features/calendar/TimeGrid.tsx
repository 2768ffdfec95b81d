import { type PointerEvent, useEffect, useRef, useState } from 'react'
import { cx } from '../../ui/cx.ts'
import { browserZone, clockIn } from '../../ui/zones.ts'
import { addDays, dateOf, externalOn, isoDay, minutesOf, type Placed, placed, STEP_MINUTES, timeOf } from './days.ts'
import type { Appointment, External } from './queries.ts'

type Times = { starts_at: Date; ends_at: Date }
type Props = {
  days: string[]
  appointments: readonly Appointment[]
  external: readonly External[]
  onOpen: ((id: string) => void) | undefined
  onCreate: (times: Times) => void
  onMove: ((of: Appointment, to: Times) => void) | undefined
}
const HOUR_PX = 48
const hours = Array.from({ length: 24 }, (_, hour) => hour)
const px = (minutes: number) => (minutes / 60) * HOUR_PX
const label = (hour: number) => clockIn(new Date(2026, 0, 5, hour), browserZone()).replace(':00', '')

type Drag =
  | { kind: 'new'; day: string; from: number; to: number }
  | { kind: 'move'; of: Appointment; grabbed: number; day: string; from: number; moved: boolean }

/** Days side by side, a line an hour. Times are drawn, dragged and moved in quarters of an hour. */
export function TimeGrid({ days, appointments, external, onOpen, onCreate, onMove }: Props) {
  const scroller = useRef<HTMLElement>(null)
  const columns = useRef<HTMLDivElement>(null)
  const [drag, setDrag] = useState<Drag | null>(null)
  useEffect(() => {
    if (scroller.current) scroller.current.scrollTop = px(7.5 * 60)
  }, [])

  /** The day and minute below the pointer. */
  function at(event: PointerEvent): { day: string; minute: number } {
    const box = columns.current!.getBoundingClientRect()
    const column = Math.min(days.length - 1, Math.max(0, Math.floor(((event.clientX - box.left) / box.width) * days.length)))
    const minute = Math.min(1440, Math.max(0, ((event.clientY - box.top) / HOUR_PX) * 60))
    return { day: days[column]!, minute }
  }
  const rounded = (minute: number) => Math.round(minute / STEP_MINUTES) * STEP_MINUTES

  function onDown(event: PointerEvent) {
    // A finger scrolls; it adds by a tap.
    if (event.pointerType === 'touch' || event.button !== 0) return
    const { day, minute } = at(event)
    const id = (event.target as HTMLElement).closest<HTMLElement>('[data-id]')?.dataset.id
    const of = appointments.find((each) => each.id === id)
    if (id && (!of || !onMove)) return
    event.currentTarget.setPointerCapture(event.pointerId)
    const from = Math.floor(minute / STEP_MINUTES) * STEP_MINUTES
    if (of)
      setDrag({
        kind: 'move',
        of,
        grabbed: minute - minutesOf(new Date(of.starts_at)),
        day,
        from: minutesOf(new Date(of.starts_at)),
        moved: false,
      })
    else setDrag({ kind: 'new', day, from, to: from + 30 })
  }
  function onDragging(event: PointerEvent) {
    if (!drag) return
    const { day, minute } = at(event)
    if (drag.kind === 'new') return setDrag({ ...drag, to: Math.max(drag.from + STEP_MINUTES, rounded(minute)) })
    const from = Math.max(0, rounded(minute - drag.grabbed))
    if (from !== drag.from || day !== drag.day) setDrag({ ...drag, day, from, moved: true })
  }
  function onUp() {
    setDrag(null)
    if (!drag) return
    if (drag.kind === 'new') return onCreate({ starts_at: timeOf(drag.day, drag.from), ends_at: timeOf(drag.day, drag.to) })
    if (!drag.moved) return onOpen?.(drag.of.id)
    const starts_at = timeOf(drag.day, drag.from)
    const lasts = Date.parse(drag.of.ends_at) - Date.parse(drag.of.starts_at)
    if (starts_at.getTime() !== Date.parse(drag.of.starts_at))
      onMove?.(drag.of, { starts_at, ends_at: new Date(starts_at.getTime() + lasts) })
  }
  function nudge(of: Appointment, key: string): boolean {
    const by = { ArrowUp: [0, -STEP_MINUTES], ArrowDown: [0, STEP_MINUTES], ArrowLeft: [-1, 0], ArrowRight: [1, 0] }[key]
    if (!by || !onMove) return false
    const was = new Date(of.starts_at)
    const starts_at = timeOf(addDays(isoDay(was), by[0]!), minutesOf(was) + by[1]!)
    onMove(of, { starts_at, ends_at: new Date(starts_at.getTime() + Date.parse(of.ends_at) - Date.parse(of.starts_at)) })
    return true
  }

  return (
    <section
      ref={scroller}
      aria-label="Hours"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: hours that scroll must be reachable by keyboard, also on an empty day
      tabIndex={0}
      className="max-h-[calc(100dvh-17rem)] min-h-96 overflow-auto rounded-panel bg-panel hairline"
    >
      <div className={cx('flex', days.length > 1 && 'min-w-[44rem]')}>
        <div className="sticky left-0 z-20 w-14 shrink-0 border-r border-line bg-panel">
          <div className="sticky top-0 z-10 h-12 border-b border-line bg-panel" />
          {hours.map((hour) => (
            <div key={hour} className="relative" style={{ height: HOUR_PX }}>
              {hour ? <span className="absolute -top-2 right-2 text-12 text-faint tabular-nums">{label(hour)}</span> : null}
            </div>
          ))}
        </div>
        <div className="min-w-0 flex-1">
          <div className="sticky top-0 z-10 flex h-12 border-b border-line bg-panel">
            {days.map((day) => (
              <div key={day} className="flex flex-1 items-center gap-2 px-2 text-13 text-muted">
                {new Intl.DateTimeFormat('en-US', { weekday: 'short' }).format(dateOf(day))}
                <span
                  className={cx(
                    'grid size-6 place-items-center rounded-full text-13 font-semibold tabular-nums',
                    day === isoDay(new Date()) ? 'bg-signal text-ink' : 'text-text',
                  )}
                >
                  {dateOf(day).getDate()}
                </span>
              </div>
            ))}
          </div>
          <div
            ref={columns}
            className="relative flex select-none"
            onPointerDown={onDown}
            onPointerMove={onDragging}
            onPointerUp={onUp}
            onPointerCancel={() => setDrag(null)}
          >
            {days.map((day) => (
              // biome-ignore lint/a11y/noStaticElementInteractions: the button "New appointment" does the same without a pointer
              // biome-ignore lint/a11y/useKeyWithClickEvents: as above
              <div
                key={day}
                className="relative flex-1 border-l border-line first:border-l-0"
                style={{
                  height: px(1440),
                  backgroundImage: `linear-gradient(var(--color-line) 1px, transparent 1px)`,
                  backgroundSize: `100% ${HOUR_PX}px`,
                }}
                onClick={(event) => {
                  const tap = (event.nativeEvent as unknown as { pointerType?: string }).pointerType === 'touch'
                  if (!tap || (event.target as HTMLElement).closest('[data-id]')) return
                  const minute = Math.floor((event.nativeEvent.offsetY / HOUR_PX) * 2) * 30
                  onCreate({ starts_at: timeOf(day, minute), ends_at: timeOf(day, minute + 30) })
                }}
              >
                {externalOn(external, day).map((event) => (
                  <Elsewhere key={event.of.id} {...event} />
                ))}
                {placed(appointments, day).map((place) => (
                  <Block
                    key={place.of.id}
                    place={place}
                    faded={drag?.kind === 'move' && drag.of.id === place.of.id && drag.moved}
                    onOpen={onOpen}
                    onKey={nudge}
                  />
                ))}
                {drag && drag.day === day && (drag.kind === 'new' || drag.moved) ? <Ghost drag={drag} /> : null}
                {day === isoDay(new Date()) ? (
                  <span
                    aria-hidden="true"
                    className="pointer-events-none absolute inset-x-0 border-t-2 border-signal"
                    style={{ top: px(minutesOf(new Date())) }}
                  />
                ) : null}
              </div>
            ))}
          </div>
        </div>
      </div>
    </section>
  )
}

/** An event of another calendar: it is opened there, so nothing is done with it here. */
function Elsewhere({ of, from, to }: { of: External; from: number; to: number }) {
  return (
    <div
      title={`${of.title}, ${of.account}`}
      className={cx(
        'pointer-events-none absolute inset-x-0.5 overflow-hidden rounded-control border border-dashed border-line px-1.5 text-12 text-muted',
        of.busy && 'bg-raised',
      )}
      style={{ top: px(from) + 1, height: Math.max(18, px(to - from) - 2) }}
    >
      <span className="block truncate">{of.title}</span>
    </div>
  )
}

function Ghost({ drag }: { drag: Drag }) {
  const lasts = drag.kind === 'new' ? drag.to - drag.from : (Date.parse(drag.of.ends_at) - Date.parse(drag.of.starts_at)) / 60_000
  return (
    <div
      className="pointer-events-none absolute inset-x-1 z-10 rounded-control border border-signal bg-raised px-2 py-1 text-12"
      style={{ top: px(drag.from), height: px(lasts) }}
    >
      {clockIn(timeOf(drag.day, drag.from), browserZone())} – {clockIn(timeOf(drag.day, drag.from + lasts), browserZone())}
    </div>
  )
}

type BlockProps = {
  place: Placed<Appointment>
  faded: boolean | undefined
  onOpen: ((id: string) => void) | undefined
  onKey: (of: Appointment, key: string) => boolean
}
function Block({ place: { of, from, to, lane, lanes }, faded, onOpen, onKey }: BlockProps) {
  const height = Math.max(20, px(to - from) - 2)
  return (
    <button
      type="button"
      data-id={of.id}
      disabled={!onOpen}
      onClick={() => onOpen?.(of.id)}
      onKeyDown={(event) => {
        if (event.altKey && onKey(of, event.key)) event.preventDefault()
      }}
      className={cx(
        'absolute overflow-hidden rounded-control px-1.5 text-left text-12 leading-tight',
        toneOf(of),
        faded && 'opacity-40',
        height >= 36 ? 'flex flex-col items-start py-1 [&>span]:max-w-full' : 'flex items-center gap-1.5',
      )}
      style={{ top: px(from) + 1, height, left: `calc(${(lane / lanes) * 100}% + 2px)`, width: `calc(${100 / lanes}% - 4px)` }}
    >
      <span className="block truncate font-medium">{of.title}</span>
      <span className="block truncate opacity-80">
        {clockIn(of.starts_at, browserZone())}
        {of.payment?.hold_until
          ? ' · waiting for payment'
          : of.state === 'pending'
            ? ' · pending'
            : of.state === 'no_show'
              ? ' · no-show'
              : ''}
      </span>
    </button>
  )
}

/** Told apart by their border and words, not by color alone. */
export const toneOf = ({ state, guest_email }: Appointment) =>
  state === 'pending'
    ? 'border border-dashed border-warn bg-warn-soft text-text'
    : state === 'no_show'
      ? 'border border-line bg-raised text-muted line-through'
      : guest_email
        ? 'border border-info/40 border-l-4 border-l-info bg-info-soft text-text'
        : 'border border-control/60 border-l-4 border-l-control bg-raised text-text'
