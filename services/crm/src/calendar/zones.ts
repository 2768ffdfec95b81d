import { Temporal } from 'temporal-polyfill'

/**
 * The instant at which a wall clock shows a minute of a day. Where clocks are turned back, a span that begins there begins with the first
 * of the two and one that ends there ends with the second, so that the repeated hour is part of it. Where they are turned forward, a minute
 * that no clock shows is the moment of the change.
 */
export function instantOf(day: Temporal.PlainDate, minute: number, zone: string, edge: 'begins' | 'ends'): number {
  const wall = day.toPlainDateTime().add({ minutes: minute })
  const [first, second] = [
    wall.toZonedDateTime(zone, { disambiguation: 'earlier' }),
    wall.toZonedDateTime(zone, { disambiguation: 'later' }),
  ]
  const skipped = !first.toPlainDateTime().equals(wall)
  if (skipped) return (second.getTimeZoneTransition('previous') ?? second).epochMilliseconds
  return (edge === 'begins' ? first : second).epochMilliseconds
}

export const dayIn = (ms: number, zone: string): Temporal.PlainDate =>
  Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(zone).toPlainDate()

/** The days of a calendar as one span of time. */
export function daysIn(from: string, days: number, zone: string): { fromMs: number; toMs: number } {
  const first = Temporal.PlainDate.from(from)
  return { fromMs: instantOf(first, 0, zone, 'begins'), toMs: instantOf(first.add({ days }), 0, zone, 'begins') }
}
