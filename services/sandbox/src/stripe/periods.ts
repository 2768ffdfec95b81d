export type Recurring = { interval: 'day' | 'week' | 'month' | 'year'; interval_count: number }

/** The end of the period that begins at `start`, on the day of the month that the anchor has (the 31st falls on the last day). */
export function periodEnd(start: number, { interval, interval_count }: Recurring, anchor = start): number {
  if (interval === 'day') return start + interval_count * 86_400
  if (interval === 'week') return start + interval_count * 7 * 86_400
  const months = interval_count * (interval === 'year' ? 12 : 1)
  const from = new Date(start * 1000)
  const day = new Date(anchor * 1000).getUTCDate()
  const firstOfMonth = new Date(
    Date.UTC(from.getUTCFullYear(), from.getUTCMonth() + months, 1, from.getUTCHours(), from.getUTCMinutes(), from.getUTCSeconds()),
  )
  const lastDay = new Date(Date.UTC(firstOfMonth.getUTCFullYear(), firstOfMonth.getUTCMonth() + 1, 0)).getUTCDate()
  firstOfMonth.setUTCDate(Math.min(day, lastDay))
  return Math.floor(firstOfMonth.getTime() / 1000)
}
