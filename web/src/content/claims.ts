/**
 * Marketing copy that nobody has verified. The operator of an installation confirms, changes or hides each:
 * `verified` removes the note beside it, `shown: false` removes the claim, and what `live` names is counted where `LIVE_FIGURES` says so.
 */
export type Claim = { value: string; label: string; verified: boolean; shown: boolean; live?: 'users' | 'revenue' | 'response' }

export const figures: Claim[] = [
  { value: '10K+', label: 'active users', verified: false, shown: true, live: 'users' },
  { value: '500K+', label: 'workflows', verified: false, shown: true },
  { value: '$2M+', label: 'revenue', verified: false, shown: true, live: 'revenue' },
  { value: '99.9%', label: 'uptime', verified: false, shown: true },
  { value: '< 2s', label: 'response', verified: false, shown: true, live: 'response' },
  { value: '150+', label: 'integrations', verified: false, shown: true },
  { value: '24/7', label: 'support', verified: false, shown: true },
]

/** Told by the page itself: a prerendered one carries marks that the gateway writes over. */
export function shownValue({ value, live }: Claim): string {
  if (!live) return value
  return import.meta.env?.PRERENDER ? `__FIGURE:${live}:${value}__` : (counted().get(live) ?? value)
}

function counted(): Map<string, string> {
  const said = globalThis.document?.querySelector<HTMLMetaElement>('meta[name="figures"]')?.content ?? ''
  return new Map(said.split(';').map((pair) => pair.split('=') as [string, string]))
}

export const badges: Claim[] = [
  { value: 'SOC 2', label: 'security controls', verified: false, shown: true },
  { value: 'GDPR', label: 'data protection', verified: false, shown: true },
  { value: 'ISO 27001', label: 'information security', verified: false, shown: true },
]

export const sellerShare = 80
export const payoutTerms = 'Payouts go out weekly, on Fridays, from $50.'
export const sellerTerms = `Sellers keep ${sellerShare}% of sales, with weekly payouts on Fridays from $50.`

export const unverifiedNote = 'Figures and badges are stated by the operator of this site and have not been independently verified.'
