import { DAY_MS } from '@operon/kit/clock'
import type ICAL from 'ical.js'
import { datesOf, ruleIn } from './recur.ts'

/** Turns the time on the wall clock, as if it were UTC, into the moment. */
export type Zone = (wall: number) => number

export const utc: Zone = (wall) => wall

const known = new Map<string, Zone | null>()
const MOST_ZONES = 500

/** Of the name of a zone, with whatever a program puts before it; null where it is none that we know. */
export function zoneNamed(name: string): Zone | null {
  const found = known.get(name)
  if (found !== undefined) return found
  const bare = /[A-Za-z_]+\/[\w+-]+(\/[\w+-]+)?$/.exec(name)?.[0] ?? name
  const zone = [bare, name].map(formatOf).find((format) => format !== null)
  const made = zone ? zoneBy(zone) : null
  if (known.size > MOST_ZONES) known.clear()
  known.set(name, made)
  return made
}

function formatOf(timeZone: string): Intl.DateTimeFormat | null {
  try {
    const parts = { year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit', second: '2-digit' } as const
    return new Intl.DateTimeFormat('en-US', { timeZone, hourCycle: 'h23', ...parts })
  } catch {
    return null
  }
}

const QUARTER_MS = 900_000
const MOST_OFFSETS = 20_000
function zoneBy(format: Intl.DateTimeFormat): Zone {
  const offsets = new Map<number, number>()
  const offsetAt = (moment: number): number => {
    const quarter = Math.floor(moment / QUARTER_MS) * QUARTER_MS
    const kept = offsets.get(quarter)
    if (kept !== undefined) return kept
    const { year, month, day, hour, minute, second } = Object.fromEntries(
      format.formatToParts(quarter).map(({ type, value }) => [type, Number(value)]),
    ) as Record<string, number>
    const offset = Date.UTC(year!, month! - 1, day!, hour!, minute!, second!) - quarter
    if (offsets.size > MOST_OFFSETS) offsets.clear()
    offsets.set(quarter, offset)
    return offset
  }
  return (wall) => {
    const [before, after] = [offsetAt(wall - DAY_MS), offsetAt(wall + DAY_MS)]
    // Of a time that comes twice the first counts, and one that is left out is read by the clock before the change.
    const moment = wall - before
    if (before === after || offsetAt(moment) === before) return moment
    return offsetAt(wall - after) === after ? wall - after : moment
  }
}

type Change = { start: number; from: number; to: number; rule: ReturnType<typeof ruleIn>; dates: number[] }

/** A zone that the file describes itself, under a name that only its program knows. */
export function zoneDescribed(described: ICAL.Component, wallOf: (time: ICAL.Time) => number): Zone {
  const changes = ['standard', 'daylight']
    .flatMap((kind) => described.getAllSubcomponents(kind))
    .slice(0, 50)
    .flatMap((each): Change[] => {
      const start = each.getFirstPropertyValue('dtstart') as ICAL.Time | null
      const [from, to] = ['tzoffsetfrom', 'tzoffsetto'].map((name) => each.getFirstPropertyValue(name) as ICAL.UtcOffset | null)
      if (!start || !from || !to) return []
      const rule = each.getFirstPropertyValue('rrule')
      return [
        {
          ...{ start: wallOf(start), from: from.toSeconds() * 1000, to: to.toSeconds() * 1000 },
          rule: rule ? ruleIn(String(rule), () => () => false) : null,
          dates: each
            .getAllProperties('rdate')
            .flatMap((property) => property.getValues() as ICAL.Time[])
            .slice(0, 500)
            .map(wallOf),
        },
      ]
    })
  const byYear = new Map<number, { at: number; from: number; to: number }[]>()
  const changesIn = (year: number) => {
    const kept = byYear.get(year)
    if (kept) return kept
    const [first, last] = [Date.UTC(year - 1, 0, 1), Date.UTC(year + 1, 0, 1)]
    const found = changes
      .flatMap(({ start, from, to, rule, dates }) =>
        [...(rule ? datesOf(rule, start, first, last) : [start]), ...dates].map((at) => ({ at, from, to })),
      )
      .sort((one, other) => one.at - other.at)
    byYear.set(year, found)
    return found
  }
  return (wall) => {
    const all = changesIn(new Date(wall).getUTCFullYear())
    const last = all.findLast(({ at }) => at <= wall)
    if (!last) return wall - (all[0]?.from ?? 0)
    const isLeftOut = wall < last.at + (last.to - last.from)
    return wall - (isLeftOut ? last.from : last.to)
  }
}
