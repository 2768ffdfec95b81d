import type { ScheduleShape, Span } from '@operon/contracts/crm/calendar'
import { Temporal } from 'temporal-polyfill'
import { dayIn, instantOf } from './zones.ts'

const MINUTE_MS = 60_000

export type Bookable = {
  minutes: number
  step_minutes: number
  before_minutes: number
  after_minutes: number
  notice_minutes: number
  days_ahead: number
}
/** In milliseconds, with the buffers of what is booked. */
export type Busy = { from: number; to: number }
type Asked = { schedule: ScheduleShape; type: Bookable; busy: readonly Busy[]; nowMs: number; fromMs: number; toMs: number }

/** The times at which a meeting can begin: within the hours, far enough ahead, and apart from everything else with the buffers of both. */
export function slotsOf({ schedule, type, busy, nowMs, fromMs, toMs }: Asked): number[] {
  const [lengthMs, stepMs] = [type.minutes * MINUTE_MS, type.step_minutes * MINUTE_MS]
  const [beforeMs, afterMs] = [type.before_minutes * MINUTE_MS, type.after_minutes * MINUTE_MS]
  const earliest = Math.max(fromMs, nowMs + type.notice_minutes * MINUTE_MS)
  const latest = Math.min(toMs, nowMs + type.days_ahead * 86_400_000)
  if (earliest >= latest) return []
  const taken = merged(busy)
  const slots: number[] = []
  let next = 0
  for (const open of hoursBetween(schedule, earliest, latest)) {
    for (let start = open.from; start + lengthMs <= open.to; start += stepMs) {
      if (start < earliest || start >= latest) continue
      while (next < taken.length && taken[next]!.to <= start - beforeMs) next += 1
      const blocker = taken[next]
      if (!blocker || blocker.from >= start + lengthMs + afterMs) slots.push(start)
    }
  }
  return slots
}

/** The open hours of a schedule in time order; the first may begin before `fromMs`, so that its starts stay where they are. */
function hoursBetween({ zone, hours, exceptions }: ScheduleShape, fromMs: number, toMs: number): Busy[] {
  const open: Busy[] = []
  const last = dayIn(toMs, zone)
  for (let day = dayIn(fromMs, zone); Temporal.PlainDate.compare(day, last) <= 0; day = day.add({ days: 1 }))
    for (const span of spansOf(day, hours, exceptions))
      open.push({ from: instantOf(day, span.from, zone, 'begins'), to: instantOf(day, span.to, zone, 'ends') })
  return open
}

/** The last exception that names a day decides. */
function spansOf(day: Temporal.PlainDate, hours: Span[][], exceptions: ScheduleShape['exceptions']): Span[] {
  const iso = day.toString()
  const exception = exceptions.findLast(({ from, to }) => from <= iso && iso <= to)
  return exception ? exception.spans : (hours[day.dayOfWeek - 1] ?? [])
}

/** Overlapping spans become one: then those in time order have ends in time order too, and one pass is enough. */
function merged(busy: readonly Busy[]): Busy[] {
  const result: Busy[] = []
  for (const { from, to } of [...busy].sort((one, other) => one.from - other.from)) {
    const previous = result.at(-1)
    if (previous && from <= previous.to) previous.to = Math.max(previous.to, to)
    else result.push({ from, to })
  }
  return result
}
