import { DAY_MS } from '@operon/kit/clock'

// The dates of a series by its rule (RFC 5545), counted in days of the wall clock. Each step goes on by whole periods of the calendar, so that a
// rule that never comes true ends with the window, whoever sent the invitation that has it.

export type Rule = {
  freq: 'DAILY' | 'WEEKLY' | 'MONTHLY' | 'YEARLY'
  interval: number
  count: number | null
  /** Whether a date is past the end of the series. */
  isPast: (wall: number) => boolean
  months: number[]
  monthDays: number[]
  /** 0 is Sunday; `nth` 0 is every one. */
  days: { nth: number; day: number }[]
  positions: number[]
  weekStart: number
}

const MOST_PERIODS = 40_000
const PERIOD_DAYS = { DAILY: 1, WEEKLY: 7, MONTHLY: 31, YEARLY: 366 }

const dayOf = (year: number, month: number, day: number) => Math.floor(Date.UTC(year, month, day) / DAY_MS)
const partsOf = (day: number) => {
  const at = new Date(day * DAY_MS)
  return { year: at.getUTCFullYear(), month: at.getUTCMonth(), date: at.getUTCDate() }
}
/** The first of January 1970 was a Thursday. */
const weekdayOf = (day: number) => (((day + 4) % 7) + 7) % 7

/** From the first date on, in order, through `until`; dates before `from` may be left out where none of them has to be counted. */
export function* datesOf(rule: Rule, start: number, from: number, until: number): Generator<number> {
  const first = Math.floor(start / DAY_MS)
  const time = start - first * DAY_MS
  const firstParts = partsOf(first)
  const skipped = rule.count === null ? Math.floor((from / DAY_MS - first) / (PERIOD_DAYS[rule.freq] * rule.interval)) - 1 : 0
  let counted = 0
  const isOver = (wall: number) => wall > until || rule.isPast(wall) || (rule.count !== null && counted >= rule.count)
  // The event itself is the first date, whether or not the rule names it.
  counted++
  yield start
  for (let period = Math.max(0, skipped), walked = 0; walked < MOST_PERIODS; period++, walked++) {
    const { begins, days } = periodOf(rule, first, firstParts, period)
    if (begins * DAY_MS > until) return
    for (const day of at(rule.positions, days)) {
      const wall = day * DAY_MS + time
      if (wall <= start) continue
      if (isOver(wall)) return
      counted++
      yield wall
    }
  }
}

function periodOf(rule: Rule, first: number, { year, month, date }: ReturnType<typeof partsOf>, period: number) {
  const step = period * rule.interval
  const { months, monthDays, days, weekStart } = rule
  const inMonths = (day: number) => !months.length || months.includes(partsOf(day).month + 1)
  if (rule.freq === 'DAILY') {
    const day = first + step
    const fits = inMonths(day) && isMonthDay(day, monthDays) && (!days.length || days.some((each) => each.day === weekdayOf(day)))
    return { begins: day, days: fits ? [day] : [] }
  }
  if (rule.freq === 'WEEKLY') {
    const begins = first - ((weekdayOf(first) - weekStart + 7) % 7) + step * 7
    const wanted = days.length ? days.map((each) => each.day) : [weekdayOf(first)]
    return { begins, days: span(begins, begins + 7).filter((day) => wanted.includes(weekdayOf(day)) && inMonths(day)) }
  }
  if (rule.freq === 'MONTHLY') {
    const begins = dayOf(year, month + step, 1)
    return { begins, days: inMonths(begins) ? inMonth(rule, begins, date) : [] }
  }
  const begins = dayOf(year + step, 0, 1)
  const named = months.length ? months : monthDays.length ? span(1, 13) : days.length ? [] : [month + 1]
  if (named.length)
    return {
      begins,
      days: [...new Set(named)].sort((one, other) => one - other).flatMap((each) => inMonth(rule, dayOf(year + step, each - 1, 1), date)),
    }
  return { begins, days: weekdaysIn(days, begins, dayOf(year + step + 1, 0, 1)) }
}

function inMonth({ monthDays, days }: Rule, begins: number, date: number): number[] {
  const { year, month } = partsOf(begins)
  const ends = dayOf(year, month + 1, 1)
  if (!monthDays.length && !days.length) return begins + date - 1 < ends ? [begins + date - 1] : []
  return (days.length ? weekdaysIn(days, begins, ends) : span(begins, ends)).filter((day) => isMonthDay(day, monthDays))
}

function weekdaysIn(days: Rule['days'], begins: number, ends: number): number[] {
  return span(begins, ends).filter((day) =>
    days.some((each) => {
      if (each.day !== weekdayOf(day)) return false
      const nth = each.nth > 0 ? Math.floor((day - begins) / 7) + 1 : -Math.floor((ends - 1 - day) / 7) - 1
      return each.nth === 0 || each.nth === nth
    }),
  )
}

function isMonthDay(day: number, monthDays: number[]): boolean {
  if (!monthDays.length) return true
  const { year, month, date } = partsOf(day)
  const length = dayOf(year, month + 1, 1) - dayOf(year, month, 1)
  return monthDays.some((each) => (each > 0 ? each : length + 1 + each) === date)
}

const span = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => from + index)
const at = (positions: number[], days: number[]) =>
  positions.length ? days.filter((_, index) => positions.includes(index + 1) || positions.includes(index - days.length)) : days

const WEEKDAYS = ['SU', 'MO', 'TU', 'WE', 'TH', 'FR', 'SA']
const FREQUENCIES = ['DAILY', 'WEEKLY', 'MONTHLY', 'YEARLY']
const READ = ['FREQ', 'INTERVAL', 'COUNT', 'UNTIL', 'BYMONTH', 'BYMONTHDAY', 'BYDAY', 'BYSETPOS', 'WKST']

/** Null where the rule says something that is not read here: by the hour, the week's number or the day of the year. */
export function ruleIn(text: string, isPast: (until: string) => Rule['isPast']): Rule | null {
  const given = Object.fromEntries(text.split(';').map((part) => part.trim().toUpperCase().split('=') as [string, string]))
  if (!FREQUENCIES.includes(given.FREQ!) || Object.keys(given).some((name) => name && !READ.includes(name))) return null
  const numbers = (name: string) => (given[name] ?? '').split(',').map(Number).filter(Boolean)
  const days = (given.BYDAY ?? '')
    .split(',')
    .filter(Boolean)
    .map((each) => ({ nth: Number.parseInt(each, 10) || 0, day: WEEKDAYS.indexOf(each.slice(-2)) }))
  return {
    freq: given.FREQ as Rule['freq'],
    interval: Math.min(1000, Math.max(1, Number(given.INTERVAL) || 1)),
    count: Number(given.COUNT) || null,
    isPast: given.UNTIL ? isPast(given.UNTIL) : () => false,
    months: numbers('BYMONTH'),
    monthDays: numbers('BYMONTHDAY'),
    days,
    positions: numbers('BYSETPOS'),
    weekStart: Math.max(0, WEEKDAYS.indexOf(given.WKST ?? 'MO')),
  }
}
