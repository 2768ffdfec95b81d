// Days and minutes of a calendar as it is drawn: by the clock of the browser.

export const views = ['day', 'week', 'month'] as const
export type View = (typeof views)[number]
export const STEP_MINUTES = 15

const pad = (value: number) => String(value).padStart(2, '0')
export const isoDay = (date: Date): string => `${date.getFullYear()}-${pad(date.getMonth() + 1)}-${pad(date.getDate())}`
export const dateOf = (day: string): Date => {
  const [year, month, date] = day.split('-').map(Number) as [number, number, number]
  return new Date(year, month - 1, date)
}
export const addDays = (day: string, count: number): string => {
  const date = dateOf(day)
  return isoDay(new Date(date.getFullYear(), date.getMonth(), date.getDate() + count))
}
export const timeOf = (day: string, minutes: number): Date => {
  const date = dateOf(day)
  return new Date(date.getFullYear(), date.getMonth(), date.getDate(), 0, minutes)
}
export const minutesOf = (date: Date): number => date.getHours() * 60 + date.getMinutes()
const monday = (day: string) => addDays(day, -((dateOf(day).getDay() + 6) % 7))

/** The days that a view shows, whole weeks where it is a month. */
export function daysOf(view: View, day: string): string[] {
  if (view === 'day') return [day]
  const first = view === 'week' ? monday(day) : monday(`${day.slice(0, 7)}-01`)
  return Array.from({ length: view === 'week' ? 7 : 42 }, (_, n) => addDays(first, n))
}

export function step(view: View, day: string, by: 1 | -1): string {
  if (view !== 'month') return addDays(day, view === 'week' ? 7 * by : by)
  const date = dateOf(day)
  return isoDay(new Date(date.getFullYear(), date.getMonth() + by, 1))
}

export function titleOf(view: View, day: string): string {
  const said = (date: string, options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat('en-US', options).format(dateOf(date))
  if (view === 'day') return said(day, { weekday: 'long', month: 'long', day: 'numeric', year: 'numeric' })
  if (view === 'month') return said(day, { month: 'long', year: 'numeric' })
  const days = daysOf('week', day)
  return `${said(days[0]!, { month: 'long', day: 'numeric' })} – ${said(days[6]!, { month: 'long', day: 'numeric', year: 'numeric' })}`
}

type Timed = { id: string; starts_at: string; ends_at: string }
export type Placed<T> = { of: T; from: number; to: number; lane: number; lanes: number }

/** The appointments of a day, each in a lane of its own among those that it overlaps. */
export function placed<T extends Timed>(all: readonly T[], day: string): Placed<T>[] {
  const [begin, end] = [timeOf(day, 0).getTime(), timeOf(addDays(day, 1), 0).getTime()]
  const result: Placed<T>[] = []
  let group: Placed<T>[] = []
  let groupEnds = 0
  const close = () => {
    const lanes = Math.max(1, ...group.map(({ lane }) => lane + 1))
    for (const each of group) each.lanes = lanes
    group = []
  }
  const on = all.filter((each) => Date.parse(each.starts_at) < end && Date.parse(each.ends_at) > begin)
  for (const of of [...on].sort((one, other) => Date.parse(one.starts_at) - Date.parse(other.starts_at))) {
    const [starts, ends] = [Date.parse(of.starts_at), Date.parse(of.ends_at)]
    const from = starts <= begin ? 0 : minutesOf(new Date(starts))
    const to = Math.max(from + 20, ends >= end ? 1440 : minutesOf(new Date(ends)))
    if (from >= groupEnds) close()
    const taken = new Set(group.filter((each) => each.to > from).map(({ lane }) => lane))
    let lane = 0
    while (taken.has(lane)) lane += 1
    const place = { of, from, to, lane, lanes: 1 }
    groupEnds = Math.max(groupEnds, to)
    group.push(place)
    result.push(place)
  }
  close()
  return result
}

type Elsewhere = Timed & { all_day: boolean }
/** Events of other calendars on a day. A whole day there is that day here, whatever hours the zone makes of it. */
export function externalOn<T extends Elsewhere>(all: readonly T[], day: string): { of: T; from: number; to: number }[] {
  const whole = all.filter((each) => each.all_day && each.starts_at.slice(0, 10) <= day && day < each.ends_at.slice(0, 10))
  const timed = placed(
    all.filter((each) => !each.all_day),
    day,
  )
  return [...whole.map((of) => ({ of, from: 0, to: 1440 })), ...timed.map(({ of, from, to }) => ({ of, from, to }))]
}
