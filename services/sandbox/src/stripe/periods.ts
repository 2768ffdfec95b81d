import { wrong } from './errors.ts'
import { int, type Params } from './form.ts'

export const DAY = 86_400
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

export function trialEndOf(params: Params, at: number): number | null {
  if (params.trial_end === 'now') return null
  const end = params.trial_end ? int(params.trial_end) : params.trial_period_days ? at + int(params.trial_period_days) * DAY : null
  if (end !== null && end <= at) throw wrong('Timestamps for trial_end must be in the future.', 'trial_end')
  return end
}
