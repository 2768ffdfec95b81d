import type { saleTaxRate } from '@operon/contracts/billing/selling-events'
import { now } from '@operon/kit/clock'
import type { z } from 'zod'
import type { Provider } from '../stripe.ts'

type Rate = z.input<(typeof saleTaxRate)['reply']>

/** Sales tax of a state and a county, tax of a province: the country alone does not say. */
const BY_ADDRESS = new Set(['US', 'CA', 'BR', 'IN'])
const KEPT_MS = 24 * 3_600_000
const MOST_KEPT = 300

/** Visitors of any number cost at most one question a day for each country. */
export function taxRates(provider: Pick<Provider, 'saleTaxIn'>) {
  const known = new Map<string, { rate: Promise<Rate>; atMs: number }>()
  return (country: string): Promise<Rate> => {
    if (BY_ADDRESS.has(country)) return Promise.resolve({ state: 'by_address' })
    const kept = known.get(country)
    if (kept && now() - kept.atMs < KEPT_MS) return kept.rate
    if (known.size >= MOST_KEPT) known.clear()
    const rate = provider.saleTaxIn(country).then((found): Rate => (found ? { state: 'known', ...found } : { state: 'none' }))
    known.set(country, { rate, atMs: now() })
    rate.catch(() => known.delete(country))
    return rate
  }
}
