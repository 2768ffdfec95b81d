// Times in a named zone, by the browser's own tables.

export const browserZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC'
export const allZones = (): string[] => [...new Set(['UTC', browserZone(), ...Intl.supportedValuesOf('timeZone')])].sort()
export const zoneName = (zone: string) => zone.replaceAll('_', ' ')

/** The day of a time, as `2026-12-01`. */
export const dayIn = (at: string | number | Date, zone: string): string =>
  new Intl.DateTimeFormat('en-CA', { timeZone: zone, year: 'numeric', month: '2-digit', day: '2-digit' }).format(new Date(at))

export const clockIn = (at: string | number | Date, zone: string): string =>
  new Intl.DateTimeFormat('en-US', { timeZone: zone, hour: 'numeric', minute: '2-digit' }).format(new Date(at)).replace('\u202F', ' ')

const offsetIn = (at: string, zone: string): string =>
  new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'shortOffset' })
    .formatToParts(new Date(at))
    .find(({ type }) => type === 'timeZoneName')?.value ?? ''

export const dateIn = (at: string | number | Date, zone: string): string =>
  new Intl.DateTimeFormat('en-US', { timeZone: zone, weekday: 'long', month: 'long', day: 'numeric' }).format(new Date(at))

/** Clock times of one day. Where clocks are turned back one comes twice, and both say their distance from UTC. */
export function clocksOf(times: readonly string[], zone: string): { at: string; label: string }[] {
  const labels = times.map((at) => clockIn(at, zone))
  return times.map((at, n) => {
    const label = labels[n]!
    const repeats = labels.filter((each) => each === label).length > 1
    return { at, label: repeats ? `${label} ${offsetIn(at, zone)}` : label }
  })
}
