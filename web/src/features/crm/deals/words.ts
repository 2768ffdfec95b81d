import { money } from '../../../ui/format.ts'
import type { Deal } from './queries.ts'

export const stateTone = { open: 'neutral', won: 'good', lost: 'bad' } as const
export const stateNames = { open: 'Open', won: 'Won', lost: 'Lost' }
export const worth = (deal: Pick<Deal, 'amount_cents' | 'currency'>) => money(deal.amount_cents, deal.currency)
export const sums = (totals: { currency: string; amount_cents: number }[]) => totals.map(worth).join(' + ')
/** "Dec 31", with the year where it is another one. A day has no zone. */
export const dayOf = (date: string) => {
  const [year] = date.split('-')
  const isThis = Number(year) === new Date().getFullYear()
  return new Intl.DateTimeFormat('en-US', { month: 'short', day: 'numeric', timeZone: 'UTC', ...(!isThis && { year: 'numeric' }) }).format(
    new Date(`${date}T00:00:00Z`),
  )
}
export const isLate = (deal: Pick<Deal, 'expected_close' | 'state'>) =>
  deal.state === 'open' && deal.expected_close !== null && deal.expected_close < new Date().toLocaleDateString('sv')
export const currencies = ['usd', 'eur', 'gbp', 'cad', 'aud', 'chf', 'sek', 'nok', 'dkk', 'pln', 'inr', 'brl', 'mxn', 'zar', 'jpy'] as const
